//! Lists of ids: bounded, oldest first, continued by a cursor that belongs to its query.

use serde_json::{Value, json};

use super::world::{Memory, text};

/// All pages of a query, and their ids in order.
fn all_pages(m: &mut Memory, tool: &str, ask: &Value) -> Vec<Vec<String>> {
    let (mut pages, mut ask) = (Vec::new(), ask.clone());
    loop {
        let answer = m.ok(tool, ask.clone());
        let ids = answer.get("node_ids").or(answer.get("connection_ids")).unwrap();
        pages.push(ids.as_array().unwrap().iter().map(text).collect::<Vec<_>>());
        let Some(cursor) = answer.get("next_cursor") else {
            return pages;
        };
        assert!(answer["total"].as_u64() > Some(pages.last().unwrap().len() as u64), "{answer}");
        ask["cursor"] = cursor.clone();
    }
}

#[test]
fn every_list_has_pages_that_join_to_the_whole() {
    let mut m = Memory::new();
    let [hub] = m.nodes("Project", ["hub"]);
    for n in 0..25 {
        let id = m.node("Action", &format!("word {n}"), json!({ "k": "v" }));
        m.connect("NextAction", &hub, &id);
    }
    for (tool, ask) in [
        ("query_nodes", json!({ "type": "Action" })),
        ("query_nodes", json!({ "properties": { "k": "v" } })),
        ("query_nodes", json!({ "type": "Action", "properties": { "k": "v" } })),
        ("query_connections", json!({ "from_node_id": hub })),
        ("query_connections", json!({ "type": "NextAction" })),
        ("get_connected_nodes", json!({ "node_id": hub, "direction": "out" })),
        ("get_connected_nodes", json!({ "node_id": hub, "direction": "both" })),
        ("search_content", json!({ "query": "word" })),
        ("search_content", json!({ "query": "wo" })),
    ] {
        let whole = all_pages(&mut m, tool, &ask);
        assert_eq!((whole.len(), whole[0].len()), (1, 25), "{tool} {ask}");
        for limit in [1, 7, 24, 25, 1_000_000] {
            let mut limited = ask.clone();
            limited["limit"] = json!(limit);
            let pages = all_pages(&mut m, tool, &limited);
            assert_eq!(pages.concat(), whole[0], "{tool} {limited}");
            assert!(pages.iter().all(|page| page.len() <= limit), "{tool} {limited}");
        }
        let mut one = ask.clone();
        one["limit"] = json!(1);
        let first = m.ok(tool, one.clone());
        assert_eq!(first["total"], 25, "{tool}");
        one["cursor"] = first["next_cursor"].clone();
        let second = m.ok(tool, one.clone());
        assert_eq!(second["total"], 25, "{tool}: the total is that of all");
        // A cursor of another query is refused.
        m.refused(
            "VALIDATION_ERROR",
            "query_nodes",
            json!({ "type": "Person", "cursor": first["next_cursor"] }),
        )
        .says(&["cursor"]);
    }
    for limit in [json!(0), json!(-1), json!("x"), json!(1.5)] {
        for (tool, ask) in [
            ("query_nodes", json!({})),
            ("query_connections", json!({})),
            ("get_connected_nodes", json!({ "node_id": hub, "direction": "out" })),
            ("search_content", json!({ "query": "word" })),
        ] {
            let mut ask = ask;
            ask["limit"] = limit.clone();
            m.refused("VALIDATION_ERROR", tool, ask).says(&["limit"]);
        }
    }
}

#[test]
fn without_a_limit_two_thousand_ids_and_the_next_cursor_are_returned() {
    let mut m = Memory::new();
    for _ in 0..2_001 {
        m.node("Action", "x", json!({}));
    }
    let answer = m.query_nodes(json!({}));
    assert_eq!(answer["node_ids"].as_array().unwrap().len(), 2_000);
    assert_eq!(answer["total"], 2_001);
    assert!(answer.to_string().len() < 40_000);
    let rest = m.query_nodes(json!({ "cursor": answer["next_cursor"] }));
    assert_eq!(rest["node_ids"].as_array().unwrap().len(), 1);
    assert_eq!((&rest["total"], rest.get("next_cursor")), (&json!(2_001), None));
}

#[test]
fn ten_thousand_connections_on_one_node() {
    let mut m = Memory::new();
    let [hub, other] = m.nodes("Action", ["hub", "other"]);
    // Through the domain in one transaction: the tool commits each.
    let ids = m
        .app
        .write("a", |tx| {
            (0..10_000)
                .map(|n| {
                    let to = if n == 5_000 { &other } else { &hub };
                    let ask = graph::memory::CreateConnection {
                        r#type: "DependsOn".to_owned(),
                        from_node_id: hub.clone(),
                        to_node_id: to.clone(),
                        ..Default::default()
                    };
                    Ok(graph::memory::create_connection(tx, &ask)?.connection_id)
                })
                .collect::<graph::base::Result<Vec<_>>>()
        })
        .unwrap();
    let pages = all_pages(&mut m, "query_connections", &json!({ "from_node_id": hub }));
    assert_eq!(pages.len(), 5);
    assert!(pages.concat() == ids, "all of them, oldest first");
    let both = json!({ "from_node_id": hub, "to_node_id": other });
    assert_eq!(m.ids("query_connections", both), [ids[5_000].as_str()]);
    assert_eq!(m.connected(&hub, "out"), [hub.as_str(), &other], "itself too");
    m.delete_node(json!({ "node_id": hub }));
    assert_eq!(m.ids("query_connections", json!({})), Vec::<String>::new());
    assert_eq!(m.ids("query_nodes", json!({})), [other]);
}

#[test]
fn a_large_ontology_has_pages_that_join_to_the_whole() {
    let mut m = Memory::empty();
    let node_types: Vec<String> =
        (0..1_000).map(|n| format!("{n:03} {}", "n".repeat(60))).collect();
    let connection_types: Vec<Value> = (0..300)
        .map(|n| {
            json!({ "name": format!("{n:03} {}", "c".repeat(60)), "from_types": [node_types[n]],
            "to_types": [node_types[n + 1]], "required_properties": ["since"] })
        })
        .collect();
    let whole = json!({ "node_types": node_types, "connection_types": connection_types });
    m.create_ontology(whole.clone());
    let (mut told, mut ask, mut pages) =
        (json!({ "node_types": [], "connection_types": [] }), json!({}), 0);
    loop {
        let mut page = m.get_ontology(ask);
        assert!(page.to_string().chars().count() <= 40_500, "page {pages}");
        for part in ["node_types", "connection_types"] {
            told[part].as_array_mut().unwrap().append(page[part].as_array_mut().unwrap());
        }
        pages += 1;
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        ask = json!({ "cursor": cursor });
        if pages == 1 {
            // Entries that are added meanwhile are listed as well.
            m.add_node_type(json!({ "type_name": "late" }));
        }
    }
    let mut expected = whole;
    expected["node_types"].as_array_mut().unwrap().push(json!("late"));
    assert_eq!(told, expected);
    assert!(pages > 2, "{pages}");
    m.refused("VALIDATION_ERROR", "get_ontology", json!({ "cursor": "x" }));
}
