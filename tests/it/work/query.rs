//! graph_query: what it finds and in which order. Paging has its own file.

use serde_json::{Value, json};

use super::world::{World, names};

/// p ─ a ─ b(done, evidence git), c ─ d after b / e after d / f(claimed by alice) / G.
fn garden() -> World {
    let mut w = World::of(&["a", "b in a", "c in a", "d in c after b", "e after d", "f", "G"]);
    let nodes = json!([{ "ref": "h", "summary": "Straße 100% done_now: \"naïve\"", "properties": { "k": 1 } }]);
    w.plan_json(json!({ "nodes": nodes }));
    w.update("b", json!({ "resolved": true, "add_evidence": [{ "type": "git", "ref": "abc" }] }));
    w.update("f", json!({ "properties": { "k": "1" }, "state": "s" }));
    let stamps = json!({ "_claimed_by": "alice", "_claimed_at": "2026-01-01T00:00:00.000Z" });
    w.update("f", json!({ "properties": stamps }));
    w
}

#[test]
fn every_filter() {
    let mut w = garden();
    for (filter, expected) in [
        (json!({}), "p a b c d e f G h"),
        (json!({ "resolved": true }), "b"),
        (json!({ "resolved": false }), "p a c d e f G h"),
        (json!({ "properties": { "k": 1 } }), "h"),
        (json!({ "properties": { "k": "1" } }), "f"),
        (json!({ "text": "g" }), "G"),
        (json!({ "text": "DONE" }), "h"),
        (json!({ "ancestor": "@a" }), "b c d"),
        (json!({ "ancestor": "@c" }), "d"),
        (json!({ "ancestor": "@d" }), ""),
        (json!({ "ancestor": "@p" }), "a b c d e f G h"),
        (json!({ "has_evidence_type": "git" }), "b"),
        (json!({ "has_evidence_type": " git " }), "b"),
        (json!({ "has_evidence_type": "gi" }), ""),
        (json!({ "is_leaf": true }), "b d e f G h"),
        (json!({ "is_leaf": false }), "p a c"),
        (json!({ "is_actionable": true }), "d f G h"),
        (json!({ "is_actionable": false }), "p a b c e"),
        (json!({ "is_blocked": true }), "e"),
        (json!({ "is_blocked": false }), "p a b c d f G h"),
        (json!({ "claimed_by": "alice" }), "f"),
        (json!({ "claimed_by": "bob" }), ""),
        (json!({ "claimed_by": null }), "p a b c d e G h"),
    ] {
        assert_eq!(w.found(filter.clone()), expected, "{filter}");
    }
}

#[test]
fn filters_hold_together() {
    let mut w = garden();
    for (filter, expected) in [
        (json!({ "resolved": false, "is_leaf": true, "ancestor": "@a" }), "d"),
        (json!({ "is_actionable": true, "claimed_by": null, "properties": { "k": 1 } }), "h"),
        (json!({ "is_actionable": true, "claimed_by": null }), "d G h"),
        (json!({ "is_blocked": true, "is_actionable": true }), ""),
        (json!({ "text": "g", "resolved": true }), ""),
        (json!({ "has_evidence_type": "git", "resolved": true, "ancestor": "@p" }), "b"),
        (json!({ "text": "naïve", "properties": { "k": 1 }, "claimed_by": null }), "h"),
        (json!({ "text": "naïve", "properties": { "k": "1" } }), ""),
        (
            json!({ "text": "naïve", "resolved": false, "ancestor": "@p", "is_actionable": true }),
            "h",
        ),
        (json!({ "text": "naïve", "ancestor": "@a" }), ""),
        (json!({ "text": "naïve", "claimed_by": "alice" }), ""),
    ] {
        assert_eq!(w.found(filter.clone()), expected, "{filter}");
    }
}

#[test]
fn text_is_a_whole_substring_of_the_summary_and_nothing_else() {
    let mut w = garden();
    for (text, expected) in [
        ("straße 100% d", "h"),
        ("0% d", "h"),
        ("%", "h"),
        ("_", "h"),
        ("e_n", "h"),
        ("done now", ""),
        ("done straße", ""),
        ("\"naïve\"", "h"),
        ("NAÏVE", "h"),
        ("naïve OR g", ""),
        ("done*", ""),
        ("summary:done", ""),
        ("'", ""),
        ("git", ""),
    ] {
        assert_eq!(w.found(json!({ "text": text })), expected, "{text}");
    }
    w.update("G", json!({ "summary": "Straße" }));
    assert_eq!(w.found(json!({ "text": "straße" })), "G h", "a changed summary is found at once");
    assert_eq!(w.found(json!({ "text": "G" })), "");
}

#[test]
fn a_leaf_is_a_node_without_unresolved_children() {
    let mut w = World::of(&["a", "b in a"]);
    assert_eq!(w.found(json!({ "is_leaf": true })), "b");
    w.resolve(&["b"]);
    assert_eq!(w.found(json!({ "is_leaf": true })), "a b");
}

