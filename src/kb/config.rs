//! `.kb/config.json`: where documents and manifests are, which branch is the default, how strict the rules are.
//!
//! Strict: anything unknown is refused with its line, since a setting that is silently ignored costs more than one that
//! has to be corrected.

use std::{collections::BTreeMap, path::Path};

use super::{
    check::{Level, RULES},
    schema::Schema,
};
use crate::{
    base::{ErrorCode, Fault, Result, paths::normalise},
    os::fs::{self, ReadError},
};

mod read;

/// The directory of the KB's own files, at the root of the working tree.
pub const DIRECTORY: &str = ".kb";
pub const FILE: &str = ".kb/config.json";
/// The directory of files that add types, relations and statuses.
pub const SCHEMA_DIRECTORY: &str = ".kb/schema";

/// Where documents of each type are, unless the settings say otherwise.
pub const DEFAULT_PATHS: &[(&str, &str)] = &[
    ("req", "docs/requirements"),
    ("scenario", "docs/scenarios"),
    ("test", "docs/tests"),
    ("adr", "docs/adr"),
    ("flag", "docs/flags"),
    ("event", "docs/events"),
];
/// The manifests, unless the settings say otherwise.
pub const DEFAULT_MANIFESTS: &[&str] = &["symbols.yaml", "symbols.json"];
/// What a manifest's name may end with.
pub const MANIFEST_ENDINGS: &[&str] = &["yaml", "yml", "json"];

/// Bytes of the settings, or of one schema file; far more than they need.
const MAX_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KbConfig {
    /// The branch that others begin as a copy of; none leaves it to git.
    pub default_branch: Option<String>,
    /// Type to directory, relative to the root, with `/`.
    pub paths: BTreeMap<String, String>,
    /// Manifests, relative to the root, with `/`, each once.
    pub manifests: Vec<String>,
    /// The rules that are set; the others keep the level that they come with.
    pub rules: BTreeMap<String, Level>,
}

impl Default for KbConfig {
    fn default() -> Self {
        let path = |(kind, directory): &(&str, &str)| ((*kind).to_owned(), (*directory).to_owned());
        KbConfig {
            default_branch: None,
            paths: DEFAULT_PATHS.iter().map(path).collect(),
            manifests: DEFAULT_MANIFESTS.iter().map(|name| (*name).to_owned()).collect(),
            rules: BTreeMap::new(),
        }
    }
}

/// The words that settings may use: they come from the schema and from the list of rules.
#[derive(Debug, Clone, Default)]
pub struct Words<'a> {
    pub types: Vec<&'a str>,
    pub rules: Vec<&'a str>,
}

impl<'a> Words<'a> {
    /// The words in force.
    pub fn of(schema: &'a Schema) -> Self {
        Words { types: schema.types().collect(), rules: RULES.iter().map(|rule| rule.id).collect() }
    }
}

impl KbConfig {
    /// Reads the settings of the working tree at `root`; without a file the defaults are in force.
    pub fn load(root: &Path, words: &Words<'_>) -> Result<KbConfig> {
        check_directory(root)?;
        inside(root, FILE)?;
        match fs::read_text(&root.join(FILE), MAX_BYTES) {
            Ok(text) => KbConfig::parse(&text, words),
            Err(ReadError::Missing) => Ok(KbConfig::default()),
            Err(error) => Err(refused(FILE, None, &format!("cannot be read: {error}"))),
        }
    }

    /// Reads the text of a settings file; what it leaves out keeps its default.
    pub fn parse(text: &str, words: &Words<'_>) -> Result<KbConfig> {
        read::read(text, words).map_err(|problem| {
            let known = format!("known keys: {}", read::KEYS.join(", "));
            let hint = problem.hint.unwrap_or(known);
            let fault = place(FILE, Some(problem.line), &problem.reason);
            fault.hint(hint).into()
        })
    }
}

/// The text that `graph kb init` writes: the defaults, without `defaultBranch`, so that git decides.
pub fn initial_text() -> String {
    let line = |(kind, directory): &(&str, &str)| format!("    \"{kind}\": \"{directory}\"");
    let paths: Vec<_> = DEFAULT_PATHS.iter().map(line).collect();
    let manifests: Vec<_> = DEFAULT_MANIFESTS.iter().map(|name| format!("\"{name}\"")).collect();
    format!(
        "{{\n  \"paths\": {{\n{}\n  }},\n  \"manifests\": [{}],\n  \"rules\": {{}}\n}}\n",
        paths.join(",\n"),
        manifests.join(", "),
    )
}

