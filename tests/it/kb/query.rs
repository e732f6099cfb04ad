//! `kb_query`: by what entities are, by how they are linked, and the links themselves.

use serde_json::json;

use super::world::Kb;

/// Two must requirements, one of them verified; a symbol between them.
fn shop() -> Kb {
    let mut kb = Kb::of(
        "req R1 R2 R3, test T1 T2, scenario S1, symbol f g, adr A1",
        "R1 verified_by T1, R1 specified_by S1, R2 depends_on R1, f implements R1, f covered_by T1, g implements R2",
    );
    kb.up(json!({ "entities": [
        { "id": "R1", "priority": "must", "tags": ["auth", "web"], "owner": "ann" },
        { "id": "R2", "priority": "must", "tags": ["auth"], "owner": "bob", "status": "draft" },
        { "id": "R3", "tags": ["web"], "properties": { "note": "Émile's idea" } },
    ] }));
    kb
}

#[test]
fn filters() {
    let mut kb = shop();
    for (ask, expected) in [
        (json!({}), "A1 R1 R2 R3 S1 T1 T2 f g"),
        (json!({ "type": "req" }), "R1 R2 R3"),
        (json!({ "type": ["test", "symbol"] }), "T1 T2 f g"),
        (json!({ "id": "R2" }), "R2"),
        (json!({ "id": ["T2", "R1", "none"] }), "R1 T2"),
        (json!({ "id": "none" }), ""),
        (json!({ "tags": ["auth"] }), "R1 R2"),
        (json!({ "tags": ["auth", "web"] }), "R1"),
        (json!({ "tags": ["Auth"] }), ""),
        (json!({ "status": "draft" }), "R2"),
        (json!({ "owner": "ann" }), "R1"),
        (json!({ "priority": "must" }), "R1 R2"),
        (json!({ "priority": "must", "owner": "bob", "type": "req" }), "R2"),
        (json!({ "text": "title of R" }), "R1 R2 R3"),
        (json!({ "text": "TITLE OF t1" }), "T1"),
        (json!({ "text": "émile" }), "R3"),
        (json!({ "text": "r2" }), "R2"),
        (json!({ "text": "É" }), "R3"),
        (json!({ "text": "\" OR title" }), ""),
        (json!({ "source": "agent:a" }), "A1 R1 R2 R3 S1 T1 T2 f g"),
        (json!({ "source": "agent" }), "A1 R1 R2 R3 S1 T1 T2 f g"),
        (json!({ "source": "age" }), ""),
        (json!({ "source": "file" }), ""),
    ] {
        assert_eq!(kb.ids(ask.clone()), expected, "{ask}");
    }
}

#[test]
fn link_patterns_combine_with_and() {
    let mut kb = shop();
    let out = |relation: &str| json!({ "relation": relation });
    for (related, expected) in [
        (json!([out("verified_by")]), "R1"),
        (json!([out("verified_by"), out("specified_by")]), "R1"),
        (json!([out("verified_by"), out("depends_on")]), ""),
        (json!([{ "relation": "verified_by", "direction": "in" }]), "T1"),
        (json!([{ "relation": "implements", "id": "R1" }]), "f"),
        (json!([{ "relation": "implements", "direction": "in", "id": "g" }]), "R2"),
        (json!([{ "relation": "verified_by", "type": "test" }]), "R1"),
        (json!([{ "relation": "verified_by", "type": "req" }]), ""),
        (json!([{ "relation": "implements" }, { "relation": "covered_by", "absent": true }]), "g"),
    ] {
        assert_eq!(kb.ids(json!({ "related": related })), expected, "{related}");
    }
}

#[test]
fn priorities_ignore_case() {
    let mut kb = Kb::of("req R1 R2 R3", "");
    for (id, priority) in [("R1", "must"), ("R2", "Must"), ("R3", "should")] {
        kb.up(json!({ "entities": [{ "id": id, "priority": priority }] }));
    }
    assert_eq!(kb.ids(json!({ "priority": "must" })), "R1 R2");
    assert_eq!(kb.ids(json!({ "priority": "MUST" })), "R1 R2");
    assert_eq!(kb.violations(json!({ "rules": ["must-coverage"] })).len(), 2);
    assert_eq!(kb.entity("R2")["priority"], "Must", "as it was written");
}

#[test]
fn absent_finds_must_requirements_without_a_test() {
    let mut kb = shop();
    let gaps = json!({ "type": "req", "priority": "must", "related": [{ "relation": "verified_by", "absent": true }] });
    assert_eq!(kb.ids(gaps.clone()), "R2");
    let other = json!({ "type": "req", "related": [{ "relation": "verified_by", "id": "T2", "absent": true }] });
    assert_eq!(kb.ids(other), "R1 R2 R3");
    kb.put("", "R2 verified_by T2");
    assert_eq!(kb.ids(gaps), "");
}

