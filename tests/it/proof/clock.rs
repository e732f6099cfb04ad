//! A clock that is set back, and one that was far ahead once.

use std::sync::atomic::{AtomicBool, Ordering};

use graph::base::time::Clock;
use serde_json::{Value, json};

use crate::support::TestApp;

const HOUR: i64 = 60;
const YEAR: i64 = 365 * 24 * 60;

fn ids(answer: &Value, list: &str) -> Vec<String> {
    let items = answer[list].as_array().unwrap_or_else(|| panic!("no {list}: {answer}"));
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// A project of four nodes, and what is needed to write in the other domains.
fn world() -> TestApp {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    let nodes: Vec<Value> =
        (0..4).map(|n| json!({ "ref": format!("r{n}"), "summary": format!("s{n}") })).collect();
    app.graph_plan(json!({ "nodes": nodes }));
    app.create_ontology(json!({ "node_types": ["Note"], "connection_types": [] }));
    app
}

/// The ids on all pages of a list.
fn pages(
    app: &mut TestApp,
    tool: &str,
    mut ask: Value,
    list: &str,
    between: impl Fn(&TestApp),
) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    loop {
        let answer = app.ok(tool, ask.clone());
        let page = answer[list].as_array().unwrap_or_else(|| panic!("{answer}"));
        let id = |item: &Value| item["id"].as_str().or(item.as_str()).unwrap().to_owned();
        seen.extend(page.iter().map(id));
        between(app);
        match answer.get("next_cursor") {
            Some(cursor) => ask["cursor"] = cursor.clone(),
            None => return seen,
        }
    }
}

fn taken(app: &mut TestApp, agent: &str) -> Option<String> {
    let next = app.call(agent, "graph_next", json!({ "claim": true })).unwrap();
    next["nodes"].get(0).map(|node| node["node"]["id"].as_str().unwrap().to_owned())
}

#[test]
fn a_clock_set_back_an_hour_breaks_no_cursor_of_any_domain() {
    let mut app = world();
    for n in 0..6 {
        app.create_node(json!({ "type": "Note", "content": format!("note {n}") }));
        let req = json!({ "id": format!("R-{n}"), "type": "req", "title": "t", "status": "draft" });
        app.kb_upsert(json!({ "entities": [req] }));
        // Back between every two writes.
        app.advance_minutes(if n % 2 == 0 { -HOUR } else { HOUR });
    }
    for (tool, arguments, list) in [
        ("graph_query", json!({ "sort": "recent", "limit": 2 }), "nodes"),
        ("graph_query", json!({ "sort": "created", "limit": 2 }), "nodes"),
        ("query_nodes", json!({ "type": "Note", "limit": 2 }), "node_ids"),
        ("kb_query", json!({ "type": "req", "limit": 2 }), "entities"),
    ] {
        // Back while a client pages.
        let seen = pages(&mut app, tool, arguments, list, |app| app.advance_minutes(-HOUR));
        let mut once = seen.clone();
        once.sort();
        once.dedup();
        assert_eq!(
            (once.len(), seen.len()),
            (seen.len(), if list == "nodes" { 5 } else { 6 }),
            "{tool}: {seen:?}"
        );
    }
}

#[test]
fn a_clock_set_back_an_hour_breaks_no_order_of_events() {
    let mut app = world();
    for n in 0..6 {
        app.advance_minutes(if n % 2 == 0 { -HOUR } else { HOUR / 2 });
        app.create_node(json!({ "type": "Note", "content": format!("note {n}") }));
    }
    let ctx = app.ctx("a");
    let log = app.app.log(&ctx, graph::app::Wanted::default(), 50).unwrap();
    assert!(log.is_sorted_by(|newer, older| newer.event.seq > older.event.seq));
    assert!(log.is_sorted_by(|newer, older| newer.event.at >= older.event.at));
    assert_eq!(app.app.health(&ctx).unwrap().ahead, None, "an hour is nothing to worry about");
}

