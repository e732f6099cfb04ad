//! Directories that cannot be imported: each error names the reason, and nothing is stored.

use std::fs;

use serde_json::{Value, json};

use super::directory::{export, foreign, import, rich};
use crate::support::binary::{directory, run};

#[test]
fn an_interrupted_export_is_not_read_as_an_empty_memory() {
    let (m, home) = rich();
    let before = m.app.dump();
    let source = tempfile::tempdir().unwrap();
    foreign(source.path(), &[("a", json!({}), "_content/nodes/a.md", b"x")]);
    fs::remove_file(source.path().join("_system/registry.json")).unwrap();
    let err = import(&home, source.path()).failed(1);
    assert!(err.contains("interrupted") && err.contains("registry.json"), "{err}");
    assert!(m.app.dump() == before, "something was imported");
    fs::remove_dir_all(source.path().join("_content")).unwrap();
    // An ontology alone is a memory without nodes.
    import(&home, source.path()).ok();
}

#[test]
fn a_failed_import_changes_nothing() {
    let (m, home) = rich();
    let before = m.app.dump();
    let good: (&str, Value, &str, &[u8]) = ("good", json!({}), "_content/nodes/good.md", b"fine");
    let path = |path: &str| json!({ "content": { "path": path, "format": "markdown" } });
    let utf8 = json!({ "content": { "path": "_content/nodes/bad.md", "format": "markdown", "encoding": "utf-8" } });
    let bad = "_content/nodes/bad.md";
    fs::write(home.join("secret.txt"), "secret").unwrap();
    for (extra, bytes, parts) in [
        (json!({ "type": "Goal" }), &b"x"[..], ["node `bad`", "`Goal`", "INVALID_NODE_TYPE"]),
        (
            json!({ "properties": { "a": [1] } }),
            b"x",
            ["node `bad`", "properties.a", "VALIDATION_ERROR"],
        ),
        (
            json!({ "properties": { "a": null } }),
            b"x",
            ["node `bad`", "properties.a", "VALIDATION_ERROR"],
        ),
        (
            json!({ "content": { "path": bad, "format": " markdown" } }),
            b"x",
            [
                "node `bad`",
                "`content.format` has leading or trailing whitespace",
                "VALIDATION_ERROR",
            ],
        ),
        (
            json!({ "created": "yesterday" }),
            b"x",
            ["node `bad`", "`created` is `yesterday`", "VALIDATION_ERROR"],
        ),
        (
            json!({ "created": "9999-12-31T23:59:59-14:00", "modified": "9999-12-31T23:59:59-14:00" }),
            b"x",
            ["node `bad`", "`created`", "VALIDATION_ERROR"],
        ),
        (
            json!({ "created": "0000-01-01T00:00:00+14:00" }),
            b"x",
            ["node `bad`", "`created`", "VALIDATION_ERROR"],
        ),
        (
            json!({ "modified": "2020-01-01T00:00:00Z" }),
            b"x",
            ["node `bad`", "`modified`", "VALIDATION_ERROR"],
        ),
        (json!({ "id": "other" }), b"x", ["node `bad`", "`other`", "VALIDATION_ERROR"]),
        (json!({ "content": null }), b"x", ["node `bad`", "content", "VALIDATION_ERROR"]),
        (
            json!({ "content": { "path": bad, "format": "" } }),
            b"x",
            ["node `bad`", "content.format", "VALIDATION_ERROR"],
        ),
        (utf8, b"\xff", ["node `bad`", "not utf-8", "INVALID_ENCODING"]),
        (path("_content/nodes/none.md"), b"x", ["node `bad`", "none.md", "CONTENT_READ_FAILED"]),
        (path("../../secret.txt"), b"x", ["node `bad`", "..", "VALIDATION_ERROR"]),
        (path("/etc/hostname"), b"x", ["node `bad`", "/etc/hostname", "VALIDATION_ERROR"]),
        (path("_content/nodes"), b"x", ["node `bad`", "not a regular file", "CONTENT_READ_FAILED"]),
    ] {
        let source = tempfile::tempdir().unwrap();
        foreign(source.path(), &[good.clone(), ("bad", extra.clone(), bad, bytes)]);
        let err = import(&home, source.path()).failed(1);
        for part in parts {
            assert!(err.contains(part), "{extra}: `{part}` is not in {err}");
        }
        assert_eq!(m.app.dump(), before, "{extra}: something was imported");
    }
    #[cfg(unix)]
    {
        let source = tempfile::tempdir().unwrap();
        foreign(source.path(), std::slice::from_ref(&good));
        let file = source.path().join("_content/nodes/good.md");
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(home.join("secret.txt"), &file).unwrap();
        let err = import(&home, source.path()).failed(1);
        assert!(err.contains("outside") && err.contains("CONTENT_READ_FAILED"), "{err}");
        assert_eq!(m.app.dump(), before);
    }
}

