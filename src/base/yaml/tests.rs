//! Trees, their lines, and texts that cannot be read.

use super::*;

fn scalar(line: u32, value: impl Into<Value>) -> Node {
    Node { line, tree: Tree::Scalar(value.into()) }
}

fn key(line: u32, name: &str) -> Key {
    Key { line, name: name.to_owned() }
}

#[test]
fn every_value_knows_its_line() {
    let node = parse("a: 1\nb:\n  - x\n  - {c: true}\nd: ~\n").unwrap();
    let inner = Node { line: 4, tree: Tree::Map(vec![(key(4, "c"), scalar(4, true))]) };
    let list = Node { line: 2, tree: Tree::List(vec![scalar(3, "x"), inner]) };
    let Tree::Map(entries) = node.tree else { panic!() };
    assert_eq!(
        entries,
        [(key(1, "a"), scalar(1, 1)), (key(2, "b"), list), (key(5, "d"), scalar(5, Value::Null)),]
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
        assert_eq!(parse(text).unwrap().tree, Tree::Scalar(expected), "{text}");
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
        ("a: 1\n\tb: 2\n", 2, "indent with spaces, not with tabs"),
        ("a:\n\tb: 2\n", 2, "indent with spaces, not with tabs"),
        ("a: 1\nb: 2\na: 3\n", 3, "the key `a` is given twice"),
        ("title: Fix: the thing\n", 1, "put text with a colon in quotes"),
        ("a: [1\nb: 2\n", 2, "not readable as YAML"),
        ("a: *none\n", 1, "not readable as YAML"),
        ("a: 1\nb: .nan\n", 2, "an infinite number cannot be stored"),
        ("a: 1\n~: 2\n", 2, "a key is not text"),
        ("a: 1\n? [b]\n: 2\n", 2, "a key is not text"),
        (&deep, 1, "unclosed bracket"),
        (&levels, 1, "nested too deep"),
        (&bomb, 4, "aliases unfold into too much"),
    ] {
        let problem = parse(text).unwrap_err();
        assert!(!problem.reason.contains("Option"), "{problem:?}");
        let shown = &text[..text.len().min(40)];
        assert!(problem.reason.contains(reason), "{shown}: {problem:?}");
        assert_eq!(problem.line, line, "{shown}: {problem:?}");
    }
}

#[test]
fn more_values_than_are_held_are_refused_where_they_begin() {
    // The list is a value too.
    assert!(parse_within(&"- x\n".repeat(19), "YAML", 20).is_ok());
    let problem = parse_within(&"- x\n".repeat(200), "YAML", 20).unwrap_err();
    assert!(problem.reason.contains("more than a million values"), "{problem:?}");
    assert_eq!(problem.line, 20);
}

#[test]
fn json_may_have_tabs_and_escapes() {
    let text = "{\n\t\"a\": \"\\u00fc \\ud83d\\ude00 \\/\",\n\t\"b\": [\n\t\t1\n\t]\n}\n";
    let node = parse_json(text).unwrap();
    let Tree::Map(entries) = node.tree else { panic!() };
    assert_eq!(entries[0], (key(2, "a"), scalar(2, "ü 😀 /")));
    assert_eq!(entries[1].0, key(3, "b"));
}

#[test]
fn yaml_that_is_not_json_is_refused_as_json() {
    for (text, line, reason) in [
        ("", 1, "not readable as JSON: EOF while parsing a value"),
        ("a: 1", 1, "not readable as JSON: expected value"),
        ("{\"a\": 1,\n}", 2, "trailing comma"),
        ("{\n// why\n}", 2, "; JSON has no comments"),
        ("{} # why", 1, "trailing characters; JSON has no comments"),
        ("{\"a\": 1,\n\"a\": 2}", 2, "the key `a` is given twice"),
    ] {
        let problem = parse_json(text).unwrap_err();
        assert!(problem.reason.contains(reason), "{text}: {problem:?}");
        assert!(!problem.reason.contains(" at line "), "{text}: {problem:?}");
        assert_eq!(problem.line, line, "{text}: {problem:?}");
    }
}
