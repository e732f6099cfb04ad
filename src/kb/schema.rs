//! Types, relations and statuses: built in, and added by the files of `.kb/schema/`.
//!
//! The built-in ones are files too, and `graph kb init` writes them; a file there can only add.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::FIELDS;
use crate::base::{Error, Fault, Result, text};

/// The files of the built-in schema: name and text.
pub const FILES: &[(&str, &str)] = &[
    ("types.json", include_str!("schema/types.json")),
    ("relations.json", include_str!("schema/relations.json")),
];

/// Stands for any type at an end of a relation.
const ANY: &str = "*";
/// The most bytes that the name of a type or relation may have.
const MAX_NAME: usize = 64;

static BUILT_IN: LazyLock<Schema> = LazyLock::new(|| {
    let mut schema = Schema { types: BTreeMap::new(), relations: BTreeMap::new() };
    for (name, text) in FILES {
        // A test checks that they can be read.
        let _ = schema.add(name, text);
    }
    schema
});

/// The built-in types and relations with those that files add.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    types: BTreeMap<String, TypeDef>,
    relations: BTreeMap<String, RelationDef>,
}

/// A type of entity.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TypeDef {
    /// The statuses that the rule `unknown-status` accepts; all, if the list is empty.
    pub statuses: Vec<String>,
}

/// A type of link.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RelationDef {
    /// Allowed pairs of types at its beginning and end; `*` is any type.
    pub ends: Vec<(String, String)>,
    /// Whether a link may have a kind.
    pub kind: bool,
    /// Whether the rule `no-cycles` checks it.
    pub acyclic: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    types: BTreeMap<String, TypeDef>,
    relations: BTreeMap<String, RelationDef>,
}

impl Default for Schema {
    fn default() -> Self {
        BUILT_IN.clone()
    }
}

impl Schema {
    /// The built-in schema and what `files` (name and text) add to it.
    pub fn load<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Schema> {
        let mut schema = Schema::default();
        let mut added = Vec::new();
        for (name, text) in files {
            schema.add(name, text)?;
            added.push(name);
        }
        // After all files are read, because a file may use the types of a later one.
        for (relation, def) in &schema.relations {
            let mut ends = def.ends.iter().flat_map(|(from, to)| [from, to]);
            if let Some(end) = ends.find(|end| *end != ANY && !schema.types.contains_key(*end)) {
                let problem = format!("`{relation}` ends at the unknown type `{end}`");
                return Err(refused(&added.join(", "), &problem));
            }
        }
        Ok(schema)
    }

    /// Adds the types and relations of one file; a file cannot remove any.
    fn add(&mut self, name: &str, text: &str) -> Result<()> {
        let invalid = |error: serde_json::Error| refused(name, &error.to_string());
        check_objects(name, &serde_json::from_str(text).map_err(invalid)?)?;
        let file: File = serde_json::from_str(text).map_err(invalid)?;
        for word in file.types.keys().chain(file.relations.keys()) {
            check_name(name, word)?;
        }
        for (word, def) in file.types {
            if let Some(status) = def.statuses.iter().find(|status| status.trim().is_empty()) {
                return Err(refused(name, &format!("`{word}` has the status `{status}`")));
            }
            let known = self.types.entry(word).or_default();
            extend(&mut known.statuses, def.statuses);
        }
        for (word, def) in file.relations {
            if FIELDS.contains(&word.as_str()) {
                let problem = format!(
                    "`{word}` is a field of entities: a document could not distinguish the two"
                );
                return Err(refused(name, &problem));
            }
            if def.ends.is_empty() && !self.relations.contains_key(&word) {
                return Err(refused(name, &format!("`{word}` has no `ends`")));
            }
            let known = self.relations.entry(word).or_default();
            extend(&mut known.ends, def.ends);
            known.kind |= def.kind;
            known.acyclic |= def.acyclic;
        }
        Ok(())
    }

    pub fn type_def(&self, name: &str) -> Option<&TypeDef> {
        self.types.get(name)
    }

