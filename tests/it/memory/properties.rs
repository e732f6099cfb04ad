//! Properties: exact, type-aware, merged, and found from any combination.

use serde_json::{Value, json};

use super::world::{Memory, equal};

#[test]
fn equal_is_by_value_and_by_type() {
    let mut m = Memory::new();
    let values = [
        json!(1),
        json!(1.0),
        json!("1"),
        json!(true),
        json!("true"),
        json!(0),
        json!(false),
        json!(-0.0),
        json!(1.5),
        json!("1.0"),
        json!(9_007_199_254_740_993_i64),
        json!(9_007_199_254_740_992_i64),
        json!(u64::MAX),
        json!(u64::MAX - 1),
        json!(1_u64 << 63),
        json!(9_223_372_036_854_775_808.0),
        json!(18_446_744_073_709_551_616.0),
        json!(-9_223_372_036_854_775_808.0),
        json!(i64::MIN),
        json!(1e300),
        json!(""),
        json!("Ä"),
        json!("ä"),
    ];
    let ids: Vec<_> =
        values.iter().map(|value| m.node("Action", "x", json!({ "k": value }))).collect();
    for wanted in &values {
        let expected: Vec<_> = ids
            .iter()
            .zip(&values)
            .filter(|(_, value)| equal(value, wanted))
            .map(|(id, _)| id.clone())
            .collect();
        for kind in [json!("Action"), Value::Null] {
            let ask = json!({ "type": kind, "properties": { "k": wanted } });
            assert_eq!(m.ids("query_nodes", ask.clone()), expected, "{ask}");
            let first =
                m.query_nodes(json!({ "type": kind, "properties": { "k": wanted }, "limit": 1 }));
            let total = first["total"].as_u64().map_or(1, |total| total as usize);
            assert_eq!(total, expected.len(), "counted {ask}");
        }
    }
    for (id, value) in ids.iter().zip(&values) {
        let node = m.get_node(json!({ "node_id": id }));
        assert_eq!(node["properties"]["k"].to_string(), value.to_string(), "given back as written");
    }
}

#[test]
fn without_a_type_all_types_are_queried_and_paged_together() {
    let mut m = Memory::new();
    let kinds = ["Action", "Project", "Context"];
    let made: Vec<_> =
        (0..20).map(|n| m.node(kinds[n * n % 3], "x", json!({ "k": n % 2, "n": n }))).collect();
    for limit in [1, 3, 7, 20] {
        let (mut found, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let ask = json!({ "properties": { "k": 1 }, "limit": limit, "cursor": cursor });
            let page = m.query_nodes(ask);
            found.extend(page["node_ids"].as_array().unwrap().iter().cloned());
            if page["next_cursor"].is_null() {
                break;
            }
            assert_eq!(page["total"], 10, "{limit}");
            cursor = page["next_cursor"].clone();
        }
        let odd: Vec<_> = made.iter().skip(1).step_by(2).map(|id| json!(id)).collect();
        assert_eq!(found, odd, "oldest first, whatever the type, by {limit}");
    }
    let ask = json!({ "properties": { "k": 1, "n": 7 } });
    assert_eq!(m.ids("query_nodes", ask), [made[7].clone()]);
}

#[test]
fn connections_are_found_by_their_properties_as_nodes_are() {
    let mut m = Memory::new();
    let [a, b, c] = m.nodes("Action", ["a", "b", "c"]);
    let mut connect = |from: &str, to: &str, properties: Value| {
        let ask = json!({ "type": "DependsOn", "from_node_id": from, "to_node_id": to, "properties": properties });
        m.create_connection(ask)["connection_id"].as_str().unwrap().to_owned()
    };
    let one = connect(&a, &b, json!({ "n": 1, "s": "x" }));
    let two = connect(&a, &c, json!({ "n": 1.0, "s": "y" }));
    let three = connect(&b, &c, json!({ "n": "1", "s": "x" }));
    for (ask, expected) in [
        (json!({ "properties": { "n": 1 } }), vec![&one, &two]),
        (json!({ "properties": { "n": 1, "s": "x" } }), vec![&one]),
        (json!({ "properties": { "s": "x" } }), vec![&one, &three]),
        (json!({ "type": "DependsOn", "properties": { "s": "x" } }), vec![&one, &three]),
        (json!({ "type": "NextAction", "properties": { "s": "x" } }), vec![]),
        (json!({ "from_node_id": a, "properties": { "s": "x" } }), vec![&one]),
        (json!({ "to_node_id": c, "properties": { "s": "x" }, "type": "DependsOn" }), vec![&three]),
        (json!({ "from_node_id": a, "to_node_id": c, "properties": { "n": 1 } }), vec![&two]),
        (json!({ "properties": { "missing": 1 } }), vec![]),
    ] {
        let found = m.ids("query_connections", ask.clone());
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{ask}");
    }
}

#[test]
fn an_update_merges_and_the_index_follows() {
    let mut m = Memory::new();
    let id = m.node("Action", "x", json!({ "a": 1, "b": "old" }));
    m.app.advance_minutes(1);
    m.update_node(json!({ "node_id": id, "properties": { "b": "new", "c": true } }));
    let node = m.get_node(json!({ "node_id": id }));
    assert_eq!(node["properties"], json!({ "a": 1, "b": "new", "c": true }));
    assert_eq!(node["created"], "2026-01-01T00:00:00.000Z");
    assert_eq!(node["modified"], "2026-01-01T00:01:00.000Z");
    for (properties, there) in [
        (json!({ "a": 1 }), true),
        (json!({ "b": "old" }), false),
        (json!({ "b": "new" }), true),
        (json!({ "a": 1, "b": "new", "c": true }), true),
        (json!({ "c": 1 }), false),
    ] {
        let found = m.ids("query_nodes", json!({ "properties": properties }));
        assert_eq!(found.len(), usize::from(there), "{properties}");
    }
    // The same once more is an update too.
    m.app.advance_minutes(1);
    m.update_node(json!({ "node_id": id, "properties": { "b": "new" } }));
    let node = m.get_node(json!({ "node_id": id }));
    assert_eq!(node["modified"], "2026-01-01T00:02:00.000Z");
}

#[test]
fn the_result_does_not_depend_on_which_condition_is_selective() {
    let mut m = Memory::new();
    // 700 nodes: each property matches another share of them, more than the first probe of each index reads.
    let ids: Vec<_> = (0..700)
        .map(|n| m.node("Action", "x", json!({ "two": n % 2, "seven": n % 7, "all": "y", "n": n })))
        .collect();
    for (filter, fits) in [
        (json!({ "all": "y", "two": 1 }), (|n| n % 2 == 1) as fn(usize) -> bool),
        (json!({ "two": 1, "seven": 3, "all": "y" }), |n| n % 2 == 1 && n % 7 == 3),
        (json!({ "all": "y", "n": 600 }), |n| n == 600),
        (json!({ "n": 600, "two": 1 }), |_| false),
    ] {
        let expected: Vec<_> = (0..700).filter(|n| fits(*n)).map(|n| ids[n].clone()).collect();
        for kind in [json!("Action"), Value::Null] {
            let ask = json!({ "type": kind, "properties": filter });
            assert_eq!(m.ids("query_nodes", ask), expected, "{filter}");
        }
    }
}
