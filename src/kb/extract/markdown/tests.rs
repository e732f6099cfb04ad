//! Documents as people write them, well and badly.

use serde_json::{Value, json};

use super::{super::super::facts::Link, *};

const WORDS: &[&str] = &["specified_by", "verified_by", "depends_on", "relates_to", "guards"];

fn words() -> Vocabulary<'static> {
    Vocabulary {
        types: vec!["req", "scenario", "test", "adr", "flag", "event", "symbol"],
        relations: WORDS.to_vec(),
        ..Vocabulary::default()
    }
}

fn read(text: &str) -> Result<Facts, Problem> {
    let input = Input { path: "docs/requirements/a.md", kind: Some("req"), text, cut: false };
    extract(&input, &words())
}

/// The facts of a document that must be sound.
fn sound(text: &str) -> Facts {
    let facts = read(text).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
    assert_eq!(facts.problems, [], "{text}");
    facts
}

/// `relation>target`, with the kind, the confidence and the line.
fn shown(link: &Link) -> String {
    assert_eq!(link.from, "R-1");
    let kind = link.kind.as_ref().map_or(String::new(), |kind| format!(" {kind}"));
    let sure = link.confidence.map_or(String::new(), |sure| format!(" {sure}"));
    format!("{}>{}{kind}{sure}:{}", link.relation, link.to, link.line)
}