    pub fn relation(&self, name: &str) -> Option<&RelationDef> {
        self.relations.get(name)
    }

    pub fn types(&self) -> impl Iterator<Item = &str> + Clone {
        self.types.keys().map(String::as_str)
    }

    pub fn relations(&self) -> impl Iterator<Item = &str> + Clone {
        self.relations.keys().map(String::as_str)
    }

    /// The relations as text, to compare two schemas by.
    pub fn meaning(&self) -> String {
        format!("{:?}", self.relations)
    }

    /// The relations whose links must not form a cycle.
    pub fn acyclic(&self) -> impl Iterator<Item = &str> + Clone {
        let marked = self.relations.iter().filter(|(_, def)| def.acyclic);
        marked.map(|(name, _)| name.as_str())
    }

    /// Refuses an unknown type, with the one that may be meant.
    pub fn check_type(&self, field: &str, name: &str) -> Result<&TypeDef> {
        self.type_def(name).ok_or_else(|| unknown(field, "type", name, self.types()))
    }

    /// Refuses an unknown relation, with the one that may be meant.
    pub fn check_relation(&self, field: &str, name: &str) -> Result<&RelationDef> {
        self.relation(name).ok_or_else(|| unknown(field, "relation", name, self.relations()))
    }

    /// Whether a status is one that the type knows.
    pub fn knows_status(&self, of: &str, status: &str) -> bool {
        let known = self.type_def(of).map(|def| &def.statuses);
        known.is_none_or(|known| known.is_empty() || known.iter().any(|it| it == status))
    }
}

impl RelationDef {
    /// Whether a link of this relation may connect `from` to `to`.
    pub fn fits(&self, from: &str, to: &str) -> bool {
        let is = |end: &str, name: &str| end == ANY || end == name;
        self.ends.iter().any(|(begin, end)| is(begin, from) && is(end, to))
    }

    /// Its ends in words: `req to scenario, or adr to adr`.
    pub fn ends_in_words(&self) -> String {
        let name = |end: &str| if end == ANY { "anything".to_owned() } else { end.to_owned() };
        let pairs = self.ends.iter().map(|(from, to)| format!("{} to {}", name(from), name(to)));
        pairs.collect::<Vec<_>>().join(", or ")
    }
}

fn extend<T: PartialEq>(known: &mut Vec<T>, added: Vec<T>) {
    for item in added {
        if !known.contains(&item) {
            known.push(item);
        }
    }
}

/// Refuses lists in place of objects: serde reads a list as the fields of a struct in their order.
fn check_objects(file: &str, value: &Value) -> Result<()> {
    let parts = ["types", "relations"].into_iter().filter_map(|part| value.get(part));
    let defs = parts.clone().filter_map(Value::as_object).flat_map(|part| part.values());
    if value.is_object() && parts.chain(defs).all(Value::is_object) {
        return Ok(());
    }
    Err(refused(file, "the file, `types`, `relations` and each of their entries must be objects"))
}

fn check_name(file: &str, name: &str) -> Result<()> {
    let plain = name.len() <= MAX_NAME
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'));
    if plain {
        return Ok(());
    }
    let problem = format!(
        "`{}` is not a valid name: use lower-case letters, digits, `_` and `-`",
        text::shorten(name, 80)
    );
    Err(refused(file, &problem))
}

/// The error for an invalid schema file; the parser's message names line and column.
fn refused(file: &str, problem: &str) -> Error {
    Fault::invalid(".kb/schema", format!("cannot be used: {file}: {problem}"))
        .details(json!({ "file": file }))
        .hint("a file there is {\"types\": {name: {\"statuses\": [...]}}, \"relations\": {name: {\"ends\": [[from, to]]}}}")
        .into()
}

