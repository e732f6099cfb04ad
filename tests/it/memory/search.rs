//! Search: Unicode case-insensitive substrings of text, and an index that follows every change.

use serde_json::{Value, json};

use super::world::{Memory, text};
use crate::support::INTO_INDEX;

/// Plays it twice: with texts that wait for the index, and with texts that are in it.
fn wherever_texts_are(play: impl Fn(&mut Memory, &dyn Fn(&Memory))) {
    play(&mut Memory::new(), &|_| {});
    play(&mut Memory::new(), &|m| m.tamper_schema(INTO_INDEX));
}

fn found(m: &mut Memory, query: &str) -> Vec<String> {
    m.ids("search_content", json!({ "query": query }))
}

#[test]
fn letters_of_any_script_match_without_case() {
    wherever_texts_are(|m, settle| {
        let [id] =
            m.nodes("Project", ["Grüße aus ÅRHUS, ПРИВЕТ мир, 日本語のメモ, snake_case 100%"]);
        settle(m);
        for query in [
            "GRÜSSE", // ß has no single upper-case letter
            "grüßen", "_x_", "aarhus",
        ] {
            assert_eq!(found(m, query), Vec::<String>::new(), "{query}");
        }
        for query in [
            "grüße",
            "GRÜß",
            "århus",
            "привет МИР",
            "日本語",
            "本語の",
            "snake_CASE",
            "100%",
            "e 1",
            "mi",
            "р",
            "%",
            "語",
        ] {
            let expected: Vec<String> = if query == "mi" { Vec::new() } else { vec![id.clone()] };
            assert_eq!(found(m, query), expected, "{query}");
        }
    });
}

#[test]
fn a_search_text_is_never_syntax() {
    wherever_texts_are(|m, settle| {
        let [id] = m.nodes("Project", ["say \"hello\" AND (good-bye)* NEAR body: x' OR 1=1 --"]);
        settle(m);
        for query in
            ["\"hello\"", "AND (good", "bye)*", "NEAR body:", "x' OR 1=1 --", "\"", "* ", "OR"]
        {
            assert_eq!(found(m, query), [id.as_str()], "{query}");
        }
        for query in ["hello AND bye", "hel*", "body:hello", "a\"b\"c"] {
            assert_eq!(found(m, query), Vec::<String>::new(), "{query}");
        }
    });
}

#[test]
fn texts_under_three_characters_are_found_without_the_index() {
    let mut m = Memory::new();
    let [one, two, _] = m.nodes("Project", ["Ab", "xaBx", "b a"]);
    let [three] = m.nodes("Action", ["ab"]);
    let [way] = m.nodes("Context", ["ΟΔΌΣ"]);
    // However short a needle is, the letters are the same.
    for query in ["οδός", "δός", "ός", "ς", "ΌΣ"] {
        assert_eq!(found(&mut m, query), [way.as_str()], "{query}");
    }
    let bytes = json!({ "type": "Project", "content": "YWI=", "encoding": "base64" });
    m.create_node(bytes);
    assert_eq!(found(&mut m, "AB"), [one.as_str(), &two, &three]);
    let ask = json!({ "query": "ab", "node_type": "Project", "limit": 1 });
    let page = m.search_content(ask.clone());
    assert_eq!((&page["node_ids"], &page["total"]), (&json!([one]), &json!(2)));
    let mut next = ask;
    next["cursor"] = page["next_cursor"].clone();
    assert_eq!(m.ids("search_content", next), [two]);
}

#[test]
fn bytes_are_not_searched() {
    let mut m = Memory::new();
    let ask = json!({ "type": "Project", "content": "ZmFybWhvdXNl", "encoding": "base64" });
    m.create_node(ask);
    assert_eq!(found(&mut m, "farmhouse"), Vec::<String>::new());
    assert_eq!(found(&mut m, "ZmFybWhv"), Vec::<String>::new());
}

#[test]
fn the_index_follows_updates_changes_of_encoding_and_deletes() {
    wherever_texts_are(|m, settle| {
        let [id] = m.nodes("Project", ["first words"]);
        settle(m);
        let update = |m: &mut Memory, content: &str, encoding: &str| -> Value {
            m.update_node(json!({ "node_id": id, "content": content, "encoding": encoding }))
        };
        assert_eq!(found(m, "first words"), [id.as_str()]);
        update(m, "second thoughts", "utf-8");
        settle(m);
        assert_eq!(found(m, "first words"), Vec::<String>::new());
        assert_eq!(found(m, "second th"), [id.as_str()]);
        update(m, "c2Vjb25kIHRob3VnaHRz", "base64");
        assert_eq!(found(m, "second th"), Vec::<String>::new());
        update(m, "third time", "utf-8");
        settle(m);
        assert_eq!(found(m, "third time"), [id.as_str()]);
        // A change of something else leaves the text where it is.
        m.update_node(json!({ "node_id": id, "properties": { "a": 1 }, "format": "x" }));
        assert_eq!(found(m, "third time"), [id.as_str()]);
        // A refused call changes no index either.
        m.refused(
            "INVALID_ENCODING",
            "update_node",
            json!({ "node_id": id, "content": "%", "encoding": "base64" }),
        );
        assert_eq!(found(m, "third time"), [id.as_str()]);
        m.delete_node(json!({ "node_id": id }));
        assert_eq!(found(m, "third time"), Vec::<String>::new());
        assert_eq!(m.rows("SELECT subject FROM search_entries"), Vec::<String>::new());
    });
}

