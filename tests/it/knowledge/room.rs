//! Responses stay within their characters, whatever is stored, and count what they omit.

use serde_json::{Value, json};

use crate::support::TestApp;

/// Characters that a response may have, plus its envelope.
const MOST: usize = 41_000;

fn app(atoms: usize, paths: &Value, name: &str) -> TestApp {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    for number in 0..atoms {
        let new = json!({ "operation": "create", "entityType": "atom", "name": format!("{name}{number:03}"),
            "paths": paths, "knowledge": "short" });
        app.manage_graph(new);
    }
    app
}

fn size(value: &Value) -> usize {
    value.to_string().chars().count()
}

#[test]
fn many_paths_in_many_atoms_are_cut_to_one_path_each_and_counted() {
    let mut app = app(60, &json!(["src/**"]), "area ");
    let paths: Vec<String> =
        (0..100).map(|n| format!("src/some/ordinary/directory/file{n}.ts")).collect();
    let found = app.query_graph(json!({ "operation": "context", "paths": paths }));
    assert!(size(&found) < MOST, "{}", size(&found));
    let atoms = found["data"]["orphanAtoms"].as_array().unwrap();
    assert_eq!(atoms.len(), 60, "every atom that matched is named");
    let first = atoms[0]["matchedPaths"].as_array().unwrap();
    assert_eq!((first.len(), atoms[0].get("matchedOmitted")), (100, None));
    let last = &atoms[59];
    assert_eq!((&last["matchedPaths"], &last["matchedOmitted"]), (&json!([paths[0]]), &json!(99)));
    assert_eq!(found["data"]["unmatchedPaths"], json!([]));
}

#[test]
fn atoms_that_do_not_fit_are_counted() {
    let mut app = app(120, &json!(["src/**"]), &"n".repeat(250));
    let found = app.query_graph(json!({ "operation": "context", "paths": ["src/a"] }));
    assert!(size(&found) < MOST, "{}", size(&found));
    let named = found["data"]["orphanAtoms"].as_array().unwrap().len();
    assert_eq!(named + found["data"]["atomsOmitted"].as_u64().unwrap() as usize, 120);
    let paths: Vec<String> = (0..50).map(|n| format!("{}/{n}", "x".repeat(4_000))).collect();
    let found = app.query_graph(json!({ "operation": "context", "paths": paths }));
    assert!(size(&found) < MOST, "{}", size(&found));
    let listed = found["data"]["unmatchedPaths"].as_array().unwrap().len();
    assert_eq!(listed + found["data"]["unmatchedOmitted"].as_u64().unwrap() as usize, 50);
}

#[test]
fn a_full_page_has_the_next_offset() {
    let globs: Vec<String> = (0..20).map(|n| format!("{}{n:02}/*", "g".repeat(500))).collect();
    let mut app = app(12, &json!(globs), "atom ");
    let (mut seen, mut offset) = (Vec::new(), 0);
    loop {
        let ask =
            json!({ "operation": "search", "entityType": "atom", "limit": 10, "offset": offset });
        let page = app.query_graph(ask)["data"].take();
        assert!(size(&page) < MOST, "{}", size(&page));
        assert_eq!(page["total"], 12);
        seen.extend(page["items"].as_array().unwrap().iter().map(|atom| atom["name"].clone()));
        match page["nextOffset"].as_u64() {
            Some(next) => offset = next,
            None if seen.len() < 12 => offset += 10,
            None => break,
        }
    }
    let expected: Vec<Value> = (0..12).map(|n| json!(format!("atom {n:03}"))).collect();
    assert_eq!(seen, expected);
}

#[test]
fn search_texts_are_bounded_in_every_domain() {
    let mut app = app(1, &json!(["src/**"]), "area ");
    app.create_ontology(json!({ "node_types": ["T"] }));
    let long = "x".repeat(257);
    for (tool, arguments) in [
        ("query_graph", json!({ "operation": "search", "entityType": "atom", "query": long })),
        ("graph_query", json!({ "filter": { "text": long } })),
        ("search_content", json!({ "query": long })),
        ("kb_query", json!({ "text": long })),
    ] {
        let fault = app.fault(tool, arguments);
        assert_eq!(fault["code"], "VALIDATION_ERROR", "{tool}: {fault}");
        assert!(fault["message"].as_str().unwrap().contains("257"), "{tool}: {fault}");
    }
}

#[test]
fn many_small_atoms_and_large_ones_stay_within_one_response() {
    for (atoms, knowledge) in [(300, 100), (40, 2_000), (12, 30_000)] {
        let mut app = TestApp::new();
        app.graph_open(json!({ "project": "p" }));
        let molecule = json!({ "operation": "create", "entityType": "molecule", "name": "all" });
        let molecule = app.manage_graph(molecule)["data"]["molecule"]["id"].clone();
        for number in 0..atoms {
            let new = json!({ "operation": "create", "entityType": "atom", "name": format!("atom {number}"),
                "paths": ["src/**"], "knowledge": "k".repeat(knowledge), "moleculeId": molecule });
            app.manage_graph(new);
        }
        let paths: Vec<String> = (0..2_000).map(|n| format!("src/file{n}.ts")).collect();
        for ask in [
            json!({ "operation": "context", "paths": ["src/a.ts"] }),
            json!({ "operation": "context", "paths": paths }),
            json!({ "operation": "search", "entityType": "atom", "limit": 100 }),
            json!({ "operation": "get", "entityType": "molecule", "id": molecule }),
        ] {
            let chars = size(&app.query_graph(ask.clone()));
            assert!(chars < MOST, "{atoms} atoms of {knowledge}, {}: {chars}", ask["operation"]);
        }
    }
}
