//! Calls that agents repeat cost the same in a large KB, and calls that read all of it grow with it and no faster.

use serde_json::json;

use super::world::Kb;
use crate::scans::{Calls, listening, steps};

/// `size` requirements, each verified by a test and implemented by a symbol; the first three are special.
fn planted(size: usize) -> Kb {
    let mut kb = Kb::empty();
    kb.app.graph_open(json!({ "project": "p" }));
    let (mut entities, mut links) = (Vec::new(), Vec::new());
    for i in 0..size {
        let mut req = json!({ "id": format!("R{i:05}"), "type": "req", "title": format!("wish number {i}"), "status": "approved" });
        if i < 3 {
            (req["priority"], req["owner"], req["tags"]) =
                ("must".into(), "ann".into(), json!(["rare", "auth"]));
            req["title"] = format!("quixotic wish {i}").into();
        } else {
            (req["priority"], req["owner"], req["tags"]) =
                ("should".into(), "bob".into(), json!(["common"]));
            links.push(json!({ "relation": "verified_by", "from": format!("R{i:05}"), "to": format!("T{i:05}") }));
            links.push(json!({ "relation": "depends_on", "from": format!("R{i:05}"), "to": format!("R{:05}", i - 3) }));
        }
        entities.push(req);
        entities.push(json!({ "id": format!("T{i:05}"), "type": "test", "title": "tries it", "status": "active",
            "properties": { "file": format!("tests/t{i}.rs") } }));
    }
    for (entities, links) in entities
        .chunks(2_000)
        .map(|part| (part, &[][..]))
        .chain(links.chunks(2_000).map(|part| (&[][..], part)))
    {
        kb.up(json!({ "entities": entities, "relationships": links }));
    }
    kb
}

fn hot_calls() -> Calls {
    vec![
        ("kb_query", json!({ "id": "R00007" })),
        ("kb_query", json!({ "id": ["R00007", "T00009", "none"], "relationships": true })),
        ("kb_query", json!({ "tags": ["rare"] })),
        ("kb_query", json!({ "tags": ["rare", "auth"], "type": "req" })),
        ("kb_query", json!({ "owner": "ann" })),
        ("kb_query", json!({ "text": "quixotic" })),
        ("kb_query", json!({ "related": [{ "relation": "verified_by", "id": "T00009" }] })),
        (
            "kb_query",
            json!({ "type": "req", "priority": "must", "related": [{ "relation": "verified_by", "absent": true }] }),
        ),
        ("kb_query", json!({ "edges": { "from": "R00009" } })),
        ("kb_query", json!({ "edges": { "to": "R00009", "relation": "depends_on" } })),
        (
            "query_graph",
            json!({ "operation": "context", "paths": ["tests/t9.rs"], "include": ["kb"] }),
        ),
        (
            "kb_upsert",
            json!({ "entities": [{ "id": "R00009", "title": "another wish", "tags": ["new"] }] }),
        ),
        (
            "kb_upsert",
            json!({ "entities": [{ "id": "N1", "type": "test", "title": "new", "status": "active" }],
            "relationships": [{ "relation": "verified_by", "from": "R00001", "to": "N1" }] }),
        ),
        (
            "kb_upsert",
            json!({ "dry_run": true, "entities": [{ "id": "R00009", "title": "yet another" }] }),
        ),
        ("kb_delete", json!({ "ids": ["N1"], "cascade": true, "reason": "enough" })),
    ]
}

#[test]
fn hot_calls_never_read_a_whole_table_and_do_not_grow_with_the_kb() {
    listening(|listener| {
        listener.compare(|size| planted(size).app, [40, 1_000], |_| hot_calls());
    });
}

#[test]
fn a_check_and_a_first_use_grow_with_the_kb_and_no_faster() {
    listening(|listener| {
        let (mut small, mut large) = (planted(100), planted(400));
        for branch in [None, Some("feature")] {
            if let Some(branch) = branch {
                small.checkout(branch);
                large.checkout(branch);
            }
            let few = steps(&listener.during(&mut small.app, "kb_check", json!({})));
            let many = steps(&listener.during(&mut large.app, "kb_check", json!({})));
            println!("{branch:?} {few} {many}");
            assert!(
                many <= few * 9 / 2,
                "{branch:?}: {few} steps, then {many} with four times as much"
            );
        }
    });
}

#[test]
fn the_first_use_of_a_branch_indexes_no_text_again() {
    let mut kb = planted(50);
    let texts = |kb: &Kb| {
        let tables = kb.app.dump();
        let rows = tables
            .lines()
            .filter(|line| line.starts_with("search_") || line.starts_with("kb_entities|"));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = texts(&kb);
    kb.checkout("feature");
    assert_eq!(kb.ids(json!({ "text": "quixotic" })), "R00000 R00001 R00002");
    assert!(texts(&kb) == before);
}