#[test]
fn all_fields_are_read_and_the_rest_are_properties() {
    let facts = sound(
        "---\n# about\nid: R-1\ntype: adr\ntitle: \"Log in: by mail\"\nstatus: accepted\ntags: [auth, 2]\n\
         owner: kim\npriority: must\nseverity: 1\nlinks:\n  - https://example.com/a?b=c#d\n\
         date: 2026-01-02\nweight: 1.5\nareas: [a, b]\nproperties:\n  team: core\n  old: true\n  none:\n---\n# Other\n",
    );
    let [fact] = &facts.entities[..] else { panic!("{facts:?}") };
    let entity = &fact.entity;
    assert_eq!(fact.line, 3);
    assert_eq!((entity.id.as_str(), entity.r#type.as_str()), ("R-1", "adr"));
    assert_eq!(entity.title.as_deref(), Some("Log in: by mail"));
    assert_eq!(entity.status.as_deref(), Some("accepted"));
    assert_eq!(entity.tags, ["auth", "2"]);
    assert_eq!(entity.owner.as_deref(), Some("kim"));
    assert_eq!(entity.priority.as_deref(), Some("must"));
    assert_eq!(entity.severity.as_deref(), Some("1"));
    assert_eq!(entity.links, ["https://example.com/a?b=c#d"]);
    assert_eq!(entity.text_ref.as_deref(), Some("docs/requirements/a.md"));
    let properties = json!({ "date": "2026-01-02", "weight": 1.5, "areas": ["a", "b"], "team": "core", "old": true });
    assert_eq!(Value::Object(entity.properties.clone()), properties);
    assert_eq!(facts.links, []);
}

#[test]
fn the_directory_gives_the_type_and_the_first_heading_the_title() {
    let facts =
        sound("\u{feff}---\r\nid: R-1\r\ntags: a, b\r\n---\r\n\r\n## The title ##\r\n# Next\r\n");
    let entity = &facts.entities[0].entity;
    assert_eq!((entity.r#type.as_str(), entity.title.as_deref()), ("req", Some("The title")));
    assert_eq!(entity.tags, ["a", "b"]);
    assert_eq!(entity.status, None, "required-fields tells");
    let facts = sound("---\nid: R-1\ntitle: ''\ntext_ref: docs/x.pdf\n...\n# From the text\n");
    assert_eq!(facts.entities[0].entity.title.as_deref(), Some("From the text"));
    assert_eq!(facts.entities[0].entity.text_ref.as_deref(), Some("docs/x.pdf"));
    assert_eq!(sound("---\nid: R-1\n---").entities[0].entity.title, None);
}

#[test]
fn headings() {
    for (body, expected) in [
        ("# One\n", Some("One")),
        ("text\n\n### Deep\n", Some("Deep")),
        ("#hash tag\n# Real\n", Some("Real")),
        ("```sh\n# comment\n```\n# Real\n", Some("Real")),
        ("~~~\n# comment\n```\n~~~\n# Real\n", Some("Real")),
        ("<!-- \n# hidden\n-->\n# Real\n", Some("Real")),
        ("<!-- one line -->\n# Real\n", Some("Real")),
        ("    # code\n# Real\n", Some("Real")),
        ("# C#\n", Some("C#")),
        ("# Title #\n", Some("Title")),
        ("#\n# Real\n", Some("Real")),
        ("Under\n=====\n", Some("Under")),
        ("Under\n---\n", Some("Under")),
        ("- item\n---\n# Real\n", Some("Real")),
        ("\n---\n# Real\n", Some("Real")),
        ("####### seven\n", None),
        ("only text\n", None),
        ("```\n# never closed\n", None),
        ("", None),
    ] {
        assert_eq!(heading(body).as_deref(), expected, "{body:?}");
    }
}

#[test]
fn links_in_every_form() {
    for (links, expected) in [
        ("links: R-2", "relates_to>R-2:3"),
        ("links: [R-2, R-3, R-2]", "relates_to>R-2:3 relates_to>R-3:3"),
        ("links:\n  - R-2\n  - R-3", "relates_to>R-2:4 relates_to>R-3:5"),
        ("links:\n  - {type: verified_by, target: T-1}", "verified_by>T-1:4"),
        ("links:\n  - type: verified_by\n    target: T-1", "verified_by>T-1:5"),
        (
            "links:\n  - relation: verified_by\n    target: [T-1, T-2]",
            "verified_by>T-1:5 verified_by>T-2:5",
        ),
        ("links:\n  - target: R-9\n    kind: mentions", "relates_to>R-9 mentions:4"),
        ("links:\n  - {type: depends_on, target: R-9, confidence: 0.5}", "depends_on>R-9 0.5:4"),
        ("links:\n  - {type: depends_on, target: R-9, confidence: 1}", "depends_on>R-9 1:4"),
        ("links: {type: depends_on, target: R-9}", "depends_on>R-9:3"),
        ("links:\n  - verified_by: T-1", "verified_by>T-1:4"),
        (
            "links:\n  - verified_by: [T-1, T-2]\n    specified_by: S-1",
            "verified_by>T-1:4 verified_by>T-2:4 specified_by>S-1:5",
        ),
        (
            "links:\n  verified_by: T-1\n  specified_by:\n    - S-1\n    - S-2",
            "verified_by>T-1:4 specified_by>S-1:6 specified_by>S-2:7",
        ),
        ("links:\n  relates_to:\n    - {target: R-9, kind: refines}", "relates_to>R-9 refines:5"),
        ("links:\n  - src/a.rs::parse", "relates_to>src/a.rs::parse:4"),
        ("links: [7]", "relates_to>7:3"),
        ("links:\n  verified_by:\n", ""),
        ("links: []", ""),
        ("links: ~", ""),
        // Relations may stand beside the fields, as they do in a manifest.
        ("verified_by: [T-1]", "verified_by>T-1:3"),
    ] {
        let facts = sound(&format!("---\nid: R-1\n{links}\n---\n"));
        let found: Vec<_> = facts.links.iter().map(shown).collect();
        assert_eq!(found.join(" "), expected, "{links}");
        assert_eq!(facts.entities[0].entity.links, [""; 0], "{links}");
    }
    let facts = sound(
        "---\nid: R-1\nlinks: ['https://a.b/c', R-2, 'mailto:a@b.c', 'https://a.b/c']\n---\n",
    );
    assert_eq!(facts.entities[0].entity.links, ["https://a.b/c", "mailto:a@b.c"]);
    assert_eq!(facts.links.len(), 1);
}

#[test]
fn a_part_that_cannot_be_used_is_left_out_and_the_rest_counts() {
    for (part, line, reason) in [
        (
            "links:\n  - {type: verifies, target: T-1}",
            5,
            "`verifies` is no known relation, did you mean `verified_by`?",
        ),
        ("links:\n  zzz: T-1", 5, "`zzz` is no known relation; known: specified_by"),
        ("links:\n  - type: verified_by", 5, "a link has no `target`"),
        (
            "links:\n  - {target: T-1, confidence: 1.5}",
            5,
            "a link's `confidence` is 1.5; allowed is 0 to 1",
        ),
        (
            "links:\n  - {target: T-1, confidence: high}",
            5,
            "a link's `confidence` is text; allowed is 0 to 1",
        ),
        ("links:\n  - {target: T-1, sort: x}", 5, "a link's `sort` is not part of a link"),
        ("links:\n  - {target: T-1, type: }", 5, "a link's `type` is empty"),
        ("links:\n  verified_by:\n    - {kind: x}", 6, "a link has no `target`"),
        ("links:\n  - [R-2]", 5, "`links` has a list in a list"),
        ("links:\n  - verified_by: https://a.b/c", 5, "is the URL https://a.b/c: list it bare"),
        ("links:\n  - has blank", 5, "the target of `relates_to` is \"has blank\""),
        ("links:\n  - \"two\\nlines\"", 5, "allowed are letters, digits"),
        ("links:\n  - true", 5, "the target of `relates_to` is true, not text"),
        ("title: [a]", 4, "`title` is a list, but must be text"),
        ("status: true", 4, "`status` is true, not text: put it in quotes"),
        ("priority: 1.10", 4, "`priority` is 1.1, not text: put it in quotes"),
        ("tags: {a: b}", 4, "`tags` is a mapping, but must be text"),
        ("tags: [[a]]", 4, "`tags` has an item that is a list"),
        ("deep: {a: b}", 4, "`deep` is a mapping: properties are flat"),
        ("deep: [[a]]", 4, "`deep` has a list inside: properties are flat"),
        ("properties: [a]", 4, "`properties` is a list, but must be a mapping"),
        ("properties: {id: a}", 4, "`properties` has `id`, which is not a name"),
        ("verifed_by: [T-1]", 4, "`verifed_by` is no known relation, did you mean `verified_by`?"),
        ("verifed_by: T-1", 4, "`verifed_by` is no known relation, did you mean `verified_by`?"),
        ("Verified_by: T-1", 4, "`Verified_by` is no known relation, did you mean `verified_by`?"),
    ] {
        let facts = read(&format!("---\nid: R-1\nowner: kim\n{part}\n---\n")).unwrap();
        let [problem] = &facts.problems[..] else { panic!("{part}: {facts:?}") };
        assert!(problem.reason.contains(reason), "{part}: {problem:?}");
        assert_eq!(problem.line, Some(line), "{part}: {problem:?}");
        assert_eq!(facts.entities[0].entity.owner.as_deref(), Some("kim"), "{part}");
        assert_eq!(facts.links, [], "{part}");
    }
}

#[test]
fn a_property_whose_name_is_like_a_relations_is_one_unless_an_id_stands_there() {
    for part in ["verified: kim", "verifed_by: two words", "verifed_by: 1", "verifed_by: true"] {
        let facts = sound(&format!("---\nid: R-1\n{part}\n---\n"));
        assert_eq!(facts.entities[0].entity.properties.len(), 1, "{part}");
    }
    // The text can be written in a way that is not ambiguous.
    let facts = sound("---\nid: R-1\nproperties: {verifed_by: T-1}\n---\n");
    assert_eq!(facts.entities[0].entity.properties["verifed_by"], "T-1");
}

#[test]
fn a_document_that_cannot_be_used_at_all_says_where_and_why() {
    let long = format!("id: {}", "x".repeat(201));
    for (front, line, reason) in [
        ("title: x", 1, "has no `id`"),
        ("ID: x", 1, "has no `id`, but `ID`"),
        ("", 1, "has no `id`"),
        ("id: 42", 2, "`id` is 42, not text: put it in quotes"),
        ("id:", 2, "`id` is empty, but must be text"),
        ("id: [a]", 2, "`id` is a list, but must be text"),
        ("a: 1\nid: has blank", 3, "`id` is \"has blank\", which contains ' '"),
        ("id: \"a\\nb\"", 2, "which contains '\\n'"),
        (&long, 2, "`id` has 201 characters; at most 200 are allowed"),
        ("id: R-1\ntype: reqs", 3, "`type` is the unknown `reqs`, did you mean `req`?"),
        ("id: R-1\ntype: [req]", 3, "`type` is a list, but must be text"),
        ("- id: R-1", 2, "the front matter is a list, but must be a mapping"),
        ("just text", 2, "the front matter is text, but must be a mapping"),
        ("id: R-1\n\ttitle: x", 3, "indent with spaces, not with tabs"),
        ("id: R-1\nstatus: a\nstatus: b", 4, "is given twice"),
        ("id: R-1\ntitle: Fix: it", 3, "put text with a colon in quotes"),
    ] {
        let problem = read(&format!("---\n{front}\n---\n# x\n")).unwrap_err();
        assert!(problem.reason.contains(reason), "{front}: {problem:?}");
        assert_eq!(problem.line, Some(line), "{front}: {problem:?}");
    }
    let problem = read("---\nid: R-1\n# no end\n").unwrap_err();
    assert_eq!(problem.reason, "the front matter begins here and has no closing `---`");
    let cut = Input { path: "a.md", kind: Some("req"), text: "---\nid: R-1\n", cut: true };
    let problem = extract(&cut, &words()).unwrap_err();
    assert_eq!(problem.reason, "the front matter does not end within 12 bytes");
    let untyped = Input { kind: None, text: "---\nid: R-1\n---\n", ..cut };
    let problem = extract(&untyped, &words()).unwrap_err();
    assert!(
        problem.reason.starts_with("has no `type`, and its directory tells none"),
        "{problem:?}"
    );
}

#[test]
fn a_document_without_front_matter_declares_nothing() {
    for text in ["", "# Readme\n", "\n---\nid: R-1\n---\n", "----\nid: R-1\n----\n", " ---\n"] {
        assert_eq!(sound(text), Facts::default(), "{text:?}");
    }
}

#[test]
fn names_and_places() {
    for (name, expected) in
        [("a.md", true), ("a.MD", true), ("a.markdown", true), ("a.mdx", false), ("md", false)]
    {
        assert_eq!(wants(name), expected, "{name}");
    }
    let mut config = KbConfig::default();
    config.paths.insert("test".to_owned(), "docs/requirements".to_owned());
    let places = places(&config);
    let shared = places.iter().find(|place| place.path == "docs/requirements").unwrap();
    assert_eq!(shared.kind, None, "two types in one directory: neither is meant");
    assert_eq!(places.len(), 5);
}

#[test]
fn what_is_linked_twice_is_one_link_however_many_there_are() {
    let ids: Vec<String> = (0..20_000).map(|n| format!("X{}", n % 10_000)).collect();
    let facts = sound(&format!(
        "---\nid: R-1\nlinks: [{0}]\nrelates_to: [{0}]\n---\n# Many\n",
        ids.join(", ")
    ));
    assert_eq!(facts.links.len(), 10_000);
    assert!(facts.links.iter().zip(&ids).all(|(link, id)| link.to == *id), "in their order");
}