#[test]
fn invalid_directories_are_refused_and_create_no_database() {
    let (_keep, home) = directory();
    let source = home.join("source");
    let refused = |parts: &[&str]| {
        let err = import(&home, &source).failed(1);
        for part in parts {
            assert!(err.contains(part), "`{part}` is not in {err}");
        }
        assert!(!home.join("graph.db").exists());
    };
    refused(&["source", "no such file", "VALIDATION_ERROR"]);
    fs::create_dir_all(source.join("_system")).unwrap();
    refused(&["ontology.yaml", "no such file"]);
    let put = |file: &str, text: &str| fs::write(source.join("_system").join(file), text).unwrap();
    for (yaml, part) in [
        (
            "node_types: 5",
            "ontology.yaml:1 is not an ontology: expected sequence start (VALIDATION",
        ),
        (
            "node_types: [A]\nnode_types: [B]",
            "ontology.yaml:2 is not an ontology: the key `node_types` is given twice (VALIDATION",
        ),
        (
            "# no names\nnode_types: [A, null]",
            "ontology.yaml:2 is not an ontology: null is not allowed here",
        ),
        ("", "ontology.yaml:1 is not an ontology: unexpected end of file (VALIDATION"),
        ("node_types: [A, A]", "`node_types[1]` repeats `A`"),
        ("node_types: ['']", "node_types[0]"),
        ("node_types: [' A']", "`node_types[0]` has leading or trailing whitespace"),
    ] {
        put("ontology.yaml", yaml);
        refused(&[part]);
    }
    put("ontology.yaml", "node_types: [A]");
    for (json, part) in [
        ("{", "registry.json"),
        ("[]", "registry.json"),
        (r#"{"nodes": []}"#, "registry.json"),
        (r#"{"nodes": {"a": {}, "a": {}}}"#, "`a` is given twice"),
        (r#"{"nodes": {"a": {"properties": {"b": 1, "b": 2}}}}"#, "`b` is given twice"),
    ] {
        put("registry.json", json);
        refused(&[part]);
    }
    fs::remove_file(source.join("_system/registry.json")).unwrap();
    let said = import(&home, &source).ok();
    assert!(
        said.contains("node types        1 new, 0 equal"),
        "an ontology alone is a memory: {said}"
    );
    put(
        "ontology.yaml",
        "node_types: [A]\nconnection_types: [{name: T, from_types: [B], to_types: [A]}]",
    );
    let err = import(&home, &source).failed(1);
    assert!(err.contains("connection type `T`") && err.contains("INVALID_NODE_TYPE"), "{err}");
}

#[test]
fn connections_are_checked_against_nodes_and_ontology() {
    let (_keep, home) = directory();
    let source = home.join("source");
    foreign(
        &source,
        &[
            ("a", json!({}), "_content/nodes/a.md", b"a"),
            ("b", json!({}), "_content/nodes/b.md", b"b"),
            ("person", json!({ "type": "Person" }), "_content/nodes/p.md", b"p"),
        ],
    );
    let yaml = "node_types: [Note, Person]\nconnection_types:\n  \
        - {name: Sees, from_types: [Note], to_types: [Note], required_properties: [k, since]}\n";
    fs::write(source.join("_system/ontology.yaml"), yaml).unwrap();
    let registry = source.join("_system/registry.json");
    let with = |connection: Value| {
        let mut json: Value = serde_json::from_slice(&fs::read(&registry).unwrap()).unwrap();
        json["connections"] = json!({ "c": connection });
        fs::write(&registry, json.to_string()).unwrap();
    };
    let good = json!({ "id": "c", "type": "Sees", "from": "a", "to": "b", "created": "2025-10-31T10:00:00Z",
        "modified": "2025-10-31T10:00:00Z", "properties": { "k": 1, "since": "then" } });
    for (field, value, parts) in [
        ("type", json!("Hears"), ["`Hears`", "INVALID_CONNECTION_TYPE"]),
        ("from", json!("nobody"), ["`nobody`", "NODE_NOT_FOUND"]),
        ("to", json!("nobody"), ["`nobody`", "NODE_NOT_FOUND"]),
        ("to", json!("person"), ["Valid targets: [Note]", "INVALID_TOPOLOGY"]),
        ("properties", json!({ "k": 1 }), ["Missing: [since]", "REQUIRED_PROPERTY_MISSING"]),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        with(bad);
        let err = import(&home, &source).failed(1);
        assert!(
            err.contains("connection `c`") && parts.iter().all(|part| err.contains(part)),
            "{err}"
        );
        let left = run(&home, &["tool", "query_nodes", "{}"]).json();
        assert_eq!(left, json!({ "node_ids": [] }), "{field}: the nodes before it stayed");
    }
    with(good);
    assert!(import(&home, &source).ok().contains("connections       1 new"));
}

#[test]
fn usage_names_the_missing_argument() {
    let (_keep, home) = directory();
    let err = run(&home, &["import"]).failed(2);
    assert!(err.contains("--memory DIR"), "{err}");
    let err = run(&home, &["export"]).failed(1);
    assert!(err.contains("there is no file"), "{err}");
    run(&home, &["export", "--force"]).failed(2);
    run(&home, &["import", "--merge"]).failed(2);
    let err = export(&home, &home.join("out")).failed(1);
    assert!(err.contains("there is no file"), "{err}");
    run(&home, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    let err = export(&home, &home.join("out")).failed(1);
    assert!(err.contains("ONTOLOGY_NOT_FOUND"), "{err}");
    assert!(!home.join("out").exists());
}