/// The names and texts of the files in `.kb/schema`, in the order of their names.
pub fn schema_files(root: &Path) -> Result<Vec<(String, String)>> {
    check_directory(root)?;
    let walk = crate::os::walk::files(root, SCHEMA_DIRECTORY, |name| name.ends_with(".json"));
    if let Some((path, reason)) = walk.problems.first() {
        return Err(refused(path, None, reason));
    }
    let read = |path: String| match fs::read_text(&root.join(&path), MAX_BYTES) {
        Ok(text) => Ok((path, text)),
        Err(error) => Err(refused(&path, None, &format!("cannot be read: {error}"))),
    };
    walk.files.into_iter().map(|file| read(file.path)).collect()
}

/// What is missing of `.kb`, the given schema files and the directories for documents, relative to the root; a directory
/// has no text. What exists is not changed.
pub fn missing(
    root: &Path,
    schema: &[(&str, &'static str)],
    words: &Words<'_>,
) -> Result<Vec<(String, Option<String>)>> {
    // Existing settings are read first: nothing is created beside a file that cannot be used.
    let config = KbConfig::load(root, words)?;
    let schema = schema.iter().map(|(name, text)| (format!("{SCHEMA_DIRECTORY}/{name}"), *text));
    let files = schema.map(|(path, text)| (path, Some(text.to_owned())));
    let directories = config.paths.into_values().map(|directory| (directory, None));
    let all = [(FILE.to_owned(), Some(initial_text()))].into_iter().chain(files).chain(directories);
    let mut missing = Vec::new();
    for (path, text) in all {
        inside(root, &path)?;
        let full = root.join(&path);
        if !(full.exists() && (text.is_some() || full.is_dir())) {
            missing.push((path, text));
        }
    }
    Ok(missing)
}

/// Creates what is missing; returns what was created, relative to the root.
pub fn create(
    root: &Path,
    schema: &[(&str, &'static str)],
    words: &Words<'_>,
) -> Result<Vec<String>> {
    let mut created = Vec::new();
    for (path, text) in missing(root, schema, words)? {
        let full = root.join(&path);
        let (made, shown) = match text {
            Some(text) => (fs::create_text(&full, &text), path),
            None => (fs::create_directory(&full), format!("{path}/")),
        };
        if made.map_err(|error| failed(&shown, &error))? {
            created.push(shown);
        }
    }
    Ok(created)
}

/// Refuses a `.kb` that is no directory, or a symbolic link out of the repository, before anything in it is read or written.
pub fn check_directory(root: &Path) -> Result<()> {
    inside(root, DIRECTORY)?;
    let directory = root.join(DIRECTORY);
    match directory.exists() && !directory.is_dir() {
        true => Err(place(DIRECTORY, None, "is not a directory")
            .hint("the KB keeps its settings in that directory: move the file that has its name")
            .into()),
        false => Ok(()),
    }
}

/// Refuses a path that symbolic links lead out of the repository; for a path that does not exist yet its directory counts.
fn inside(root: &Path, path: &str) -> Result<()> {
    root.metadata().map_err(|error| {
        let message = format!("the directory {} cannot be inspected: {error}", root.display());
        Fault::new(ErrorCode::InvalidOperation, message)
            .hint("the working tree was deleted: continue in another directory, and restart a server there")
    })?;
    match fs::resolve_beneath(root, path) {
        Ok(_) => Ok(()),
        Err(astray) => Err(refused(path, None, &astray.to_string())),
    }
}

/// A directory or file of the settings, relative to the root.
fn relative(key: &str, path: &str) -> std::result::Result<String, String> {
    normalise(key, None, path).map_err(|error| error.into_fault("").message)
}

fn place(file: &str, line: Option<u32>, reason: &str) -> Fault {
    let place = line.map_or(file.to_owned(), |line| format!("{file}:{line}"));
    let mut details = serde_json::json!({ "file": file });
    if let Some(line) = line {
        details["line"] = line.into();
    }
    Fault::new(ErrorCode::ValidationError, format!("{place}: {reason}")).details(details)
}

fn refused(file: &str, line: Option<u32>, reason: &str) -> crate::base::Error {
    let hint = "it must be a regular file or directory inside the repository";
    place(file, line, reason).hint(hint).into()
}

fn failed(path: &str, error: &std::io::Error) -> crate::base::Error {
    fs::write_fault(path, "created", error).into()
}

#[cfg(test)]
mod tests;
