//! Single values: from the text that was given to the value it means.
//!
//! A problem is the part of a message that follows the location and the key.

use std::{
    ffi::OsStr,
    fmt,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    str::FromStr,
};

use serde_json::Value;

use crate::base::{
    Domain,
    text::{meant, shorten},
};

/// Bytes of an agent's name; it is repeated in every response that names an actor.
const MAX_IDENTITY: usize = 200;

/// What a committed write survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Loss of power: every commit waits for the disk.
    Full,
    /// A crash of the process; the last commits may be lost with the power.
    Normal,
}

impl Durability {
    /// Both, the default first.
    pub const ALL: &[Durability] = &[Durability::Full, Durability::Normal];

    /// The name in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Durability::Full => "full",
            Durability::Normal => "normal",
        }
    }
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Durability {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        one_of(text, Durability::ALL, Durability::as_str)
    }
}

/// One of `known`, by its name.
fn one_of<T: Copy>(
    text: &str,
    known: &'static [T],
    name: fn(T) -> &'static str,
) -> Result<T, String> {
    let text = text.trim();
    known.iter().copied().find(|&it| name(it) == text).ok_or_else(|| {
        let hint = meant(text, known.iter().map(|&it| name(it)));
        format!("has `{}`, which is not known; {hint}", shorten(text, 80))
    })
}

/// A text, read by `read`.
pub fn text<T>(value: &Value, read: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
    match value {
        Value::String(text) => read(text),
        Value::Number(_) | Value::Bool(_) => {
            Err(format!("is {value}, but must be text; put it in quotes"))
        }
        _ => Err(format!("is {}, but must be text", kind(value))),
    }
}

/// A list of texts, or one text, read by `read` with commas between the items.
pub fn list_of_names<T>(
    value: &Value,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, String> {
    match value {
        Value::String(text) => read(text),
        Value::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(Value::as_str).collect();
            match items {
                Some(items) => read(&items.join(",")),
                None => Err("must be a list of names".to_owned()),
            }
        }
        _ => Err(format!("is {}, but must be a list of names", kind(value))),
    }
}

/// A whole number within `range`.
pub fn whole_number(value: &Value, range: RangeInclusive<u32>) -> Result<u32, String> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.filter(|number| range.contains(number)).ok_or_else(|| {
        let received = match value {
            Value::Number(_) => value.to_string(),
            Value::String(text) => format!("the text \"{}\"", shorten(text, 80)),
            _ => kind(value).to_owned(),
        };
        let (least, most) = (range.start(), range.end());
        format!("is {received}, but must be a whole number from {least} to {most}")
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

/// Names of toolsets, separated by commas; order and repetition do not matter.
pub fn toolsets(text: &str) -> Result<Vec<Domain>, String> {
    let mut named = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| one_of(name, Domain::ALL, Domain::as_str))
        .collect::<Result<Vec<Domain>, String>>()?;
    if named.is_empty() {
        return Err(meant("", Domain::ALL.iter().map(|it| it.as_str()))
            .replace("known", "names no toolset; known"));
    }
    named.sort_unstable();
    named.dedup();
    Ok(named)
}

/// A name that is written to logs and responses: one short line.
pub fn identity(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("is empty: it needs a name".to_owned());
    }
    if text.len() > MAX_IDENTITY {
        let bytes = text.len();
        return Err(format!("has {bytes} bytes; at most {MAX_IDENTITY} are allowed"));
    }
    if text.chars().any(char::is_control) {
        return Err("has a control character; use plain text".to_owned());
    }
    Ok(text.to_owned())
}

/// A path, absolute or from `base`; `~/` is the home directory, because no shell expands it in files and variables.
pub fn path(text: &OsStr, base: &Path, home: Option<&Path>) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Err("is empty: it needs a path".to_owned());
    }
    if text.as_encoded_bytes().contains(&0) {
        return Err("contains NUL, which cannot be in a path".to_owned());
    }
    let path = Path::new(text);
    match path.strip_prefix("~") {
        Ok(rest) => match home {
            Some(home) => Ok(home.join(rest)),
            None => Err("begins with `~`, and the home directory is not known".to_owned()),
        },
        // Component by component, which drops the `./` that people write.
        Err(_) => Ok(base.join(path).components().collect()),
    }
}
