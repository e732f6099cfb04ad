//! graph_search: one question to all domains.

use serde_json::{Value, json};

use super::world::{Shop, each};
use crate::support::TestApp;

/// `domain kind title` of each hit.
fn shown(answer: &Value) -> Vec<String> {
    let hits = answer["hits"].as_array().unwrap().iter();
    let text = |hit: &Value, field: &str| hit[field].as_str().unwrap().to_owned();
    hits.map(|hit| format!("{} {} {}", text(hit, "domain"), text(hit, "kind"), text(hit, "title")))
        .collect()
}

fn remembering() -> Shop {
    let mut shop = Shop::full();
    shop.app.create_ontology(json!({ "node_types": ["Decision"], "connection_types": [] }));
    shop.app.create_node(
        json!({ "type": "Decision", "content": "# Cards first\n\nA card is what customers have." }),
    );
    shop
}

#[test]
fn all_domains_are_searched_at_once() {
    let mut shop = remembering();
    let answer = shop.search(json!({ "query": "CARD" }));
    let mut hits = shown(&answer);
    hits.sort();
    assert_eq!(
        hits,
        [
            "kb req Pay by card",
            "kb symbol pay()",
            "memory Decision Cards first",
            "work node Take cards"
        ]
    );
    let ids = each(&answer, "hits", "id");
    assert!(ids.contains("REQ-1") && ids.contains("mem_") && ids.contains(&shop.pay), "{ids}");
    let symbol = answer["hits"].as_array().unwrap().iter().find(|hit| hit["id"] == "pay").unwrap();
    assert!(symbol["snippet"].as_str().unwrap().contains("charges a card"), "{symbol}");
    let work =
        answer["hits"].as_array().unwrap().iter().find(|hit| hit["domain"] == "work").unwrap();
    assert_eq!(work.get("snippet"), None, "the title says it all");
    assert_eq!(
        shown(&shop.search(json!({ "query": "integers of cents" }))),
        ["knowledge molecule Money"]
    );
    assert_eq!(shown(&shop.search(json!({ "query": "sell" }))), ["work project Sell things"]);
}

#[test]
fn the_phrase_ranks_first_then_all_words_then_some() {
    let mut shop = Shop::new();
    shop.atom("some", &["a"], "retry it", None);
    shop.atom("whole", &["b"], "then the gateway retry begins", None);
    shop.atom("all", &["c"], "retry when the gateway is down", None);
    shop.atom("two of three", &["d"], "gateway and nothing else to retry", None);
    let answer = shop.search(json!({ "query": "Gateway  retry" }));
    assert_eq!(each(&answer, "hits", "title"), "whole,two of three,all,some");
    let answer = shop.search(json!({ "query": "retry gateway begins" }));
    assert_eq!(each(&answer, "hits", "title"), "whole,two of three,all,some");
    // A short word counts, though the index does not know it.
    let answer = shop.search(json!({ "query": "retry it" }));
    assert_eq!(each(&answer, "hits", "title"), "some,two of three,all,whole");
}

#[test]
fn a_title_comes_before_other_text() {
    let mut shop = Shop::new();
    shop.atom("Ledger", &["a"], "x", None);
    shop.atom("Other", &["b"], "see the ledger", None);
    assert_eq!(each(&shop.search(json!({ "query": "ledger" })), "hits", "title"), "Ledger,Other");
}

#[test]
fn short_texts_are_searched_in_all_domains() {
    let mut shop = remembering();
    shop.atom("Umlaut", &["a"], "Öl", None);
    for query in ["öl", "ÖL"] {
        assert_eq!(
            shown(&shop.search(json!({ "query": query }))),
            ["knowledge atom Umlaut"],
            "{query}"
        );
    }
    let hits = shown(&shop.search(json!({ "query": "ay", "limit": 50 })));
    assert_eq!(hits, ["knowledge atom Payments", "kb req Pay by card", "kb symbol pay()"]);
    assert_eq!(shop.search(json!({ "query": "#" }))["hits"][0]["domain"], "memory");
    let hits = shown(&shop.search(json!({ "query": "by ay" })));
    assert_eq!(hits[0], "kb req Pay by card", "both words: {hits:?}");
}

#[test]
fn a_query_is_never_search_syntax() {
    let mut shop = Shop::new();
    let texts = [
        "a\" OR b",
        "NEAR(x y)",
        "c* AND",
        "col:val",
        "'; DROP TABLE x",
        "^caret",
        "(",
        "\"\"\"",
        "-",
        "a - b",
    ];
    for text in texts {
        shop.atom(text, &["a"], "", None);
    }
    for text in texts {
        let answer = shop.search(json!({ "query": text, "limit": 50 }));
        assert!(each(&answer, "hits", "title").contains(text), "{text}: {answer}");
    }
    assert_eq!(shown(&shop.search(json!({ "query": "\"ZZZ\" OR \"QQQ\"" }))).len(), 0);
}