#[test]
fn a_stale_claim_counts_as_unclaimed() {
    let mut w = garden();
    w.app.advance_minutes(61);
    assert_eq!(w.found(json!({ "claimed_by": "alice" })), "");
    assert_eq!(w.found(json!({ "claimed_by": null, "text": "f" })), "f");
}

#[test]
fn sort_created_is_oldest_first() {
    let mut w = garden();
    w.app.advance_millis(10);
    w.update("a", json!({ "state": 1 }));
    assert_eq!(sorted(&mut w, "created"), "p a b c d e f G h");
}

#[test]
fn sort_recent_is_last_updated_first() {
    let mut w = World::of(&["a", "b", "c"]);
    for name in ["b", "p", "a", "c"] {
        w.app.advance_millis(10);
        w.update(name, json!({ "state": 1 }));
    }
    assert_eq!(sorted(&mut w, "recent"), "c a p b");
}

#[test]
fn sort_depth_is_deepest_first() {
    let mut w = garden();
    let answer = w.graph_query(json!({ "project": "p", "sort": "depth", "limit": 100 }));
    let depths: Vec<i64> =
        answer["nodes"].as_array().unwrap().iter().map(|n| n["depth"].as_i64().unwrap()).collect();
    assert_eq!(depths, [3, 2, 2, 1, 1, 1, 1, 1, 0]);
    assert!(names(&answer["nodes"]).starts_with("d "), "{answer}");
}

#[test]
fn sort_readiness_has_the_actionable_first_in_ranking_order() {
    let mut w = World::of(&["a", "b in a", "c after b prio 9", "d prio 1", "e", "z prio 99"]);
    w.resolve(&["z"]);
    w.update("e", json!({ "properties": { "priority": -1 } }));
    assert_eq!(w.ranking(), "d b e");
    let all = sorted(&mut w, "readiness");
    assert!(all.starts_with("d b e "), "{all}");
    assert_eq!(all.split(' ').count(), 7, "the others follow: {all}");
    let default = w.graph_query(json!({ "project": "p", "limit": 100 }));
    assert_eq!(names(&default["nodes"]), all, "readiness unless told otherwise");
}

fn sorted(w: &mut World, sort: &str) -> String {
    let answer = w.graph_query(json!({ "project": "p", "sort": sort, "limit": 100 }));
    names(&answer["nodes"])
}

#[test]
fn a_found_node_has_these_fields() {
    let mut w = garden();
    let answer = w.graph_query(json!({ "project": "p", "filter": { "properties": { "k": "1" } } }));
    assert_eq!(
        answer,
        json!({
            "nodes": [{
                "id": "@f", "summary": "f", "resolved": false, "state": "s", "parent": "@p", "depth": 1,
                "properties": { "k": "1", "_claimed_by": "alice", "_claimed_at": "2026-01-01T00:00:00.000Z" },
            }],
            "total": 1,
        })
    );
    let answer =
        w.graph_query(json!({ "project": "p", "filter": { "is_leaf": false }, "sort": "created" }));
    assert_eq!(
        answer["nodes"][0],
        json!({ "id": "@p", "summary": "p", "resolved": false, "depth": 0, "properties": {} })
    );
}

#[test]
fn a_query_stays_in_its_project() {
    let mut w = World::of(&["a"]);
    w.open("q");
    w.plan_json(json!({ "project": "q", "nodes": [{ "ref": "x", "summary": "a" }] }));
    assert_eq!(w.found(json!({})), "p a");
    assert_eq!(w.found(json!({ "text": "a" })), "a");
    let answer = w.graph_query(json!({ "project": "q", "filter": { "text": "a" } }));
    assert_eq!(names(&answer["nodes"]), "x");
}

#[test]
fn a_page_has_twenty_by_default_and_a_hundred_at_most() {
    let mut w = World::of(&[]);
    let nodes: Vec<Value> =
        (0..150).map(|n| json!({ "ref": format!("r{n}"), "summary": "s" })).collect();
    w.plan_json(json!({ "nodes": nodes }));
    for (limit, expected) in [(Value::Null, 20), (json!(1), 1), (json!(100), 100), (json!("7"), 7)]
    {
        let ask = if limit.is_null() {
            json!({ "project": "p" })
        } else {
            json!({ "project": "p", "limit": limit })
        };
        let answer = w.graph_query(ask);
        assert_eq!(answer["nodes"].as_array().unwrap().len(), expected, "limit {limit}");
        assert_eq!(answer["total"], 151);
        assert!(answer["next_cursor"].is_string());
    }
    for limit in [0, -1, 101, 1000] {
        w.refused("VALIDATION_ERROR", "graph_query", json!({ "project": "p", "limit": limit }))
            .says(&["limit", &limit.to_string(), "1", "100"]);
    }
}

#[test]
fn an_unknown_ancestor_is_not_found() {
    let mut w = World::of(&["a"]);
    let ask = json!({ "project": "p", "filter": { "ancestor": "n_zzzzzzzzzz" } });
    let fault = w.refused("NOT_FOUND", "graph_query", ask);
    fault.says(&["n_zzzzzzzzzz"]);
}

