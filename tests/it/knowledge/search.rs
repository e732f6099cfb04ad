//! query_graph search: by text, by molecule, orphans only, in pages.

use serde_json::json;

use super::world::{World, names};

/// Atoms of two molecules and none.
fn world() -> World {
    let mut w = World::new();
    w.molecule("Pages", json!({ "knowledge": "All pages use the shared layout system" }));
    w.molecule("API", json!({ "knowledge": "Endpoints speak JSON" }));
    for (name, molecule, knowledge) in [
        ("Checkout", json!("@Pages"), "Zustand stores, Stripe iframe"),
        ("Profile", json!("@Pages"), "locales come from the registry"),
        ("Auth", json!("@API"), "tokens rotate daily; Stripe is not involved"),
        ("Bus", json!(null), "events, at least once"),
        ("Alone", json!(null), ""),
    ] {
        w.atom(name, &["src/**"], json!({ "moleculeId": molecule, "knowledge": knowledge }));
    }
    w
}

#[test]
fn without_a_filter_everything_of_the_project_comes_by_name() {
    let mut w = world();
    w.open("q");
    w.atom("Foreign", &["x"], json!({ "projectId": "q" }));
    assert_eq!(w.found("atom", json!({})), "Alone Auth Bus Checkout Profile");
    assert_eq!(w.found("molecule", json!({})), "API Pages");
    assert_eq!(w.found("atom", json!({ "projectId": "q" })), "Foreign");
    assert_eq!(w.found("molecule", json!({ "projectId": "@q" })), "");
}

#[test]
fn the_project_may_be_omitted_when_it_is_the_only_one() {
    let mut w = world();
    let ask = json!({ "operation": "search", "entityType": "molecule" });
    assert_eq!(names(&w.data("query_graph", ask.clone())["items"]), "API Pages");
    w.open("q");
    w.refused("VALIDATION_ERROR", "query_graph", ask).says(&["projectId"]);
}

#[test]
fn equal_names_come_by_id() {
    let mut w = World::new();
    let mut ids = Vec::new();
    for _ in 0..5 {
        w.molecule("same", json!({}));
        ids.push(w.id("same"));
    }
    ids.sort();
    let answer = w.app.query_graph(json!({ "operation": "search", "entityType": "molecule" }));
    assert_eq!(super::world::each(&answer["data"]["items"], "id"), ids);
}

#[test]
fn text_is_found_in_name_and_knowledge() {
    let mut w = world();
    for (query, expected) in [
        ("stripe", "Auth Checkout"),
        ("CHECK", "Checkout"),
        ("rotate daily", "Auth"),
        ("daily rotate", ""),
        ("tokens rotate daily; Stripe is not involved", "Auth"),
        ("nowhere", ""),
    ] {
        assert_eq!(w.found("atom", json!({ "query": query })), expected, "{query}");
    }
    assert_eq!(w.found("molecule", json!({ "query": "layout" })), "Pages");
    assert_eq!(w.found("molecule", json!({ "query": "api" })), "API");
    assert_eq!(w.found("molecule", json!({ "query": "stripe" })), "", "atoms are no molecules");
}

#[test]
fn one_and_two_characters_are_found_too() {
    let mut w = world();
    let all = "Alone Auth Bus Checkout Profile";
    for (query, expected) in [
        ("A", all),
        ("z", "Checkout"),
        ("BU", "Bus"),
        (";", "Auth"),
        ("s,", "Bus Checkout"),
        ("é", ""),
    ] {
        assert_eq!(w.found("atom", json!({ "query": query })), expected, "{query}");
    }
}

#[test]
fn case_does_not_matter_in_any_script() {
    let mut w = World::new();
    for (name, text) in [
        ("german", "Über Äpfel"),
        ("greek", "ΛΌΓΟΣ καὶ μῦθος"),
        ("russian", "Оплата картой"),
        ("french", "Écran d'accueil"),
    ] {
        w.atom(name, &["x"], json!({ "knowledge": text }));
    }
    for (query, expected) in [
        ("über äpfel", "german"),
        ("ÜBER", "german"),
        ("ä", "german"),
        ("ÄP", "german"),
        ("λόγο", "greek"),
        ("ΜΥ͂ΘΟ", ""),
        ("оПЛАТА", "russian"),
        ("ОП", "russian"),
        ("éCRAN", "french"),
    ] {
        assert_eq!(w.found("atom", json!({ "query": query })), expected, "{query}");
    }
}

#[test]
fn search_syntax_is_plain_text() {
    let mut w = World::new();
    let texts = [
        ("quoted", "say \"hello there\" now"),
        ("star", "glob** and more"),
        ("logic", "this AND that OR NOT NEAR(x, y)"),
        ("minus", "a -b ^c"),
        ("column", "body: text"),
        ("percent", "100% _under_ 'single'"),
        ("braces", "{a,b} [c] (d)"),
        ("backslash", "C:\\temp\\x"),
        ("semicolon", "x'; DROP TABLE graph_atoms; --"),
    ];
    for (name, text) in texts {
        w.atom(name, &["x"], json!({ "knowledge": text }));
    }
    for (query, expected) in [
        ("\"hello", "quoted"),
        ("\"hello there\"", "quoted"),
        ("\"\"\"", ""),
        ("ob** a", "star"),
        ("***", ""),
        ("**", "star"),
        ("AND that OR", "logic"),
        ("this OR hello", ""),
        ("NEAR(x, y)", "logic"),
        ("-b ^c", "minus"),
        ("body: text", "column"),
        ("100%", "percent"),
        ("%", "percent"),
        ("_", "percent semicolon"),
        ("_under_", "percent"),
        ("'single'", "percent"),
        ("{a,b} [c] (", "braces"),
        ("\\temp\\", "backslash"),
        ("'; DROP TABLE", "semicolon"),
        ("\"", "quoted"),
    ] {
        assert_eq!(w.found("atom", json!({ "query": query })), expected, "{query}");
    }
}