#[test]
fn texts_of_other_domains_are_not_memories() {
    let mut m = Memory::new();
    m.graph_open(json!({ "project": "farmhouse", "goal": "build a farmhouse" }));
    let [id] = m.nodes("Project", ["farmhouse"]);
    assert_eq!(found(&mut m, "farmhouse"), [id.as_str()]);
    let projects = m.graph_query(json!({ "filter": { "text": "farmhouse" } }));
    assert_eq!(projects["total"], 1);
    // Notes on connections are no content of nodes.
    let [a] = m.nodes("Action", ["a"]);
    let notes = json!({ "type": "NextAction", "from_node_id": id, "to_node_id": a, "content": "farmhouse" });
    text(&m.create_connection(notes)["connection_id"]);
    assert_eq!(found(&mut m, "farmhouse"), [id]);
}

#[test]
fn texts_without_their_entry_are_ignored() {
    for many in [3, 20] {
        let mut m = Memory::new();
        m.nodes("Project", ["one thing", "another thing"]);
        // As `sqlite3` does, which ignores foreign keys by default.
        m.tamper_schema("PRAGMA foreign_keys = OFF; DELETE FROM search_entries");
        let ctx = m.app.ctx("a");
        let told = m.app.app.health(&ctx).unwrap().file.problems.join("\n");
        assert!(told.contains("search_waiting"), "{told}");
        let ids: Vec<String> =
            (0..many).flat_map(|n| m.nodes("Project", [format!("new {n}").as_str()])).collect();
        assert_eq!(found(&mut m, "new"), ids);
        assert_eq!(found(&mut m, "thing"), Vec::<String>::new());
    }
}

#[test]
fn texts_are_indexed_in_batches_and_found_before_that() {
    let mut m = Memory::new();
    let (mut ids, mut sizes): (Vec<String>, Vec<usize>) = (Vec::new(), Vec::new());
    for n in 0..40 {
        let [id] = m.nodes("Project", [format!("Notiz über Ähren, Feld {n}!").as_str()]);
        ids.push(id);
        assert_eq!(found(&mut m, "üBER ähren"), ids, "{n}");
        assert_eq!(found(&mut m, &format!("feld {n}!")), ids[n..], "{n}");
        sizes.push(m.rows("SELECT CAST(id AS TEXT) FROM search_waiting").len());
    }
    assert_eq!(sizes[15..18], [16, 0, 1], "the seventeenth takes all others along");
    // The newest, which waits, and the oldest, which does not: both can change and go.
    for at in [39, 0] {
        let change = json!({ "node_id": ids[at], "content": "leer", "encoding": "utf-8" });
        m.update_node(change);
        assert_eq!(found(&mut m, "ähren").len(), 39, "{at}");
        assert_eq!(found(&mut m, "LEER"), [ids[at].as_str()]);
        let all = m.graph_search(json!({ "query": "leer" }));
        assert_eq!(all["hits"][0]["id"], ids[at].as_str(), "{all}");
        m.update_node(json!({ "node_id": ids[at], "content": "Ähren", "encoding": "utf-8" }));
        assert_eq!(found(&mut m, "ähren").len(), 40, "{at}");
        assert_eq!(found(&mut m, "leer"), Vec::<String>::new());
    }
    for id in &ids {
        m.delete_node(json!({ "node_id": id }));
    }
    assert_eq!(found(&mut m, "ähren"), Vec::<String>::new());
    assert_eq!(m.rows("SELECT CAST(id AS TEXT) FROM search_waiting"), Vec::<String>::new());
    // A long text does not wait: every search would read it.
    let [long] = m.nodes("Project", [format!("{} Garbe", "x".repeat(4096)).as_str()]);
    assert_eq!(m.rows("SELECT CAST(id AS TEXT) FROM search_waiting"), Vec::<String>::new());
    assert_eq!(found(&mut m, "garbe"), [long]);
}