#[test]
fn a_clock_that_jumps_an_hour_during_calls_breaks_no_order_claim_or_cursor() {
    let mut app = world();
    // Longer than the clock jumps: forward, it may end a claim.
    app.configure("claim_ttl_minutes: 120\n");
    let Clock::Fixed(millis) = app.ctx("a").clock.clone() else { panic!("a clock of the test's") };
    let (stop, begin) = (AtomicBool::new(false), millis.load(Ordering::Relaxed));
    let mut won = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                millis.store(begin, Ordering::Relaxed);
                millis.store(begin - HOUR * 60_000, Ordering::Relaxed);
            }
        });
        for n in 0..40 {
            let node = json!({ "ref": "r", "summary": format!("more {n}") });
            app.graph_plan(json!({ "nodes": [node] }));
            app.create_node(json!({ "type": "Note", "content": format!("note {n}") }));
            let req = json!({ "id": format!("R-{n:02}"), "type": "req", "title": "t", "status": "draft" });
            app.kb_upsert(json!({ "entities": [req] }));
            won.extend(taken(&mut app, &format!("agent-{n}")));
        }
        for (tool, arguments, list, all) in [
            ("graph_query", json!({ "sort": "recent", "limit": 7 }), "nodes", 45),
            ("graph_query", json!({ "sort": "created", "limit": 7 }), "nodes", 45),
            ("query_nodes", json!({ "type": "Note", "limit": 7 }), "node_ids", 40),
            ("kb_query", json!({ "type": "req", "limit": 7 }), "entities", 40),
        ] {
            let mut once = pages(&mut app, tool, arguments, list, |_| {});
            once.sort();
            once.dedup();
            assert_eq!(once.len(), all, "{tool}: {once:?}");
        }
        stop.store(true, Ordering::Relaxed);
    });
    let all = won.len();
    won.sort();
    won.dedup();
    assert_eq!((won.len(), all), (40, 40), "each node has one holder: {won:?}");
    let ctx = app.ctx("a");
    let log = app.app.log(&ctx, graph::app::Wanted::default(), 500).unwrap();
    assert!(log.len() > 150 && log.is_sorted_by(|newer, older| newer.event.at >= older.event.at));
    assert_eq!(app.app.health(&ctx).unwrap().miscounts, Vec::<String>::new());
}

#[test]
fn a_claim_outlives_a_clock_that_is_set_back_under_it_and_ends_in_time() {
    let mut app = world();
    app.configure("claim_ttl_minutes: 5\n");
    let first = taken(&mut app, "alice").unwrap();
    app.advance_minutes(-HOUR);
    assert_ne!(
        taken(&mut app, "bob").unwrap(),
        first,
        "alice holds it, though her claim is of the future now"
    );
    assert_eq!(taken(&mut app, "alice").unwrap(), first, "and it is hers again");
    app.advance_minutes(6);
    let others: Vec<_> = (0..4).filter_map(|n| taken(&mut app, &format!("other-{n}"))).collect();
    assert!(others.contains(&first), "five minutes after she last took it, it is free: {others:?}");
}

#[test]
fn claims_expire_although_one_event_has_a_time_far_ahead() {
    let mut app = world();
    app.advance_minutes(50 * YEAR);
    let wrong = taken(&mut app, "wrong-clock").unwrap();
    app.advance_minutes(-50 * YEAR);

    let ctx = app.ctx("a");
    let ahead = app.app.health(&ctx).unwrap().ahead.expect("doctor tells");
    assert!(ahead.to_string().as_str() > "2075", "{ahead}");

    // A claim made under the wrong clock is free: its end is too far away to wait for.
    let mine = taken(&mut app, "alice").unwrap();
    let rest: Vec<_> = (0..4).filter_map(|n| taken(&mut app, &format!("other-{n}"))).collect();
    assert!(mine == wrong || rest.contains(&wrong), "{wrong}: {mine} {rest:?}");
    assert!(!rest.contains(&mine), "a claim under the right clock holds");
    app.advance_minutes(61);
    assert!(taken(&mut app, "late").is_some(), "and ends");

    // Order stays that of what happened.
    let last = ids(&app.graph_query(json!({ "sort": "recent", "limit": 1 })), "nodes");
    let late = ids(&app.graph_query(json!({ "filter": { "claimed_by": "late" } })), "nodes");
    assert_eq!(last, late);
}

#[test]
fn doctor_reports_events_in_the_future() {
    let mut app = world();
    let directory = app.db_path().parent().unwrap().to_owned();
    app.advance_minutes(100 * YEAR);
    app.graph_open(json!({ "project": "q" }));
    let ran = crate::support::binary::run(&directory, &["doctor"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(
        ran.out.contains("in the future") && ran.out.contains("correct the clock"),
        "{}",
        ran.out
    );
}