#[test]
fn a_kb_hit_is_of_the_active_branch() {
    let mut kb = crate::kb::world::Kb::empty();
    kb.checkout("main");
    let entity = |title: &str| json!({ "entities": [{ "id": "R", "type": "req", "title": title, "status": "draft" }] });
    kb.up(entity("zebra crossing"));
    kb.checkout("feature");
    kb.up(entity("zebra herd"));
    let titles = |kb: &mut crate::kb::world::Kb| {
        each(&kb.app.graph_search(json!({ "query": "zebra" })), "hits", "title")
    };
    assert_eq!(titles(&mut kb), "zebra herd");
    kb.checkout("main");
    assert_eq!(titles(&mut kb), "zebra crossing");
    kb.checkout("fresh");
    assert_eq!(titles(&mut kb), "zebra crossing", "its first use");
    assert_eq!(each(&kb.app.graph_search(json!({ "query": "ze" })), "hits", "id"), "R");
}

#[test]
fn only_active_toolsets_are_searched() {
    let mut shop = remembering();
    let kinds = |answer: &Value| {
        let mut domains: Vec<String> =
            each(answer, "hits", "domain").split(',').map(str::to_owned).collect();
        domains.sort();
        domains.dedup();
        domains.join(",")
    };
    assert_eq!(kinds(&shop.search(json!({ "query": "card" }))), "kb,memory,work");
    assert_eq!(
        kinds(&shop.search(json!({ "query": "card", "domains": ["memory", "work"] }))),
        "memory,work"
    );
    assert_eq!(kinds(&shop.search(json!({ "query": "card", "domains": "kb" }))), "kb");
    assert_eq!(kinds(&shop.search(json!({ "query": "card", "domains": "kb, work" }))), "kb,work");
    shop.app.configure("toolsets: [work, memory]\n");
    assert_eq!(kinds(&shop.search(json!({ "query": "card" }))), "memory,work");
    let fault = shop.app.fault("graph_search", json!({ "query": "card", "domains": ["kb"] }));
    assert!(
        fault["message"].as_str().unwrap().contains("`kb`, and that toolset is not on"),
        "{fault}"
    );
}

#[test]
fn a_long_list_is_cut_counted_and_in_a_fixed_order() {
    let mut shop = Shop::new();
    let nodes: Vec<Value> = (0..400)
        .map(|at| json!({ "ref": format!("r{at}"), "summary": format!("tidy room {at}") }))
        .collect();
    shop.app.graph_plan(json!({ "project": "shop", "nodes": nodes }));
    let answer = shop.search(json!({ "query": "tidy room" }));
    assert_eq!(answer["hits"].as_array().unwrap().len(), 10);
    assert_eq!(answer["hits"][0]["title"], "tidy room 399", "the newest first");
    assert!(answer["omitted"].as_u64().unwrap() >= 290 && answer["more"] == true, "{answer}");
    let how = answer["how"].as_str().unwrap();
    assert!(how.contains("only the newest texts") && how.contains("another word"), "{how}");
    assert_eq!(answer, shop.search(json!({ "query": "tidy room" })));
    let few = shop.search(json!({ "query": "room 39" }));
    assert_eq!((few["omitted"].is_u64(), few.get("more").is_some()), (true, true), "{few}");
    let few = shop.search(json!({ "query": "tidy room 39" }));
    assert_eq!(few["hits"].as_array().unwrap().len(), 10, "{few}");
    let answer = shop.search(json!({ "query": "room 123", "limit": 50 }));
    assert_eq!(answer["hits"][0]["title"], "tidy room 123");
    let text = shop.search(json!({ "query": "tidy", "limit": 50 })).to_string();
    assert!(text.len() < 40_000, "{}", text.len());
}

#[test]
fn snippets_are_one_short_line_around_the_match() {
    let mut shop = Shop::new();
    let text =
        format!("{}\u{1b}[31mneedle\u{7}\n\u{202e}{}", "before ".repeat(200), "after ".repeat(200));
    shop.atom("Hay", &["a"], &text, None);
    let snippet = shop.search(json!({ "query": "needle" }))["hits"][0]["snippet"].take();
    let snippet = snippet.as_str().unwrap();
    assert!(
        snippet.contains("needle") && snippet.starts_with('…') && snippet.ends_with('…'),
        "{snippet}"
    );
    assert!(
        snippet.chars().count() <= 162 && !snippet.chars().any(char::is_control),
        "{snippet:?}"
    );
}

#[test]
fn bad_questions_are_refused() {
    let mut app = TestApp::new();
    for (arguments, says) in [
        (json!({}), "query"),
        (json!({ "query": " \n" }), "`query` is empty"),
        (json!({ "query": "x".repeat(257) }), "at most 256"),
        (json!({ "query": "x", "limit": 0 }), "limit"),
        (json!({ "query": "x", "limit": 51 }), "limit"),
        (json!({ "query": "x", "domains": ["nope"] }), "domains"),
    ] {
        let fault = app.fault("graph_search", arguments.clone());
        assert_eq!(fault["code"], "VALIDATION_ERROR", "{arguments}");
        assert!(fault["message"].as_str().unwrap().contains(says), "{arguments}: {fault}");
    }
    assert_eq!(app.graph_search(json!({ "query": "anything" })), json!({ "hits": [] }));
    assert_eq!(app.graph_search(json!({ "query": "x" })), json!({ "hits": [] }));
}
