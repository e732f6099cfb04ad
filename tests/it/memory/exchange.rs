//! `graph export --memory` and `graph import --memory`: a directory, byte for byte.

use std::fs;

use serde_json::{Value, json};

use super::{
    directory::{export, foreign, import, rich, tree},
    world::text,
};
use crate::support::binary::{directory, run};

#[test]
fn the_layout_is_that_of_the_specification() {
    let (_m, home) = rich();
    let target = home.join("out");
    let said = export(&home, &target).ok();
    assert!(said.contains("6 nodes and 2 connections"), "{said}");
    let files = tree(&target);
    let names: Vec<_> = files.keys().map(String::as_str).collect();
    let connection = files.keys().find(|name| name.starts_with("_content/connections/")).unwrap();
    assert!(connection.ends_with(".md"), "{connection}");
    assert_eq!(names.len(), 9, "{names:?}");
    for ending in [".json", ".png", ".bin", ".txt"] {
        let count = names
            .iter()
            .filter(|name| name.starts_with("_content/nodes/") && name.ends_with(ending))
            .count();
        assert_eq!(count, 1, "{ending}: {names:?}");
    }
    let registry: Value = serde_json::from_slice(&files["_system/registry.json"]).unwrap();
    let (id, node) = registry["nodes"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(
        node,
        &json!({ "id": id, "type": "Project", "created": "2026-01-01T00:00:00.000Z",
            "modified": "2026-01-01T00:02:00.000Z",
            "properties": { "status": "done", "n": 1, "f": 1.0, "b": true },
            "content": { "path": format!("_content/nodes/{id}.md"), "format": "markdown", "encoding": "utf-8" } })
    );
    assert_eq!(files[&format!("_content/nodes/{id}.md")], b"# Kitchen\n\nBudget: $50k\r\n");
    let connections = registry["connections"].as_object().unwrap();
    let connections: Vec<_> = connections.values().collect();
    let (first, second) = (connections[0], connections[1]);
    assert_eq!((first.get("content"), &first["from"]), (None, &json!(id)));
    assert_eq!(second["content"]["format"], "markdown");
    let yaml = String::from_utf8(files["_system/ontology.yaml"].clone()).unwrap();
    assert!(yaml.starts_with("node_types:\n  - Project\n  - Action\n"), "{yaml}");
    assert!(
        yaml.contains("  - name: WaitingFor\n    from_types:\n      - Action\n      - Project\n"),
        "{yaml}"
    );
}

#[test]
fn export_import_export_gives_identical_bytes() {
    let (mut m, home) = rich();
    let first = home.join("first");
    export(&home, &first).ok();
    let (_keep, other) = directory();
    let report = run(&other, &["import", "--json", "--memory", first.to_str().unwrap()]).json();
    assert_eq!(report["nodes"], json!({ "new": 6, "equal": 0, "updated": 0, "kept": 0 }));
    assert_eq!(report["connections"]["new"], 2);
    assert_eq!(
        (&report["node_types"]["new"], &report["connection_types"]["new"]),
        (&json!(4), &json!(4))
    );
    let second = other.join("second");
    export(&other, &second).ok();
    assert!(tree(&first) == tree(&second), "not the same bytes");

    // Once more into the same database, and into the one it came from: all is equal, and nothing is written.
    for (place, report) in [(&other, import(&other, &first)), (&home, import(&home, &first))] {
        let said = report.ok();
        assert!(said.contains("nodes             0 new, 6 equal"), "{said}");
        assert!(said.contains("connections       0 new, 2 equal"), "{said}");
        let third = place.join("third");
        export(place, &third).ok();
        assert!(tree(&first) == tree(&third), "not the same bytes");
    }
    let events = m.rows("SELECT action FROM events WHERE action = 'imported'");
    assert_eq!(events, Vec::<String>::new(), "equal entries are no event");

    // Imported memories behave like those that were created there.
    let call = |tool: &str, ask: Value| run(&other, &["tool", tool, &ask.to_string()]).json();
    let found = call("search_content", json!({ "query": "KITCHEN" }));
    let id = text(&found["node_ids"][0]);
    assert_eq!(call("query_nodes", json!({ "properties": { "status": "done", "f": 1 } })), found);
    let log = run(&other, &["log", &id, "--json"]).ok();
    assert!(log.contains("imported") && log.contains("# Kitchen"), "{log}");
    assert_eq!(m.get_node(json!({ "node_id": id })), call("get_node", json!({ "node_id": id })));
}

#[test]
fn a_directory_of_another_program_is_read() {
    let (_keep, home) = directory();
    let source = home.join("theirs");
    let format =
        |format: &str, path: &str| json!({ "content": { "path": path, "format": format } });
    foreign(
        &source,
        &[
            (
                "mem_k4j9x2_p8n3q1",
                json!({ "properties": { "status": "active" }, "extra": 1 }),
                "_content/nodes/mem_k4j9x2_p8n3q1.md",
                b"# Hello",
            ),
            // Extensions by encoding, and ids of any shape.
            (
                "../../evil",
                format("pdf", "_content/nodes/1.bin"),
                "_content/nodes/1.bin",
                b"%PDF-1.4 plain",
            ),
            (
                "a/b c",
                format("notes", "_content/nodes/2.txt"),
                "_content/nodes/2.txt",
                "grün".as_bytes(),
            ),
            (
                "Ünïcode \u{1f600}",
                format("weird", "./_content/nodes/3.dat"),
                "_content/nodes/3.dat",
                b"\xff\x00\xfe",
            ),
            ("nul", json!({}), "_content/nodes/nul_.md", b"with\0nul and rare word"),
        ],
    );
    let said = import(&home, &source).ok();
    assert!(said.contains("nodes             5 new, 0 equal"), "{said}");
    let call = |tool: &str, ask: Value| run(&home, &["tool", tool, &ask.to_string()]).json();
    for (id, encoding, content) in [
        ("mem_k4j9x2_p8n3q1", "utf-8", "# Hello"),
        ("../../evil", "base64", "JVBERi0xLjQgcGxhaW4="),
        ("a/b c", "utf-8", "grün"),
        ("Ünïcode \u{1f600}", "base64", "/wD+"),
    ] {
        let held = call("get_node_content", json!({ "node_id": id }));
        assert_eq!(
            (&held["encoding"], &held["content"]),
            (&json!(encoding), &json!(content)),
            "{id}"
        );
    }
    let node = call("get_node", json!({ "node_id": "mem_k4j9x2_p8n3q1" }));
    assert_eq!(node["created"], "2025-10-31T10:00:00.000Z");
    assert_eq!(node["modified"], "2025-10-31T15:30:00.123Z");
    assert_eq!(
        call("search_content", json!({ "query": "rare word" })),
        json!({ "node_ids": ["nul"] })
    );

    // Out again: no id leads out of the directory, and the second round is equal to the first.
    let (first, second) = (home.join("deep/first"), home.join("deep/second"));
    export(&home, &first).ok();
    assert!(
        !home.join("evil").exists()
            && !home.join("evil.pdf").exists()
            && !home.join("deep/evil.pdf").exists()
    );
    let names: Vec<_> = tree(&first).into_keys().collect();
    assert_eq!(names.len(), 7, "{names:?}");
    let (_keep, other) = directory();
    import(&other, &first).ok();
    export(&other, &second).ok();
    assert!(tree(&first) == tree(&second), "not the same bytes");
}

#[test]
fn an_ontology_of_any_yaml_writer_is_read() {
    let (_keep, home) = directory();
    let source = home.join("theirs");
    foreign(&source, &[]);
    let yaml = "\u{feff}%YAML 1.2\r\n---\r\n# by hand\r\nversion: 1\r\n\
        node_types: [Project, 'it''s', \"Per\\u0073on\", Yes, 2025, 1.50]  # in one line\r\n\
        connection_types:\r\n\
        - {name: Next, from_types: [Project], to_types: [Yes, 2025], required_properties: []}\r\n\
        - name: >-\r\n    Folded\r\n    Name\r\n  from_types: &ends\r\n  - Project\r\n  to_types: *ends\r\n\
        \x20 required_properties:\r\n  description: not ours\r\n";
    fs::write(source.join("_system/ontology.yaml"), yaml).unwrap();
    import(&home, &source).ok();
    assert_eq!(
        run(&home, &["tool", "get_ontology", "{}"]).json(),
        json!({ "node_types": ["Project", "it's", "Person", "Yes", "2025", "1.50"],
            "connection_types": [
                { "name": "Next", "from_types": ["Project"], "to_types": ["Yes", "2025"] },
                { "name": "Folded Name", "from_types": ["Project"], "to_types": ["Project"] },
            ] })
    );
    assert!(import(&home, &source).ok().contains("connection types  0 new, 2 equal"));
}

#[test]
fn a_registry_may_begin_with_a_byte_order_mark() {
    let (_keep, home) = directory();
    let source = home.join("theirs");
    foreign(&source, &[("one", json!({}), "_content/nodes/one.md", b"text")]);
    let registry = source.join("_system/registry.json");
    let text = fs::read_to_string(&registry).unwrap();
    fs::write(&registry, format!("\u{feff}{text}")).unwrap();
    import(&home, &source).ok();
    let content = run(&home, &["tool", "get_node_content", r#"{"node_id": "one"}"#]).json();
    assert_eq!(content["content"], "text");
}

#[test]
fn a_node_with_a_time_in_the_future_can_be_changed() {
    let (_keep, home) = directory();
    let source = home.join("theirs");
    let then = "2999-01-01T00:00:00.000Z";
    let late = json!({ "created": then, "modified": then });
    foreign(&source, &[("late", late.clone(), "_content/nodes/late.md", b"late")]);
    let registry = source.join("_system/registry.json");
    let mut json: Value = serde_json::from_slice(&fs::read(&registry).unwrap()).unwrap();
    json["connections"]["c"] = json!({ "id": "c", "type": "Sees", "from": "late", "to": "late",
        "created": then, "modified": then });
    fs::write(&registry, json.to_string()).unwrap();
    import(&home, &source).ok();
    let call = |tool: &str, ask: Value| run(&home, &["tool", tool, &ask.to_string()]).json();
    let done = json!({ "ok": true });
    for properties in [json!({ "a": 1 }), json!({ "a": 1 })] {
        let ask = json!({ "node_id": "late", "properties": properties });
        assert_eq!(call("update_node", ask), done);
        let ask = json!({ "connection_id": "c", "properties": properties });
        assert_eq!(call("update_connection", ask), done);
    }
    let node = call("get_node", json!({ "node_id": "late" }));
    assert_eq!((&node["modified"], &node["properties"]["a"]), (&json!(then), &json!(1)));
    let connection = call("get_connection", json!({ "connection_id": "c" }));
    assert_eq!(connection["modified"], then, "never before it was made");
}

#[test]
fn differences_refuse_the_import_unless_newer_wins() {
    let (_keep, home) = directory();
    let source = home.join("source");
    let entry = |modified: &str, status: &str| json!({ "modified": modified, "properties": { "status": status } });
    let write = |first: Value, text: &str, more: bool| {
        let mut entries: Vec<(&str, Value, &str, &[u8])> = vec![
            ("one", first, "_content/nodes/one.md", text.as_bytes()),
            ("two", json!({}), "_content/nodes/two.md", b"same"),
        ];
        if more {
            entries.push(("three", json!({}), "_content/nodes/three.md", b"new"));
        }
        foreign(&source, &entries);
    };
    write(entry("2025-11-01T00:00:00Z", "old"), "old text", false);
    import(&home, &source).ok();
    let call = |tool: &str, ask: Value| run(&home, &["tool", tool, &ask.to_string()]).json();

    write(entry("2025-12-01T00:00:00Z", "new"), "new text", true);
    let ran = run(&home, &["import", "--json", "--memory", source.to_str().unwrap()]);
    assert_eq!(ran.code, 1);
    let fault = ran.json()["error"].clone();
    assert_eq!(fault["code"], "CONFLICT");
    assert_eq!(
        fault["details"]["different"],
        json!([{ "what": "node", "id": "one", "fields": ["properties.status", "modified", "content"] }])
    );
    assert_eq!(fault["details"]["others"]["nodes"]["equal"], 1);
    assert!(fault["hint"].as_str().unwrap().contains("--merge"), "{fault}");
    assert_eq!(call("query_nodes", json!({})), json!({ "node_ids": ["one", "two"] }));

    let merge = ["import", "--merge", "--memory", source.to_str().unwrap()];
    let said = run(&home, &merge).ok();
    assert!(said.contains("nodes             1 new, 1 equal, 1 updated"), "{said}");
    assert_eq!(call("get_node_content", json!({ "node_id": "one" }))["content"], "new text");
    assert_eq!(
        call("query_nodes", json!({ "properties": { "status": "old" } })),
        json!({ "node_ids": [] })
    );
    assert_eq!(
        call("search_content", json!({ "query": "new text" })),
        json!({ "node_ids": ["one"] })
    );
    assert_eq!(call("search_content", json!({ "query": "old text" })), json!({ "node_ids": [] }));
    let log = run(&home, &["log", "one"]).ok();
    assert!(log.contains("old text") && log.contains("new text"), "before and after: {log}");

    write(entry("2025-11-15T00:00:00Z", "older"), "older text", true);
    let said = run(&home, &merge).ok();
    assert!(said.contains("nodes             0 new, 2 equal, 1 kept"), "{said}");
    assert_eq!(call("get_node_content", json!({ "node_id": "one" }))["content"], "new text");

    // A type cannot be merged, and neither can a definition.
    let yaml = "node_types: [Note, Other]\nconnection_types: [{name: Sees, from_types: [Other], to_types: [Note]}]\n";
    fs::write(source.join("_system/ontology.yaml"), yaml).unwrap();
    let err = run(&home, &merge).failed(1);
    assert!(err.contains("connection type Sees (definition)") && err.contains("CONFLICT"), "{err}");
    let mut other = entry("2026-01-01T00:00:00Z", "x");
    other["type"] = json!("Other");
    write(other, "x", true);
    fs::write(source.join("_system/ontology.yaml"), "node_types: [Note, Other]\n").unwrap();
    let err = run(&home, &merge).failed(1);
    assert!(err.contains("node one (type"), "{err}");
}

#[test]
fn an_export_replaces_only_an_earlier_export_and_only_with_force() {
    let (mut m, home) = rich();
    let target = home.join("out");
    export(&home, &target).ok();
    let first = tree(&target);
    let err = export(&home, &target).failed(1);
    assert!(err.contains("earlier export") && err.contains("--force"), "{err}");
    assert!(tree(&target) == first);

    fs::write(target.join("mine.txt"), "mine").unwrap();
    let ids = m.ids("query_nodes", json!({ "type": "Person" }));
    m.delete_node(json!({ "node_id": ids[0] }));
    let said = run(&home, &["export", "--force", "--memory", target.to_str().unwrap()]).ok();
    assert!(said.contains("taken away: 1 file of the export before"), "{said}");
    let second = tree(&target);
    assert_eq!(second.len(), first.len(), "one file less, and mine");
    assert_eq!(second["mine.txt"], b"mine");
    let (_keep, other) = directory();
    let fresh = other.join("fresh");
    export(&home, &fresh).ok();
    let mut expected = tree(&fresh);
    expected.insert("mine.txt".to_owned(), b"mine".to_vec());
    assert!(second == expected);

    // A registry that names files elsewhere does not have them removed.
    fs::write(home.join("precious.md"), "precious").unwrap();
    let evil = json!({ "nodes": { "x": { "content": { "path": "../precious.md" } }, "y": { "content": { "path": "mine.txt" } } } });
    fs::write(target.join("_system/registry.json"), evil.to_string()).unwrap();
    run(&home, &["export", "--force", "--memory", target.to_str().unwrap()]).ok();
    assert!(home.join("precious.md").exists() && target.join("mine.txt").exists());

    let full = home.join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("notes.txt"), "x").unwrap();
    for arguments in [&["export", "--memory"][..], &["export", "--force", "--memory"]] {
        let err = run(&home, &[arguments, &[full.to_str().unwrap()]].concat()).failed(1);
        assert!(err.contains("not empty") && err.contains("not an earlier export"), "{err}");
    }
    assert_eq!(tree(&full).len(), 1);
    let err = export(&home, &full.join("notes.txt")).failed(1);
    assert!(err.contains("notes.txt"), "{err}");
}

#[test]
fn leftovers_of_an_interrupted_export_are_removed_by_the_next() {
    let (mut m, home) = rich();
    let target = home.join("out");
    let force = ["export", "--force", "--memory", target.to_str().unwrap()];
    export(&home, &target).ok();
    let ids = m.ids("query_nodes", json!({}));
    let file = |id: &str| {
        let files = tree(&target).into_keys();
        target.join(files.into_iter().find(|path| path.contains(id)).unwrap())
    };
    let (gone, blocked) = (file(&ids[0]), file(ids.last().unwrap()));
    m.delete_node(json!({ "node_id": ids[0] }));

    // A directory exists in place of a file: the export fails halfway, twice.
    fs::remove_file(&blocked).unwrap();
    fs::create_dir(&blocked).unwrap();
    for _ in 0..2 {
        run(&home, &force).failed(1);
        assert!(gone.exists() && !target.join("_system/registry.json").exists());
    }
    fs::remove_dir(&blocked).unwrap();
    run(&home, &force).ok();
    let (_keep, other) = directory();
    export(&home, &other.join("fresh")).ok();
    assert!(tree(&target) == tree(&other.join("fresh")));
}

#[test]
fn a_hundred_megabytes_are_imported_and_one_byte_more_is_refused() {
    let (_keep, home) = directory();
    let source = home.join("source");
    let mut bytes = vec![0xA5_u8; 100 << 20];
    bytes[12_345] = 1;
    let binary = json!({ "content": { "path": "_content/nodes/big.bin", "format": "binary" } });
    foreign(&source, &[("big", binary, "_content/nodes/big.bin", &bytes)]);
    import(&home, &source).ok();
    let target = home.join("out");
    export(&home, &target).ok();
    assert!(
        fs::read(target.join("_content/nodes/big.bin")).unwrap() == bytes,
        "not the same bytes"
    );
    bytes.push(0);
    fs::write(source.join("_content/nodes/big.bin"), &bytes).unwrap();
    let err = import(&home, &source).failed(1);
    assert!(err.contains("104857601 bytes; at most 104857600"), "{err}");
}
