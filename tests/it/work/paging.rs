//! Cursors: every row once, also while rows are being added between the pages.

use serde_json::{Value, json};

use super::world::{World, names};

const SORTS: [&str; 4] = ["readiness", "depth", "recent", "created"];

/// 23 nodes and the root, of several depths, priorities and times, some blocked, some resolved.
fn forest() -> World {
    let mut w = World::of(&[]);
    for n in 0..23 {
        w.app.advance_millis(7);
        let parent = if n % 3 == 0 { "p".to_owned() } else { format!("n{}", n / 2) };
        let after = if n % 5 == 4 { format!(" after n{}", n - 1) } else { String::new() };
        w.plan(&[&format!("n{n} in {parent}{after} prio {}", n % 2)]);
    }
    w.resolve(&["n3", "n17", "n20"]);
    w
}

/// Reads page after page and lets `between` happen after each.
fn pages(w: &mut World, mut ask: Value, mut between: impl FnMut(&mut World, usize)) -> Vec<String> {
    let mut seen = Vec::new();
    for page in 0.. {
        let answer = w.graph_query(ask.clone());
        let list = names(&answer["nodes"]);
        seen.extend(list.split_whitespace().map(str::to_owned));
        match answer["next_cursor"].as_str() {
            Some(cursor) => ask["cursor"] = json!(cursor),
            None => return seen,
        }
        assert!(page < 100, "the pages have no end");
        between(w, page);
    }
    unreachable!()
}

#[test]
fn pages_of_every_size_together_are_the_whole_in_every_sort() {
    let mut w = forest();
    for sort in SORTS {
        let whole = w.graph_query(json!({ "project": "p", "sort": sort, "limit": 100 }));
        assert_eq!(whole.get("next_cursor"), None);
        let whole: Vec<String> = names(&whole["nodes"]).split(' ').map(str::to_owned).collect();
        assert_eq!(whole.len(), 24);
        for limit in [1, 2, 5, 12, 23, 24, 25] {
            let seen =
                pages(&mut w, json!({ "project": "p", "sort": sort, "limit": limit }), |_, _| ());
            assert_eq!(seen, whole, "{sort}, {limit} a page");
        }
    }
}

#[test]
fn no_overlap_and_no_gap_while_rows_are_added_between_pages() {
    for sort in SORTS {
        let mut w = forest();
        let whole = w.graph_query(json!({ "project": "p", "sort": sort, "limit": 100 }));
        let whole = names(&whole["nodes"]);
        let ask = json!({ "project": "p", "sort": sort, "limit": 4 });
        let seen = pages(&mut w, ask, |w, page| {
            w.app.advance_millis(7);
            // Before and after every place in the order: deep and flat, with high and low priority. They hang
            // in a branch of their own, so that no node that is to be read changes.
            let (deep, flat) = (format!("deep{page}"), format!("flat{page}"));
            if page == 0 {
                w.plan(&["own in n3"]);
            }
            if page < 5 {
                w.plan(&[
                    &format!("{deep} in own prio {}", 5 - page as i64),
                    &format!("{flat} in own prio -3"),
                ]);
            }
        });
        let old: Vec<&str> = seen
            .iter()
            .map(String::as_str)
            .filter(|name| name.starts_with('n') || *name == "p")
            .collect();
        assert_eq!(
            old.join(" "),
            whole,
            "{sort}: those that were there from the start, once each, in order"
        );
        let mut all = seen.clone();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), seen.len(), "{sort}: nothing twice");
    }
}

#[test]
fn a_row_that_waits_for_an_added_one_keeps_its_position_among_the_actionable() {
    for limit in [1, 2, 3, 7] {
        let mut w = forest();
        let ask = json!({ "project": "p", "limit": limit });
        let whole = names(&w.graph_query(json!({ "project": "p", "limit": 100 }))["nodes"]);
        let order: Vec<String> = whole.split(' ').map(str::to_owned).collect();
        let seen = pages(&mut w, ask, |w, page| {
            w.app.advance_millis(7);
            // Below one that was listed and one that was not yet, and both wait for it as well.
            let (before, after) = (&order[page % 3], &order[order.len() - 1 - page % 20]);
            if page < 6 {
                w.plan(&[&format!("x{page} in {before}"), &format!("y{page} in {after}")]);
                let wait = json!({ "from": format!("@{}", order[5]), "to": format!("@y{page}"),
                    "type": "depends_on" });
                w.graph_connect(json!({ "edges": [wait] }));
            }
        });
        assert_eq!(seen.join(" "), whole, "{limit} a page");
    }
}

#[test]
fn created_pages_pick_up_what_was_added_at_the_end() {
    let mut w = World::of(&["a", "b", "c"]);
    let seen =
        pages(&mut w, json!({ "project": "p", "sort": "created", "limit": 2 }), |w, page| {
            if page == 0 {
                w.plan(&["d"]);
            }
        });
    assert_eq!(seen.join(" "), "p a b c d");
}

