//! A tree of 100,000 levels: nothing may walk it on the stack.

use serde_json::{Value, json};

use crate::support::TestApp;

const LEVELS: usize = 100_000;
const BATCH: usize = 10_000;

/// One chain below the root of `p`; returns the ids from the top down.
fn chain(app: &mut TestApp) -> Vec<String> {
    app.graph_open(json!({ "project": "p" }));
    let mut ids: Vec<String> = Vec::with_capacity(LEVELS);
    while ids.len() < LEVELS {
        let above = ids.last().cloned();
        let nodes: Vec<Value> = (0..BATCH)
            .map(|n| {
                let mut node = json!({ "ref": format!("r{n}"), "summary": "level" });
                match (n, &above) {
                    (0, None) => (),
                    (0, Some(above)) => node["parent_ref"] = json!(above),
                    _ => node["parent_ref"] = json!(format!("r{}", n - 1)),
                }
                node
            })
            .collect();
        let answer = app.graph_plan(json!({ "nodes": nodes }));
        ids.extend(
            answer["created"]
                .as_array()
                .unwrap()
                .iter()
                .map(|created| created["id"].as_str().unwrap().to_owned()),
        );
    }
    ids
}

fn counts(app: &mut TestApp) -> Value {
    app.graph_open(json!({ "project": "p" }))["summary"].take()
}

#[test]
fn a_hundred_thousand_levels_overflow_no_stack() {
    // A thread with a small stack: what recursed would not come back.
    std::thread::Builder::new().stack_size(1 << 20).spawn(all_of_it).unwrap().join().unwrap();
}

fn all_of_it() {
    let mut app = TestApp::new();
    let ids = chain(&mut app);
    let (top, middle, low, deepest) =
        (&ids[0], &ids[LEVELS / 2], &ids[LEVELS - BATCH], &ids[LEVELS - 1]);
    assert_eq!(counts(&mut app)["actionable"], 1);

    let next = app.graph_next(json!({ "project": "p", "claim": true }));
    let entry = &next["nodes"][0];
    assert_eq!(entry["node"]["id"], *deepest);
    let listed = entry["ancestors"].as_array().unwrap();
    assert_eq!(listed.len() + entry["ancestors_omitted"].as_u64().unwrap() as usize, LEVELS);
    assert_eq!(listed.last().unwrap()["id"], ids[LEVELS - 2], "the parent is listed");
    assert!(next.to_string().len() < 40_000);
    let scoped = app.graph_next(json!({ "project": "p", "scope": top }));
    assert_eq!(scoped["nodes"][0]["node"]["id"], *deepest);

    for (id, depth) in [(top, 20), (middle, 2), (deepest, 2)] {
        let context = app.graph_context(json!({ "node_id": id, "depth": depth }));
        assert_eq!(context["node"]["id"], *id);
        assert!(context.to_string().len() < 40_000);
    }
    let found = app.graph_query(
        json!({ "project": "p", "filter": { "ancestor": middle }, "sort": "depth", "limit": 1 }),
    );
    assert_eq!(found["total"], LEVELS - LEVELS / 2 - 1);
    assert_eq!(found["nodes"][0]["depth"], LEVELS);
    app.graph_onboard(json!({ "project": "p" }));

    // A move below itself is refused from the deepest node; a move to the root includes the whole subtree.
    let to = |node: &str, parent: &str| json!({ "operations": [{ "op": "move", "node_id": node, "new_parent": parent }] });
    assert_eq!(app.fault("graph_restructure", to(top, deepest))["code"], "CYCLE_DETECTED");
    let root = app.graph_open(json!({ "project": "p" }))["root"]["id"].as_str().unwrap().to_owned();
    app.graph_restructure(to(middle, &root));
    let found = app.graph_query(json!({ "project": "p", "sort": "depth", "limit": 1 }));
    assert_eq!(found["nodes"][0]["depth"], LEVELS / 2, "both halves hang on the root now");

    let merge = json!({ "operations": [{ "op": "merge", "source": ids[1], "target": top }] });
    app.graph_restructure(merge);
    let drop = json!({ "operations": [{ "op": "drop", "node_id": low, "reason": "too deep" }] });
    app.graph_restructure(drop);
    assert_eq!(counts(&mut app)["resolved"], BATCH);
    let history = app.graph_history(json!({ "node_id": deepest }));
    assert_eq!(history["events"][0]["action"], "dropped");
    assert_eq!(history["events"].as_array().unwrap().last().unwrap()["action"], "created");
    let next = app.graph_next(json!({ "project": "p", "count": 2 }));
    let next: Vec<&Value> =
        next["nodes"].as_array().unwrap().iter().map(|n| &n["node"]["id"]).collect();
    assert_eq!(
        next,
        [ids[LEVELS / 2 - 1].as_str(), ids[LEVELS - BATCH - 1].as_str()],
        "the two ends"
    );
}