fn unknown<'a>(
    field: &str,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Error {
    let near = text::closest(name, known.clone());
    let known: Vec<_> = known.collect::<BTreeSet<_>>().into_iter().collect();
    let name = text::shorten(name, 80);
    let meant = text::did_you_mean(near);
    Fault::invalid(field, format!("is `{name}`, and there is no such {what}{meant}"))
        .details(json!({ "allowed": known }))
        .hint(format!("{}, or add a {what} with a file in .kb/schema/", allowed(&known)))
        .into()
}

/// The most names that a hint lists; the command line does not print an error's details.
const LISTED: usize = 20;

/// The hint for an unknown word: the allowed ones.
pub(super) fn allowed(known: &[&str]) -> String {
    match known.len() {
        0..=LISTED => format!("use one of {}", known.join(", ")),
        _ => "use one of the allowed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_files_are_whole() {
        let schema = Schema::load(FILES.iter().copied()).unwrap();
        assert_eq!(schema, Schema::default(), "the files that init writes add nothing");
        assert_eq!(schema.types.len(), 8);
        assert_eq!(schema.relations.len(), 12);
        assert_eq!(schema.acyclic().collect::<Vec<_>>(), ["depends_on"]);
    }

    #[test]
    fn relations_have_the_ends_of_the_model() {
        let schema = Schema::default();
        for (relation, from, to, expected) in [
            ("depends_on", "req", "req", true),
            ("depends_on", "req", "test", false),
            ("verified_by", "req", "test", true),
            ("verified_by", "test", "req", false),
            ("affects", "adr", "symbol", true),
            ("affects", "adr", "component", true),
            ("affects", "adr", "req", false),
            ("guards", "flag", "event", true),
            ("supersedes", "adr", "adr", true),
            ("supersedes", "req", "req", true),
            ("supersedes", "adr", "req", false),
            ("relates_to", "flag", "scenario", true),
        ] {
            let fits = schema.relation(relation).unwrap().fits(from, to);
            assert_eq!(fits, expected, "{relation}({from}, {to})");
        }
    }

    #[test]
    fn files_add_and_never_remove() {
        let risk =
            r#"{"types": {"risk": {"statuses": ["open"]}, "req": {"statuses": ["parked"]}}}"#;
        let links = r#"{"relations": {"threatens": {"ends": [["risk", "req"]]}, "guards": {"ends": [["flag", "risk"]]}}}"#;
        // The relation comes first and uses the type of the second.
        let schema = Schema::load([("a.json", links), ("b.json", risk)]).unwrap();
        assert!(schema.knows_status("req", "parked") && schema.knows_status("req", "draft"));
        assert!(!schema.knows_status("risk", "draft"));
        assert!(schema.relation("guards").unwrap().fits("flag", "req"));
        assert!(schema.relation("guards").unwrap().fits("flag", "risk"));
        assert!(schema.relation("threatens").unwrap().fits("risk", "req"));
    }

    #[test]
    fn bad_files_are_named_with_line_and_reason() {
        for (text, words) in [
            ("{", "line 1"),
            ("[]", "objects"),
            (r#"{"types": {"x": []}}"#, "objects"),
            (r#"{"relations": []}"#, "objects"),
            ("{\n\"typs\": {}}", "line 2"),
            (r#"{"types": {"Req": {}}}"#, "lower-case"),
            (r#"{"types": {"a b": {}}}"#, "lower-case"),
            (r#"{"types": {"x": {"statuses": [""]}}}"#, "status"),
            (r#"{"types": {"x": {"colour": 1}}}"#, "colour"),
            (r#"{"relations": {"x": {}}}"#, "no `ends`"),
            (r#"{"relations": {"title": {"ends": [["*", "*"]]}}}"#, "a field of entities"),
            (r#"{"relations": {"x": {"ends": [["req", "nope"]]}}}"#, "nope"),
            (r#"{"relations": {"x": {"ends": [["req"]]}}}"#, "line 1"),
        ] {
            let fault = Schema::load([("x.json", text)]).unwrap_err().into_fault("r");
            assert!(fault.message.contains("x.json"), "{text}: {}", fault.message);
            assert!(fault.message.contains(words), "{text}: {}", fault.message);
        }
    }
}