#[test]
fn relationships_of_the_found_entities_are_returned_on_request() {
    let mut kb = shop();
    assert_eq!(kb.query(json!({ "id": "R1" })).get("relationships"), None);
    let found = kb.query(json!({ "id": ["R1", "R2"], "relationships": true }));
    let names: Vec<_> = found["relationships"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {} {}", it["from"], it["relation"], it["to"]).replace('"', ""))
        .collect();
    assert_eq!(
        names,
        [
            "R1 specified_by S1",
            "R1 verified_by T1",
            "R2 depends_on R1",
            "f implements R1",
            "g implements R2"
        ],
        "each link once"
    );
}

#[test]
fn edges_list_the_links_themselves() {
    let mut kb = shop();
    for (edges, expected) in [
        (json!({}), 6),
        (json!({ "relation": "implements" }), 2),
        (json!({ "from": "R1" }), 2),
        (json!({ "to": "T1" }), 2),
        (json!({ "to": "T1", "relation": "covered_by" }), 1),
        (json!({ "from": "f", "to": "R1", "relation": "implements" }), 1),
        (json!({ "from": "none" }), 0),
    ] {
        let found = kb.query(json!({ "edges": edges }));
        assert_eq!(found["total"], expected, "{edges}");
        assert_eq!(found["relationships"].as_array().unwrap().len(), expected, "{edges}");
        assert_eq!(found["entities"], json!([]));
    }
}

#[test]
fn pages_join_to_the_whole_and_cursors_belong_to_their_query() {
    let mut kb = shop();
    for (whole, list, expected) in
        [(json!({}), "entities", 9), (json!({ "edges": {} }), "relationships", 6)]
    {
        let (mut seen, mut cursor) = (Vec::new(), json!(null));
        loop {
            let mut ask = whole.clone();
            (ask["limit"], ask["cursor"]) = (2.into(), cursor.clone());
            let mut page = kb.query(ask);
            assert_eq!(page["total"], expected);
            seen.extend(page[list].as_array().unwrap().iter().map(ToString::to_string));
            cursor = page["next_cursor"].take();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(seen.len(), expected);
        seen.dedup();
        assert_eq!(seen.len(), expected);
    }
    let cursor = kb.query(json!({ "limit": 2 }))["next_cursor"].take();
    for other in [json!({ "type": "req" }), json!({ "edges": {} }), json!({ "tags": ["auth"] })] {
        let mut ask = other;
        ask["cursor"] = cursor.clone();
        kb.refused("VALIDATION_ERROR", "kb_query", ask).says(&["cursor"]);
    }
}

#[test]
fn a_page_has_twenty_by_default_and_its_cursor_is_valid_on_its_branch_only() {
    let mut kb = Kb::empty();
    let ids: Vec<_> = (0..25).map(|at| format!("R{at:02}")).collect();
    kb.put(&format!("req {}", ids.join(" ")), "");
    let first = kb.query(json!({}));
    assert_eq!(first["entities"].as_array().unwrap().len(), 20);
    let cursor = first["next_cursor"].clone();
    kb.checkout("side");
    for branch in [json!(null), json!("side")] {
        let ask = json!({ "cursor": cursor, "branch": branch });
        kb.refused("VALIDATION_ERROR", "kb_query", ask)
            .says(&["cursor", "a query with other arguments"]);
    }
    let rest = kb.query(json!({ "cursor": cursor, "branch": "main" }));
    assert_eq!(rest["entities"].as_array().unwrap().len(), 5);
    assert_eq!(rest.get("next_cursor"), None);
}

#[test]
fn a_page_stays_within_its_characters() {
    let mut kb = Kb::empty();
    let long = "x".repeat(1_000);
    let entities: Vec<_> = (0..60)
        .map(|i| json!({ "id": format!("R{i:02}"), "type": "req", "title": long, "status": "draft" }))
        .collect();
    kb.up(json!({ "entities": entities }));
    for (ask, most) in [(json!({}), 8_500), (json!({ "limit": 200 }), 40_500)] {
        let found = kb.query(ask);
        assert!(found.to_string().len() < most, "{}", found.to_string().len());
        assert_eq!(found["total"], 60);
        assert!(found["next_cursor"].is_string());
    }
}

#[test]
fn a_long_entity_is_cut_in_a_list_and_complete_by_id() {
    let mut kb = Kb::empty();
    let long = |id: &str| {
        let links: Vec<_> =
            (0..100).map(|i| format!("https://x/{i}{}", "\"".repeat(1_900))).collect();
        let properties = json!({ "a": "\"".repeat(7_000) });
        json!({ "id": id, "type": "req", "title": "t".repeat(4_000), "status": "draft",
            "links": links, "properties": properties })
    };
    kb.up(json!({ "entities": [long("R1"), long("R2")] }));
    for (ask, most) in [
        (json!({}), 8_500),
        (json!({ "relationships": true }), 8_500),
        (json!({ "limit": 200 }), 40_500),
        (json!({ "id": ["R1", "R2"] }), 8_500),
    ] {
        let found = kb.query(ask.clone());
        let size = found.to_string().chars().count();
        assert!(size < most, "{ask}: {size}");
        let shortened = &found["shortened"][0];
        assert_eq!(shortened["id"], "R1");
        assert_eq!(shortened["fields"][0], "links", "{shortened}");
        assert_eq!(found["entities"][0].get("links"), None);
        assert_eq!(found["total"], 2);
    }
    let whole = kb.query(json!({ "id": "R1" }));
    assert_eq!(whole["entities"][0]["links"].as_array().unwrap().len(), 100);
    assert_eq!(whole.get("shortened"), None);
}

#[test]
fn text_search_finds_the_current_text_of_entities() {
    let mut kb = shop();
    kb.up(json!({ "entities": [{ "id": "R1", "title": "Quixotic quest" }] }));
    assert_eq!(kb.ids(json!({ "text": "quixotic" })), "R1");
    assert_eq!(kb.ids(json!({ "text": "title of R1" })), "");
    kb.app.kb_delete(json!({ "ids": ["R1"], "cascade": true, "reason": "no" }));
    assert_eq!(kb.ids(json!({ "text": "quixotic" })), "");
}

#[test]
fn the_dotted_name_of_the_seed_is_accepted() {
    let mut kb = shop();
    assert_eq!(kb.app.ok("kb.query", json!({ "id": "R1" }))["total"], 1);
}