#[test]
fn an_ancestor_implies_the_project_and_a_root_finds_all_but_itself() {
    let mut w = World::of(&["a", "b in a", "c in b", "d"]);
    w.open("q");
    for (ancestor, expected) in
        [("@a", vec!["@b", "@c"]), ("@p", vec!["@a", "@b", "@c", "@d"]), ("@q", vec![])]
    {
        let found = w.graph_query(json!({ "filter": { "ancestor": ancestor }, "sort": "created" }));
        let ids: Vec<_> =
            found["nodes"].as_array().unwrap().iter().map(|node| node["id"].clone()).collect();
        assert_eq!(
            (json!(ids), &found["total"]),
            (json!(expected), &json!(expected.len())),
            "{ancestor}"
        );
        let ask = json!({ "filter": { "ancestor": ancestor }, "sort": "created", "limit": 1 });
        let first = w.graph_query(ask);
        assert_eq!(first["total"], json!(expected.len()), "{ancestor}, counted");
    }
    let ask = json!({ "project": "q", "filter": { "ancestor": "@a" } });
    assert_eq!(w.fault("graph_query", ask)["details"]["field"], "filter.ancestor");
}

#[test]
fn the_total_of_every_filter_of_states_is_what_its_pages_list() {
    let mut app = crate::support::TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    let nodes: Vec<Value> = (0..24)
        .map(|at| {
            let mut node = json!({ "ref": format!("{at}"), "summary": format!("{at}") });
            if at >= 6 {
                node["parent_ref"] = json!(format!("{}", at % 6));
            }
            if at % 3 == 1 {
                node["depends_on"] = json!([format!("{}", (at + 7) % 24 / 3 * 3)]);
            }
            node
        })
        .collect();
    let made = app.graph_plan(json!({ "project": "p", "nodes": nodes }));
    let id = |at: usize| made["created"][at]["id"].clone();
    app.graph_next(json!({ "project": "p", "claim": true, "count": 3 }));
    let resolved: Vec<Value> = [0, 8, 9, 12, 20, 23]
        .map(|at| json!({ "node_id": id(at), "resolved": true }))
        .into_iter()
        .collect();
    app.graph_update(json!({ "updates": resolved }));
    let claimed = json!({ "node_id": id(8), "properties": { "_claimed_by": "a" } });
    app.graph_update(json!({ "updates": [claimed] }));

    let states = [None, Some(true), Some(false)];
    for (resolved, is_leaf) in states.iter().flat_map(|one| states.map(|other| (*one, other))) {
        for (actionable, blocked) in states.iter().flat_map(|one| states.map(|other| (*one, other)))
        {
            for unclaimed in [false, true] {
                let mut filter = json!({
                    "resolved": resolved, "is_leaf": is_leaf, "is_actionable": actionable, "is_blocked": blocked,
                });
                if unclaimed {
                    filter["claimed_by"] = Value::Null;
                }
                let ask =
                    |limit: usize| json!({ "project": "p", "filter": filter, "limit": limit });
                let all = app.graph_query(ask(100))["nodes"].as_array().unwrap().len();
                assert_eq!(app.graph_query(ask(1))["total"], all, "{filter}");
            }
        }
    }
}

/// A common text is compared with the nodes themselves, a rare one is read from the index.
#[test]
fn common_and_rare_texts_are_found_alike() {
    let mut app = crate::support::TestApp::new();
    for project in ["p", "q"] {
        app.graph_open(json!({ "project": project }));
    }
    let nodes: Vec<Value> = (0..400)
        .map(|at| {
            let name = if at % 40 == 0 { "a \"Quoted\" ÄPFEL step" } else { "a \"quoted\" step" };
            json!({ "ref": format!("{at}"), "summary": format!("{name} {at}"), "properties": { "priority": at % 3 } })
        })
        .collect();
    app.graph_plan(json!({ "project": "p", "nodes": nodes }));
    for (text, total) in [
        ("STEP", 400),
        ("\"quoted\" s", 390),
        ("\"quoted\"", 400),
        ("äpfel", 10),
        ("step 39", 11),
        ("none", 0),
    ] {
        for sort in ["readiness", "recent", "created", "depth"] {
            let ask = |project: &str, limit: usize| json!({ "project": project, "sort": sort, "limit": limit, "filter": { "text": text } });
            let page = app.graph_query(ask("p", 9));
            assert_eq!(page["total"], total, "{text}");
            let fits = |node: &Value| {
                let summary = node["summary"].as_str().unwrap().to_lowercase();
                summary.contains(&text.to_lowercase())
            };
            let nodes = page["nodes"].as_array().unwrap();
            assert!(nodes.len() == total.min(9) && nodes.iter().all(fits), "{text}: {nodes:?}");
            assert_eq!(app.graph_query(ask("q", 9))["total"], 0, "{text}");
        }
    }
}
