//! manage_changelog: entries are created by an explicit call only, and never edited.

use serde_json::{Value, json};

use super::world::{World, each};

fn history(w: &mut World, name: &str, extra: Value) -> Value {
    let mut ask = json!({ "operation": "search", "parentType": w.kind(name), "parentId": format!("@{name}") });
    super::world::extend(&mut ask, extra);
    w.data("manage_changelog", ask)
}

fn world() -> World {
    let mut w = World::new();
    w.molecule("m", json!({}));
    w.atom("a", &["src/**"], json!({ "moleculeId": "@m" }));
    w
}

#[test]
fn append_creates_an_entry_of_an_atom_or_a_molecule() {
    let mut w = world();
    for name in ["m", "a"] {
        let entry = w.note(name, "  moved to Zustand, since context re-rendered\n");
        assert_eq!(entry["taskId"], "@t");
        assert_eq!(entry["summary"], "moved to Zustand, since context re-rendered");
        assert_eq!(entry["createdAt"], "2026-01-01T00:00:00.000Z");
        let found = history(&mut w, name, json!({}));
        assert_eq!(found["items"], json!([entry]));
        assert_eq!(
            (&found["total"], &found["limit"], &found["offset"]),
            (&json!(1), &json!(20), &json!(0))
        );
    }
}

#[test]
fn appending_changes_nothing_else() {
    let mut w = world();
    for name in ["m", "a"] {
        let before = w.get(name);
        w.app.advance_minutes(1);
        w.note(name, "said");
        let mut after = w.get(name);
        after.as_object_mut().unwrap().remove("changelog");
        assert_eq!(after, before);
    }
}

#[test]
fn a_summary_may_have_4_kilobytes() {
    let mut w = world();
    for summary in
        ["x".repeat(4_096), "日".repeat(1_365) + "x", format!("\n{}  ", "x".repeat(4_096))]
    {
        assert_eq!(w.note("a", &summary)["summary"], summary.trim());
    }
}

#[test]
fn entries_come_newest_first_and_ties_by_insertion() {
    let mut w = world();
    for step in [0, 0, 0, 5, 0, 1, 0] {
        w.app.advance_millis(step);
        let count = w.count("SELECT count(*) FROM graph_changelog");
        w.note("a", &format!("entry {count}"));
    }
    let expected: Vec<String> = (0..7).rev().map(|index| format!("entry {index}")).collect();
    let found = history(&mut w, "a", json!({}));
    assert_eq!(each(&found["items"], "summary"), expected);
    let times = each(&found["items"], "createdAt");
    assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
}

#[test]
fn a_clock_that_steps_back_does_not_reorder_entries() {
    let mut w = world();
    w.note("a", "first");
    w.app.advance_minutes(-10);
    w.note("a", "second");
    let found = history(&mut w, "a", json!({}));
    assert_eq!(each(&found["items"], "summary"), ["second", "first"]);
    let times = each(&found["items"], "createdAt");
    assert!(times[0] >= times[1], "{times:?}");
}

#[test]
fn deep_history_is_read_page_by_page() {
    let mut w = world();
    for index in 0..250 {
        w.note("a", &format!("entry {index:03}"));
    }
    w.note("m", "of another");
    let mut read: Vec<String> = Vec::new();
    loop {
        let page = history(&mut w, "a", json!({ "limit": 30, "offset": read.len() }));
        assert_eq!(page["total"], 250);
        let items = each(&page["items"], "summary");
        if items.is_empty() {
            break;
        }
        assert!(items.len() == 30 || read.len() == 240);
        read.extend(items.into_iter().map(str::to_owned));
    }
    let expected: Vec<String> = (0..250).rev().map(|index| format!("entry {index:03}")).collect();
    assert_eq!(read, expected);
    assert_eq!(history(&mut w, "a", json!({}))["items"].as_array().unwrap().len(), 20);
    assert_eq!(
        history(&mut w, "a", json!({ "limit": "2", "offset": "249" }))["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(history(&mut w, "a", json!({ "offset": 9_999 }))["items"], json!([]));
}

#[test]
fn a_page_of_long_entries_is_cut_and_reports_it() {
    let mut w = world();
    for _ in 0..20 {
        w.note("a", &"x".repeat(4_096));
    }
    let page = history(&mut w, "a", json!({}));
    let shown = page["items"].as_array().unwrap().len();
    assert!(page.to_string().len() < 50_000 && shown >= 5);
    assert_eq!((&page["leftOut"], &page["total"]), (&json!(20 - shown), &json!(20)));
    let rest = history(&mut w, "a", json!({ "offset": shown }));
    assert!(
        !rest["items"].as_array().unwrap().is_empty(),
        "the next page begins where this one ended"
    );
}

#[test]
fn atoms_and_molecules_have_their_own_entries() {
    let mut w = world();
    w.note("m", "of the molecule");
    w.note("a", "of the atom");
    assert_eq!(each(&history(&mut w, "m", json!({}))["items"], "summary"), ["of the molecule"]);
    assert_eq!(each(&history(&mut w, "a", json!({}))["items"], "summary"), ["of the atom"]);
    for (kind, id) in [("atom", "@m"), ("molecule", "@a")] {
        let ask = json!({ "operation": "search", "parentType": kind, "parentId": id });
        w.refused("NOT_FOUND", "manage_changelog", ask);
        let ask = json!({ "operation": "append", "parentType": kind, "parentId": id, "taskId": "@t", "summary": "s" });
        w.refused("NOT_FOUND", "manage_changelog", ask);
    }
}

#[test]
fn entries_are_never_edited_not_even_with_sql() {
    let mut w = world();
    w.note("a", "as it was");
    assert!(w.app.sql().execute("UPDATE graph_changelog SET summary = 'nicer'", []).is_err());
    assert_eq!(history(&mut w, "a", json!({}))["items"][0]["summary"], "as it was");
}

#[test]
fn an_entry_outlives_its_task() {
    let mut w = world();
    w.note("a", "said");
    w.graph_restructure(
        json!({ "operations": [{ "op": "drop", "node_id": "@t", "reason": "over" }] }),
    );
    assert_eq!(history(&mut w, "a", json!({}))["items"][0]["taskId"], "@t");
    w.note("a", "a dropped task is still a task");
}

#[test]
fn parent_ids_may_have_dashes_or_not_and_any_case() {
    let mut w = world();
    w.note("a", "said");
    let id = w.id("a").replace('-', "").to_uppercase();
    assert_eq!(history(&mut w, "a", json!({ "parentId": id }))["total"], 1);
}

#[test]
fn an_entry_is_an_event_of_its_parent() {
    let mut w = world();
    w.note("a", "said");
    let events = w.events();
    let event = events.last().unwrap();
    assert_eq!(
        (event.kind.as_str(), event.subject.as_str(), event.actor.as_str()),
        ("atom", "@a", "a")
    );
    let (before, after) = event.change("changelog");
    assert_eq!(
        (before, &after["summary"], &after["taskId"]),
        (Value::Null, &json!("said"), &json!("@t"))
    );
}
