//! The configuration file: YAML with known keys, each value with its line.

use std::{fmt, path::Path, path::PathBuf};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Spanned};

use super::{ConfigError, Source, key};
use crate::{
    base::{
        text::{meant, shorten},
        yaml,
    },
    os::fs::{self, ReadError},
};

/// Far more than six keys and their comments need.
const MAX_BYTES: u64 = 1024 * 1024;

/// A file's keys and values; each key is known and occurs once.
#[derive(Debug, Default)]
pub struct File {
    path: PathBuf,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    key: String,
    line: u64,
    value: Value,
}

impl File {
    /// Reads the file; `source` says how it was found, for the error where it is missing.
    pub fn read(path: &Path, source: &Source) -> Result<File, ConfigError> {
        let text = fs::read_text(path, MAX_BYTES).map_err(|error| {
            let shown = path.display();
            match (source, &error) {
                (Source::File { .. }, _) => {
                    ConfigError::new(source, format!("cannot be read: {error}"))
                }
                (_, ReadError::Missing) => {
                    ConfigError::new(source, format!("there is no file {shown}"))
                        .hint("name an existing file, or leave it out to use the defaults")
                }
                _ => ConfigError::new(source, format!("{shown} cannot be read: {error}")),
            }
        })?;
        File::parse(path, &text)
    }

    /// Reads the text of a file.
    fn parse(path: &Path, text: &str) -> Result<File, ConfigError> {
        let says_nothing =
            |line: &str| matches!(line.trim_ascii_start().chars().next(), None | Some('#'));
        if text.split(['\n', '\r']).all(says_nothing) {
            // As `graph init` writes it. The parser alone would be a tenth of a server's start.
            return Ok(File { path: path.to_path_buf(), entries: Vec::new() });
        }
        let place = |line| Source::File { path: path.to_path_buf(), line };
        let options = serde_saphyr::options! {
            // Reported below, with the line of the first one.
            duplicate_keys: DuplicateKeyPolicy::LastWins,
            strict_booleans: true,
        };
        let mapping: Mapping = serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| syntax(&error, place))?;

        let mut entries: Vec<Entry> = Vec::new();
        for (key, value) in mapping.0 {
            let (line, key) = (key.referenced.line(), key.value);
            if !key::names().any(|known| known == key) {
                let problem = format!("unknown key `{}`", shorten(&key, 80));
                return Err(
                    ConfigError::new(&place(Some(line)), problem).hint(meant(&key, key::names()))
                );
            }
            if let Some(first) = entries.iter().find(|entry| entry.key == key) {
                let problem = format!("`{key}` is set twice, first in line {}", first.line);
                return Err(ConfigError::new(&place(Some(line)), problem).hint("keep one of them"));
            }
            entries.push(Entry { key, line, value: value.value });
        }
        Ok(File { path: path.to_path_buf(), entries })
    }

    /// The directory that the file's paths are relative to.
    pub fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The value of `key` and its location; a key that is absent, empty or null leaves the default in force.
    pub fn value(&self, key: &str) -> Option<(&Value, Source)> {
        let set = self.entries.iter().find(|entry| entry.key == key && !entry.value.is_null())?;
        let source = Source::File { path: self.path.clone(), line: Some(set.line) };
        Some((&set.value, source))
    }
}

/// The parser's message, with our location in front and without its own at the end.
fn syntax(error: &serde_saphyr::Error, place: impl Fn(Option<u64>) -> Source) -> ConfigError {
    let line = error.location().map(|location| location.line());
    ConfigError::new(&place(line), format!("not readable as settings: {}", yaml::explain(error)))
        .hint("write one setting a line, such as `claim_ttl_minutes: 60`")
}

/// The top level of the file: a mapping, or nothing at all.
struct Mapping(Vec<(Spanned<String>, Spanned<Value>)>);

impl<'de> Deserialize<'de> for Mapping {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Mapping;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("keys and values")
            }

            fn visit_unit<E>(self) -> Result<Mapping, E> {
                Ok(Mapping(Vec::new()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Mapping, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Mapping(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}
