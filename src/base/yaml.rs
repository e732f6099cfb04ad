//! YAML, and JSON, as a tree that keeps its line numbers.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Error, MessageFormatter, Spanned, UserMessageFormatter};

use super::{text, wire};

/// Limit on the nesting of a document.
const MAX_DEPTH: usize = 32;
/// What aliases may add: a few, for people who do not like to repeat themselves.
const MAX_REPLAYED: usize = 10_000;

/// Values in one file: more than people write, or a build lists, and what can be held in memory.
const MAX_VALUES: usize = 1_000_000;

/// A value and where it begins; under a key, where the key stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// From 1.
    pub line: u32,
    /// What it is.
    pub tree: Tree,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// Text, a number, true or false, or nothing.
    Scalar(Value),
    /// A list.
    List(Vec<Node>),
    /// Keys and values in the order given.
    Map(Vec<(Key, Node)>),
}

/// A key and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// From 1.
    pub line: u32,
    /// As written.
    pub name: String,
}

impl Node {
    /// The kind of the value, for a sentence.
    pub fn kind(&self) -> String {
        match &self.tree {
            Tree::Scalar(Value::Null) => "empty".to_owned(),
            Tree::Scalar(Value::String(_)) => "text".to_owned(),
            Tree::Scalar(value) => value.to_string(),
            Tree::List(_) => "a list".to_owned(),
            Tree::Map(_) => "a mapping".to_owned(),
        }
    }
}

/// Why a text cannot be read, and where.
#[derive(Debug)]
pub struct Unreadable {
    /// From 1.
    pub line: u32,
    /// What is wrong.
    pub reason: String,
}

/// Reads one document.
pub fn parse(text: &str) -> Result<Node, Unreadable> {
    parse_within(text, "YAML", MAX_VALUES)
}

/// Reads one JSON document. What YAML allows and JSON does not is refused, since other tools read such a file too.
pub fn parse_json(text: &str) -> Result<Node, Unreadable> {
    // Reading values finds the same error and can name it, for example a trailing comma.
    let read = serde_json::from_str::<IgnoredAny>(text)
        .map(drop)
        .or_else(|_| serde_json::from_str::<Value>(text).map(drop));
    let Err(error) = read else {
        return parse_within(text, "JSON", MAX_VALUES);
    };
    let line = error.line().max(1);
    let found = text.lines().nth(line - 1).unwrap_or_default();
    let rest = found.get(error.column().saturating_sub(1)..).unwrap_or_default();
    let advice = match rest.trim_start().starts_with(['/', '#']) {
        true => "; JSON has no comments",
        false => "",
    };
    let reason = format!("not readable as JSON: {}{advice}", wire::without_place(&error));
    Err(Unreadable { line: u32::try_from(line).unwrap_or(u32::MAX), reason })
}

fn parse_within(text: &str, format: &str, values: usize) -> Result<Node, Unreadable> {
    let options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::Error,
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            // The size of the text is the bound: these follow from it, with room for aliases.
            max_events: 4 * text.len() + 2 * MAX_REPLAYED,
            max_nodes: values.min(2 * text.len() + MAX_REPLAYED),
            max_total_scalar_bytes: 2 * text.len() + 64 * MAX_REPLAYED,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_REPLAYED,
        },
    };
    let read: Result<Spanned<Tree>, _> = serde_saphyr::from_str_with_options(text, options);
    read.map(Node::from).map_err(|error| refused(&error, format, text))
}

/// The parser's error, with advice where a frequent mistake can be recognised.
fn refused(error: &Error, format: &str, text: &str) -> Unreadable {
    let line = error.location().map_or(1, |place| u32::try_from(place.line()).unwrap_or(1)).max(1);
    let written = |line: u32| text.lines().nth(line as usize - 1).unwrap_or_default();
    let tabbed = |line: u32| written(line).trim_start_matches(' ').starts_with('\t');
    let (line, advice) = match line {
        line if tabbed(line) => (line, "; indent with spaces, not with tabs"),
        // The parser is still at the value before the tab.
        line if tabbed(line + 1) => (line + 1, "; indent with spaces, not with tabs"),
        line if written(line).matches(": ").count() > 1 => {
            (line, "; put text with a colon in quotes")
        }
        line => (line, ""),
    };
    let said = match cause(error) {
        // Only keys must be text.
        Error::NullIntoString { .. }
        | Error::TaggedScalarCannotDeserializeIntoString { .. }
        | Error::Unexpected { .. } => "a key is not text".to_owned(),
        cause => explain(cause),
    };
    Unreadable { line, reason: format!("not readable as {format}: {said}{advice}") }
}

/// What a YAML error says, without its location and without advice for programmers.
pub fn explain(error: &Error) -> String {
    match cause(error) {
        Error::Budget { .. }
        | Error::AliasReplayCounterOverflow { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => {
            "it is nested too deep, has more than a million values, or its aliases unfold into too much"
                .to_owned()
        }
        Error::MultipleDocuments { .. } => "it holds more than one document".to_owned(),
        Error::NonFiniteFloat { .. } => "an infinite number cannot be stored".to_owned(),
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key `{}` is given twice", text::shorten(key, 80))
        }
        cause => UserMessageFormatter.format_message(cause).into_owned(),
    }
}

/// The error inside those that only add where it was found.
fn cause(mut error: &Error) -> &Error {
    while let Error::AliasError { error: inner, .. } | Error::WithSnippet { error: inner, .. } =
        error
    {
        error = inner;
    }
    error
}

impl From<Spanned<Tree>> for Node {
    fn from(spanned: Spanned<Tree>) -> Self {
        Node { line: line(&spanned), tree: spanned.value }
    }
}

fn line<T>(spanned: &Spanned<T>) -> u32 {
    u32::try_from(spanned.referenced.line()).unwrap_or(u32::MAX).max(1)
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(Any)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Spanned<Tree>>()? {
            list.push(item.into());
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        // A value gets the line of its key, since asking the parser for locations takes a third of the time.
        while let Some((key, tree)) = map.next_entry::<Spanned<String>, Tree>()? {
            let line = line(&key);
            entries.push((Key { line, name: key.value }, Node { line, tree }));
        }
        Ok(Tree::Map(entries))
    }
}

#[cfg(test)]
mod tests;
