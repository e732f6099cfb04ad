//! Manifests, in both formats.

use serde_json::json;

use super::*;

fn words() -> Vocabulary<'static> {
    Vocabulary {
        types: vec!["req", "symbol", "component"],
        relations: vec!["implements", "covered_by", "constrained_by", "relates_to"],
        ..Vocabulary::default()
    }
}

fn read(path: &str, text: &str) -> Result<Facts, Problem> {
    extract(&Input { path, kind: Some(SYMBOL), text, cut: false }, &words())
}

const YAML: &str = "\
symbols:
  - id: src/auth.rs::login
    kind: function
    file: src/auth.rs
    implements: [R-1, R-2]
    covered_by: T-1
  - id: auth
    type: component
    title: Authentication
    status: deprecated
    links: [https://example.com]
";

const JSON: &str = r#"{"symbols": [
	{"id": "src/auth.rs::login", "kind": "function", "file": "src/auth.rs",
	 "implements": ["R-1", "R-2"], "covered_by": "T-1"},
	{"id": "auth", "type": "component", "title": "Authentication", "status": "deprecated",
	 "links": ["https://example.com"]}
]}"#;

#[test]
fn symbols_and_their_relations() {
    for (path, text, lines) in
        [("symbols.yaml", YAML, [2, 5, 5, 6, 7]), ("symbols.json", JSON, [2, 3, 3, 3, 4])]
    {
        let facts = read(path, text).unwrap();
        assert_eq!(facts.problems, [], "{path}");
        let [login, auth] = &facts.entities[..] else { panic!("{facts:?}") };
        let entity = &login.entity;
        assert_eq!((entity.id.as_str(), entity.r#type.as_str()), ("src/auth.rs::login", "symbol"));
        assert_eq!(
            entity.title.as_deref(),
            Some("src/auth.rs::login"),
            "the id, where none is given"
        );
        assert_eq!(entity.status.as_deref(), Some("active"));
        assert_eq!(json!(entity.properties), json!({ "kind": "function", "file": "src/auth.rs" }));
        assert_eq!(entity.text_ref, None);
        let entity = &auth.entity;
        assert_eq!(
            (entity.r#type.as_str(), entity.status.as_deref()),
            ("component", Some("deprecated"))
        );
        assert_eq!(entity.links, ["https://example.com"]);
        let links: Vec<_> = facts.links.iter().map(|link| (&*link.relation, &*link.to)).collect();
        assert_eq!(links, [("implements", "R-1"), ("implements", "R-2"), ("covered_by", "T-1")]);
        assert!(facts.links.iter().all(|link| link.from == "src/auth.rs::login"));
        let found: Vec<_> = [login.line]
            .into_iter()
            .chain(facts.links.iter().map(|link| link.line))
            .chain([auth.line])
            .collect();
        assert_eq!(found, lines, "{path}");
    }
}

#[test]
fn nothing_said_is_nothing_wrong() {
    for (path, text) in [
        ("symbols.yaml", ""),
        ("symbols.yaml", "# later\n"),
        ("symbols.yaml", "symbols:\n"),
        ("symbols.yaml", "symbols: []\n"),
        ("symbols.json", ""),
        ("symbols.json", "{}"),
    ] {
        assert_eq!(read(path, text).unwrap(), Facts::default(), "{text:?}");
    }
}

#[test]
fn one_bad_symbol_leaves_the_others() {
    for (symbol, line, reason) in [
        ("- title: x", 3, "a symbol has no `id`"),
        ("- just text", 3, "a symbol is text, but must be a mapping"),
        ("- id: 7", 3, "a symbol `id` is 7, not text"),
        ("- id: a b", 3, "a symbol `id` is \"a b\""),
        (
            "- id: b\n    type: symbl",
            4,
            "a symbol `type` is the unknown `symbl`, did you mean `symbol`?",
        ),
        ("- id: a\n    implements: [R-9]", 3, "a symbol has the id `a`, which line 2 declares"),
        (
            "- id: b\n    implement: [R-9]",
            4,
            "`implement` is no known relation, did you mean `implements`?",
        ),
        ("- id: b\n    implements: [R 9]", 4, "the target of `implements` is \"R 9\""),
        ("- id: b\n    implements: {R-9: true}", 4, "a link's `R-9` is not part of a link"),
    ] {
        let text = format!("symbols:\n  - id: a\n  {symbol}\n  - id: z\n    implements: R-1\n");
        let facts = read("symbols.yaml", &text).unwrap();
        let [problem] = &facts.problems[..] else { panic!("{symbol}: {facts:?}") };
        assert!(problem.reason.contains(reason), "{symbol}: {problem:?}");
        assert_eq!(problem.line, Some(line), "{symbol}: {problem:?}");
        let ids: Vec<_> = facts.entities.iter().map(|fact| &*fact.entity.id).collect();
        assert!(ids.starts_with(&["a"]) && ids.ends_with(&["z"]), "{symbol}: {ids:?}");
        assert_eq!(facts.links.len(), 1, "{symbol}");
    }
    let facts = read("symbols.yaml", "symbol:\n  - id: a\n").unwrap();
    assert_eq!(facts.problems[0].reason, "unknown key `symbol`, did you mean `symbols`?");
}

#[test]
fn a_manifest_that_cannot_be_used_says_where_and_why() {
    for (path, text, line, reason) in [
        (
            "symbols.yaml",
            "- id: a\n- id: b\n",
            1,
            "is a list, but must be a mapping with `symbols`",
        ),
        ("symbols.json", "[{\"id\": \"a\"}]", 1, "is a list, but must be a mapping with `symbols`"),
        ("symbols.yaml", "text\n", 1, "is text, but must be a mapping"),
        ("symbols.yaml", "symbols: a\n", 1, "`symbols` is text, but must be a list"),
        ("symbols.yaml", "symbols:\n  a: b\n", 1, "`symbols` is a mapping, but must be a list"),
        ("symbols.yaml", "symbols:\n  - id: a\n    id: b\n", 3, "is given twice"),
        ("symbols.yaml", "symbols:\n\t- id: a\n", 2, "indent with spaces"),
        ("symbols.json", "{\"symbols\": [],\n}", 2, "not readable as JSON: trailing comma"),
        ("symbols.json", "{\n// why\n}", 2, "not readable as JSON"),
        ("symbols.json", "symbols: []", 1, "not readable as JSON"),
        ("symbols.json", "{\"symbols\": [],\n\"symbols\": []}", 2, "is given twice"),
        ("symbols.yaml", "symbols: []\n---\nsymbols: []\n", 3, "more than one document"),
    ] {
        let problem = read(path, text).unwrap_err();
        assert!(problem.reason.contains(reason), "{text:?}: {problem:?}");
        assert_eq!(problem.line, Some(line), "{text:?}: {problem:?}");
    }
}

#[test]
fn a_large_manifest_is_read_whole() {
    let symbol = |n: u32| format!("  - {{id: s-{n}, implements: [R-{n}], file: src/f{n}.rs}}\n");
    let text: String =
        std::iter::once("symbols:\n".to_owned()).chain((0..3_000).map(symbol)).collect();
    let facts = read("symbols.yaml", &text).unwrap();
    assert_eq!((facts.entities.len(), facts.links.len()), (3_000, 3_000));
    assert_eq!(facts.entities[2_999].line, 3_001);
}
