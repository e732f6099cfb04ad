//! YAML (and JSON, which is YAML) as a tree that remembers its lines.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Spanned};

use super::{super::facts::Problem, problem};

/// Levels that documents of ours have a use for, and some more.
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
    /// What it is, for a sentence.
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

/// Reads one document; its lines are counted from `first`.
pub fn parse(text: &str, first: u32) -> Result<Node, Problem> {
    parse_within(text, first, MAX_VALUES)
}

fn parse_within(text: &str, first: u32, values: usize) -> Result<Node, Problem> {
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
    match read {
        Ok(node) => Ok(shifted(Node::from(node), first - 1)),
        Err(error) => Err(refused(&error, text, first)),
    }
}

/// What the parser said, with our line and with what to do where it is known.
fn refused(error: &serde_saphyr::Error, text: &str, first: u32) -> Problem {
    let line = error.location().map_or(1, |place| u32::try_from(place.line()).unwrap_or(1));
    let line = line.max(1);
    let said = error.without_snippet().to_string();
    let said = said.split_once(" at line ").map_or(&*said, |(said, _)| said);
    // Where a limit is hit it names its counters, and else its functions.
    let said = match said {
        _ if said.contains("budget") || said.contains("limit") => {
            "it is nested too deep, has more than a million values, or its aliases unfold into too much"
        }
        _ if said.contains("multiple YAML documents") => "it holds more than one document",
        _ if said.contains("non-finite float") => "a number without an end cannot be kept",
        // Only keys are asked for as text.
        _ if said.contains("into string") || said.contains("expected string") => {
            "a key is not text"
        }
        // It advises those who call it from code.
        _ => said.split(", set ").next().unwrap_or(said),
    };
    let written = |line: u32| text.lines().nth(line as usize - 1).unwrap_or_default();
    let tabbed = |line: u32| written(line).trim_start_matches(' ').starts_with('\t');
    let (line, advice) = match line {
        line if tabbed(line) => (line, "; indent with spaces, not with tabs"),
        // The parser still is at the value before the tab.
        line if tabbed(line + 1) => (line + 1, "; indent with spaces, not with tabs"),
        line if written(line).matches(": ").count() > 1 => {
            (line, "; put text with a colon in quotes")
        }
        line => (line, ""),
    };
    problem(line + first - 1, format!("not readable as YAML: {said}{advice}"))
}

impl From<Spanned<Tree>> for Node {
    fn from(spanned: Spanned<Tree>) -> Self {
        Node { line: line(&spanned), tree: spanned.value }
    }
}

fn line<T>(spanned: &Spanned<T>) -> u32 {
    u32::try_from(spanned.referenced.line()).unwrap_or(u32::MAX).max(1)
}

/// Moves all lines down by `by`; the depth of a tree is bounded by its parser.
fn shifted(node: Node, by: u32) -> Node {
    let tree = match node.tree {
        Tree::List(items) => Tree::List(items.into_iter().map(|item| shifted(item, by)).collect()),
        Tree::Map(entries) => {
            let moved = |(key, value): (Key, Node)| {
                (Key { line: key.line.saturating_add(by), ..key }, shifted(value, by))
            };
            Tree::Map(entries.into_iter().map(moved).collect())
        }
        scalar => scalar,
    };
    Node { line: node.line.saturating_add(by), tree }
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
        // The line of the key will do for its value: asking for places is a third of the work.
        while let Some((key, tree)) = map.next_entry::<Spanned<String>, Tree>()? {
            let line = line(&key);
            entries.push((Key { line, name: key.value }, Node { line, tree }));
        }
        Ok(Tree::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(line: u32, value: impl Into<Value>) -> Node {
        Node { line, tree: Tree::Scalar(value.into()) }
    }

    fn key(line: u32, name: &str) -> Key {
        Key { line, name: name.to_owned() }
    }

    #[test]
    fn every_value_knows_its_line() {
        let node = parse("a: 1\nb:\n  - x\n  - {c: true}\nd: ~\n", 10).unwrap();
        let inner = Node { line: 13, tree: Tree::Map(vec![(key(13, "c"), scalar(13, true))]) };
        let list = Node { line: 11, tree: Tree::List(vec![scalar(12, "x"), inner]) };
        let Tree::Map(entries) = node.tree else { panic!() };
        assert_eq!(
            entries,
            [
                (key(10, "a"), scalar(10, 1)),
                (key(11, "b"), list),
                (key(14, "d"), scalar(14, Value::Null)),
            ]
        );
    }

    #[test]
    fn scalars_are_what_people_expect() {
        for (text, expected) in [
            ("on", Value::from("on")),
            ("yes", "yes".into()),
            ("true", true.into()),
            ("2026-01-02", "2026-01-02".into()),
            ("1.5", 1.5.into()),
            ("-3", (-3).into()),
            ("\"1\"", "1".into()),
            ("null", Value::Null),
            ("", Value::Null),
            ("1.2.3", "1.2.3".into()),
        ] {
            assert_eq!(parse(text, 1).unwrap().tree, Tree::Scalar(expected), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_has_its_line_and_reason() {
        let deep = "[".repeat(200);
        let levels = "[".repeat(40) + &"]".repeat(40);
        let bomb = (1..10).fold("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, level| {
            let one = format!("*a{}", level - 1);
            text + &format!("a{level}: &a{level} [{}]\n", vec![one; 10].join(","))
        });
        for (text, line, reason) in [
            ("a: 1\n\tb: 2\n", 3, "indent with spaces, not with tabs"),
            ("a:\n\tb: 2\n", 3, "indent with spaces, not with tabs"),
            ("a: 1\nb: 2\na: 3\n", 4, "duplicate"),
            ("title: Fix: the thing\n", 2, "put text with a colon in quotes"),
            ("a: [1\nb: 2\n", 3, "not readable as YAML"),
            ("a: *none\n", 2, "not readable as YAML"),
            ("a: 1\nb: .nan\n", 3, "a number without an end cannot be kept"),
            ("a: 1\n~: 2\n", 3, "a key is not text"),
            ("a: 1\n? [b]\n: 2\n", 3, "a key is not text"),
            (&deep, 2, "unclosed bracket"),
            (&levels, 2, "nested too deep"),
            (&bomb, 5, "aliases unfold into too much"),
        ] {
            let problem = parse(text, 2).unwrap_err();
            assert!(!problem.reason.contains("Option"), "{problem:?}");
            let shown = &text[..text.len().min(40)];
            assert!(problem.reason.contains(reason), "{shown}: {problem:?}");
            assert_eq!(problem.line, Some(line), "{shown}: {problem:?}");
        }
    }

    #[test]
    fn more_values_than_are_held_are_refused_where_they_begin() {
        // The list is a value too.
        assert!(parse_within(&"- x\n".repeat(19), 1, 20).is_ok());
        let problem = parse_within(&"- x\n".repeat(200), 1, 20).unwrap_err();
        assert!(problem.reason.contains("more than a million values"), "{problem:?}");
        assert_eq!(problem.line, Some(20));
    }

    #[test]
    fn json_is_yaml_with_tabs_and_escapes_too() {
        let text = "{\n\t\"a\": \"\\u00fc \\ud83d\\ude00 \\/\",\n\t\"b\": [\n\t\t1\n\t]\n}\n";
        let node = parse(text, 1).unwrap();
        let Tree::Map(entries) = node.tree else { panic!() };
        assert_eq!(entries[0], (key(2, "a"), scalar(2, "ü 😀 /")));
        assert_eq!(entries[1].0, key(3, "b"));
    }
}