#[test]
fn a_search_finds_the_latest_text() {
    let mut w = world();
    w.update("Bus", json!({ "knowledge": "kafka" }));
    w.update("Alone", json!({ "knowledge": "quixotic", "knowledgeMode": "append" }));
    w.update("Pages", json!({ "name": "Screens" }));
    assert_eq!(w.found("atom", json!({ "query": "at least once" })), "");
    assert_eq!(w.found("atom", json!({ "query": "kafka" })), "Bus");
    assert_eq!(w.found("atom", json!({ "query": "quixotic" })), "Alone");
    assert_eq!(w.found("molecule", json!({ "query": "screens" })), "Screens");
    w.delete("Bus", json!({}));
    assert_eq!(w.found("atom", json!({ "query": "kafka" })), "");
}

#[test]
fn atoms_are_filtered_by_molecule_and_by_having_none() {
    let mut w = world();
    assert_eq!(w.found("atom", json!({ "moleculeId": "@Pages" })), "Checkout Profile");
    assert_eq!(w.found("atom", json!({ "orphansOnly": true })), "Alone Bus");
    assert_eq!(w.found("atom", json!({ "orphansOnly": "true" })), "Alone Bus");
    assert_eq!(w.found("atom", json!({ "orphansOnly": false })), "Alone Auth Bus Checkout Profile");
    let id = w.id("Pages").replace('-', "").to_uppercase();
    assert_eq!(w.found("atom", json!({ "moleculeId": id })), "Checkout Profile");
}

#[test]
fn filters_narrow_each_other() {
    let mut w = world();
    assert_eq!(w.found("atom", json!({ "query": "stripe", "moleculeId": "@Pages" })), "Checkout");
    assert_eq!(w.found("atom", json!({ "query": "stripe", "orphansOnly": true })), "");
    assert_eq!(w.found("atom", json!({ "query": "ev", "orphansOnly": true })), "Bus");
    let both = json!({ "operation": "search", "entityType": "atom", "moleculeId": "@Pages", "orphansOnly": true });
    w.refused("VALIDATION_ERROR", "query_graph", both).says(&["orphansOnly", "moleculeId"]);
}

#[test]
fn pages_have_a_total_and_20_items_by_default() {
    let mut w = World::new();
    for index in 0..45 {
        w.atom(&format!("a{index:02}"), &["x"], json!({}));
        w.molecule(&format!("m{index:02}"), json!({}));
    }
    for (kind, letter) in [("atom", 'a'), ("molecule", 'm')] {
        let page = |offset: usize, count: usize| -> String {
            (offset..offset + count)
                .map(|at| format!("{letter}{at:02}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        for (extra, limit, offset, count) in [
            (json!({}), 20, 0, 20),
            (json!({ "offset": 20 }), 20, 20, 20),
            (json!({ "offset": 40 }), 20, 40, 5),
            (json!({ "offset": 45 }), 20, 45, 0),
            (json!({ "offset": 1_000_000_000 }), 20, 1_000_000_000, 0),
            (json!({ "limit": 1, "offset": 7 }), 1, 7, 1),
            (json!({ "limit": "3", "offset": "2" }), 3, 2, 3),
            (json!({ "limit": 100 }), 100, 0, 45),
        ] {
            let found = w.search(kind, extra.clone());
            assert_eq!(names(&found["items"]), page(offset, count), "{extra}");
            assert_eq!(
                (&found["total"], &found["limit"], &found["offset"]),
                (&json!(45), &json!(limit), &json!(offset))
            );
        }
    }
}

#[test]
fn a_page_of_matches_counts_matches_only() {
    let mut w = world();
    let page = w.search("atom", json!({ "query": "stripe", "limit": 1, "offset": 1 }));
    assert_eq!((names(&page["items"]).as_str(), &page["total"]), ("Checkout", &json!(2)));
}

#[test]
fn items_have_the_fields_of_get_with_their_changelog() {
    let mut w = world();
    for index in 0..6 {
        w.note("Checkout", &format!("entry {index}"));
        w.note("Pages", &format!("entry {index}"));
    }
    let whole = w.get("Checkout");
    let item = w.search("atom", json!({ "query": "checkout" }))["items"][0].take();
    assert_eq!(item, whole);
    let item =
        w.search("molecule", json!({ "query": "pages", "changelogLimit": 1 }))["items"][0].take();
    assert_eq!(item["changelog"].as_array().unwrap().len(), 1);
    assert_eq!(item["changelog"][0]["summary"], "entry 5");
    let item = w.search("atom", json!({ "query": "checkout", "includeChangelog": false }))["items"]
        [0]
    .take();
    assert_eq!(item.get("changelog"), None);
}

#[test]
fn a_list_stays_within_its_characters_and_counts_the_omitted() {
    let mut w = World::new();
    for index in 0..20 {
        w.atom(&format!("a{index:02}"), &["x"], json!({ "knowledge": "x".repeat(3_000) }));
    }
    let page = w.search("atom", json!({}));
    assert!(page.to_string().len() < 16_000, "{}", page.to_string().len());
    let items = page["items"].as_array().unwrap();
    let whole = items.iter().filter(|item| item["knowledge"].is_string()).count();
    assert_eq!((items.len(), &page["leftOut"]), (20, &json!(20 - whole)));
    assert!(whole >= 2);
}
