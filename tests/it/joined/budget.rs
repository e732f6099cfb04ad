//! graph_brief stays within its tokens, whatever is stored.

use serde_json::{Value, json};

use super::world::Shop;

/// Tokens of a compact response.
fn tokens(answer: &Value) -> u64 {
    answer.to_string().chars().count().div_ceil(4) as u64
}

/// A shop with much about `src/pay.rs`, in long and in short texts.
fn crowded() -> Shop {
    let mut shop = Shop::full();
    for size in [10, 100, 1_000, 5_000, 30_000] {
        for at in 0..4 {
            shop.atom(
                &format!("area {size} {at}"),
                &["src/pay.rs"],
                &"ä\"\n".repeat(size / 4),
                None,
            );
        }
    }
    let group = shop.molecule("Long", &"text ".repeat(2_000));
    shop.atom("Member", &["src/*.rs"], "", Some(&group));
    let nodes: Vec<Value> = (0..60)
        .map(|at| json!({ "ref": format!("r{at}"), "summary": format!("step {at} ").repeat(10), "context_links": ["src/pay.rs"] }))
        .collect();
    shop.app.graph_plan(json!({ "project": "shop", "nodes": nodes }));
    let symbols: Vec<Value> = (0..40)
        .map(|at| {
            json!({ "id": format!("s{at}"), "type": "req", "title": format!("requirement {at}"), "status": "odd",
                "priority": "must", "properties": { "file": "src/pay.rs" } })
        })
        .collect();
    shop.app.kb_upsert(json!({ "entities": symbols }));
    shop
}

#[test]
fn the_response_is_never_longer_than_requested() {
    let mut shop = crowded();
    let paths: Vec<String> = ["src/pay.rs".to_owned()]
        .into_iter()
        .chain((0..200).map(|at| format!("web/{at}.ts")))
        .collect();
    let mut told = 0;
    for max in [200, 201, 250, 333, 500, 1_000, 1_500, 4_000, 10_000] {
        let answer = shop.brief(json!({ "paths": paths, "max_tokens": max }));
        let used = answer["used_tokens"].as_u64().unwrap();
        assert_eq!(used, tokens(&answer), "{max}: it says how long it is");
        assert!(used <= max, "{max}: {used}");
        assert!(used * 10 >= max * 7, "{max}: {used}, so that there was room for more");
        let lists = answer.as_object().unwrap().values().filter_map(Value::as_array);
        let now = lists.map(Vec::len).sum::<usize>();
        assert!(now >= told, "{max}: more room, and less in it");
        told = now;
    }
}

#[test]
fn what_is_left_out_is_counted_by_kind() {
    let mut shop = crowded();
    let whole = |answer: &Value, list: &str| {
        let shown = answer[list].as_array().map_or(0, Vec::len) as u64;
        shown + answer["left_out"][list].as_u64().unwrap_or(0)
    };
    // Twenty atoms and twenty entities that are read, one resolved node; and all those that are not read.
    let changes = 20 + 20 + 1 + (23 - 20) + (61 - 20) + (43 - 20);
    for max in [300, 1_500, 10_000] {
        let answer = shop.brief(json!({ "paths": ["src/pay.rs"], "max_tokens": max }));
        assert_eq!(whole(&answer, "changes"), changes, "{max}: {}", answer["left_out"]);
        for (list, all) in [("atoms", 23), ("molecules", 2), ("work", 61), ("kb", 43)] {
            assert_eq!(whole(&answer, list), all, "{max} {list}: {}", answer["left_out"]);
        }
        assert!(answer["left_out"]["how"].as_str().unwrap().contains("max_tokens"));
    }
}

#[test]
fn no_kind_displaces_the_others() {
    let mut shop = crowded();
    let answer = shop.brief(json!({ "paths": ["src/pay.rs", "web/x.ts"] }));
    for list in ["atoms", "failing", "kb", "work", "changes", "unknown"] {
        assert!(answer[list].as_array().is_some_and(|items| !items.is_empty()), "{list}: {answer}");
    }
}

#[test]
fn a_text_that_does_not_fit_is_named_with_its_size() {
    let mut shop = Shop::new();
    shop.atom("Long", &["src/pay.rs"], &"x".repeat(30_000), None);
    let answer = shop.brief(json!({ "paths": ["src/pay.rs"] }));
    let atom = &answer["atoms"][0];
    assert_eq!((&atom["name"], &atom["knowledge_bytes"]), (&json!("Long"), &json!(30_000)));
    assert_eq!(atom.get("knowledge"), None);
    assert_eq!(answer["left_out"]["knowledge"], 1);
    let answer = shop.brief(json!({ "paths": ["src/pay.rs"], "max_tokens": 10_000 }));
    assert_eq!(answer["atoms"][0]["knowledge"].as_str().unwrap().len(), 30_000);
    assert_eq!(answer.get("left_out"), None);
}