#[test]
fn filters_page_alike() {
    let mut w = forest();
    for filter in [
        json!({ "is_actionable": true }),
        json!({ "resolved": false }),
        json!({ "text": "n1" }),
        json!({ "ancestor": "@n0" }),
        json!({ "properties": { "priority": 1 } }),
        json!({ "claimed_by": null, "is_leaf": true }),
    ] {
        for sort in SORTS {
            let ask = json!({ "project": "p", "filter": filter, "sort": sort, "limit": 100 });
            let whole = w.graph_query(ask.clone());
            let count = whole["nodes"].as_array().unwrap().len();
            assert!(count > 3, "{filter}");
            let mut ask = ask;
            ask["limit"] = json!(3);
            let seen = pages(&mut w, ask, |_, _| ());
            assert_eq!(seen.join(" "), names(&whole["nodes"]), "{filter} by {sort}");
        }
    }
}

#[test]
fn total_counts_all_pages() {
    let mut w = forest();
    let first = w.graph_query(json!({ "project": "p", "limit": 5 }));
    let second =
        w.graph_query(json!({ "project": "p", "limit": 5, "cursor": first["next_cursor"] }));
    assert_eq!((&first["total"], &second["total"]), (&json!(24), &json!(24)));
}

#[test]
fn the_limit_may_change_from_page_to_page() {
    let mut w = forest();
    let first = w.graph_query(json!({ "project": "p", "sort": "created", "limit": 2 }));
    let rest = w.graph_query(
        json!({ "project": "p", "sort": "created", "limit": 3, "cursor": first["next_cursor"] }),
    );
    assert_eq!(names(&rest["nodes"]), "n1 n2 n3");
}

#[test]
fn a_cursor_of_another_query_is_refused() {
    let mut w = forest();
    w.open("q");
    let ask =
        json!({ "project": "p", "sort": "created", "limit": 2, "filter": { "resolved": false } });
    let cursor = w.graph_query(ask.clone())["next_cursor"].take();
    for (field, value) in [
        ("sort", json!("recent")),
        ("filter", json!({ "resolved": true })),
        ("filter", json!({ "resolved": false, "text": "n" })),
        ("filter", json!({})),
        ("project", json!("q")),
    ] {
        let mut other = ask.clone();
        other[field] = value;
        other["cursor"] = cursor.clone();
        w.refused("VALIDATION_ERROR", "graph_query", other).says(&["cursor"]);
    }
    w.refused("VALIDATION_ERROR", "graph_history", json!({ "node_id": "@p", "cursor": cursor }))
        .says(&["cursor"]);
    // The same query by the project's other name is the same query.
    let mut same = ask;
    same["project"] = json!("@p");
    same["cursor"] = cursor;
    w.graph_query(same);
}

#[test]
fn a_cursor_outlives_the_node_it_stopped_at_and_the_process() {
    for sort in SORTS {
        let mut w = forest();
        let ask = json!({ "project": "p", "sort": sort, "limit": 6 });
        let whole = w.graph_query(json!({ "project": "p", "sort": sort, "limit": 100 }));
        let mut rest: Vec<String> =
            names(&whole["nodes"]).split(' ').skip(6).map(str::to_owned).collect();
        let first = w.graph_query(ask.clone());
        let last = first["nodes"][5]["id"].as_str().unwrap().to_owned();
        // A leaf can go without touching any other node but the one it is merged into.
        w.plan(&["sink"]);
        let leaf = w.graph_context(json!({ "node_id": last }))["children"] == json!([]);
        if leaf && last != "@p" {
            w.graph_restructure(
                json!({ "operations": [{ "op": "merge", "source": last, "target": "@sink" }] }),
            );
        }
        w.app.reopen();
        let mut next = ask;
        next["cursor"] = first["next_cursor"].clone();
        next["limit"] = json!(100);
        let answer = w.graph_query(next);
        let seen = names(&answer["nodes"]);
        rest.retain(|name| seen.split(' ').any(|other| other == name));
        let old: Vec<&str> = seen.split(' ').filter(|name| *name != "sink").collect();
        assert_eq!(old, rest, "{sort}");
        assert!(rest.len() >= 16, "{sort}: {rest:?}");
    }
}

#[test]
fn history_pages_without_overlap_or_gap_while_events_are_added() {
    let mut w = World::of(&["a"]);
    for n in 0..30 {
        w.app.advance_millis(1);
        w.update("a", json!({ "state": n }));
    }
    let mut ask = json!({ "node_id": "@a", "limit": 7 });
    let mut seen = Vec::new();
    loop {
        let answer = w.graph_history(ask.clone());
        for event in answer["events"].as_array().unwrap() {
            seen.push(event["changes"][0]["after"].clone());
        }
        w.update("a", json!({ "state": format!("later {}", seen.len()) }));
        match answer["next_cursor"].as_str() {
            Some(cursor) => ask["cursor"] = json!(cursor),
            None => break,
        }
    }
    assert_eq!(seen.len(), 31);
    assert_eq!(seen[..30], (0..30).rev().map(|n| json!(n)).collect::<Vec<_>>());
    let first = w.graph_history(json!({ "node_id": "@a" }));
    assert_eq!(first["events"].as_array().unwrap().len(), 20, "twenty unless told");
    w.refused(
        "VALIDATION_ERROR",
        "graph_history",
        json!({ "node_id": "@p", "cursor": first["next_cursor"] }),
    )
    .says(&["cursor"]);
}
