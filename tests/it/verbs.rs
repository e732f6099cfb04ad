//! The commands that write: what a person types in place of JSON.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::Value;

use crate::support::binary::{Ran, command, directory, finish, run};

/// A project with three nodes, made with commands alone; the ids of the nodes are in the order of the names.
fn shop() -> (tempfile::TempDir, PathBuf, [String; 3]) {
    let (guard, at) = directory();
    run(&at, &["open", "shop", "--goal", "Sell books"]).ok();
    let mut ids = ["Cart", "Pay", "Ship"].map(str::to_owned);
    for name in &mut ids {
        let planned = run(&at, &["add", name, "--json"]).json();
        *name = planned["created"][0]["id"].as_str().unwrap().to_owned();
    }
    (guard, at, ids)
}

fn with_input(at: &Path, arguments: &[&str], input: &str) -> Ran {
    let mut command = command(at, arguments);
    let file = at.join("input.txt");
    std::fs::File::create(&file).unwrap().write_all(input.as_bytes()).unwrap();
    command.stdin(Stdio::from(std::fs::File::open(file).unwrap()));
    finish(&mut command)
}

fn node(at: &Path, id: &str) -> Value {
    run(at, &["show", id, "--json"]).json()["node"].clone()
}

#[test]
fn a_plan_is_written_and_finished_without_json() {
    let (_guard, at, [cart, pay, ship]) = shop();
    run(&at, &["link", &pay, "needs", &cart]).ok();
    run(&at, &["link", &pay, "blocks", &ship]).ok();
    let ready = run(&at, &["list", "--ready"]).ok();
    assert!(ready.contains(&cart) && !ready.contains(&pay) && !ready.contains(&ship), "{ready}");
    assert!(run(&at, &["claim", &cart]).ok().contains("claimed"));
    assert!(run(&at, &["list", "--mine"]).ok().contains(&cart));
    let done = run(&at, &["done", &cart, "-m", "works"]).ok();
    assert!(done.contains(&format!("now ready: {pay}")), "{done}");
    let evidence = &node(&at, &cart)["evidence"][0];
    assert_eq!((&evidence["type"], &evidence["ref"]), (&"note".into(), &"works".into()));
    run(&at, &["unlink", &ship, &pay]).ok();
    run(&at, &["done", &pay, &ship]).ok();
    assert!(run(&at, &["list", "--ready"]).ok().contains("Sell books"));
}

#[test]
fn the_goal_of_an_existing_project_can_be_set() {
    let (_guard, at, _) = shop();
    run(&at, &["open", "shop", "--goal", "Sell more books"]).ok();
    let listed = run(&at, &["open", "--json"]).json();
    assert_eq!(listed["projects"][0]["summary"], "Sell more books");
}

#[test]
fn a_unique_beginning_names_a_node_and_an_ambiguous_one_is_refused() {
    let (_guard, at, [cart, ..]) = shop();
    run(&at, &["note", &cart[..cart.len() - 2], "take care", "--hint"]).ok();
    assert_eq!(node(&at, &cart)["evidence"][0]["type"], "hint");
    let refused = run(&at, &["done", "n_"]).failed(1);
    assert!(refused.contains("no such node"), "{refused}");
}

#[test]
fn ids_come_from_standard_input_too() {
    let (_guard, at, [cart, pay, ship]) = shop();
    with_input(&at, &["done", "-"], &format!("{cart}  Cart\n{pay}\n")).ok();
    assert_eq!(node(&at, &cart)["resolved"], true);
    assert_eq!(node(&at, &pay)["resolved"], true);
    assert_eq!(node(&at, &ship)["resolved"], false);
}

#[test]
fn an_indented_list_becomes_a_tree() {
    let (_guard, at, _) = shop();
    with_input(&at, &["add", "-"], "Checkout\n  - [ ] Address\n  - [ ] Invoice\n").ok();
    let tree = run(&at, &["tree"]).ok();
    let checkout = tree.find("Checkout").unwrap();
    assert!(tree[checkout..].contains("├─ ▶ Address") && tree.contains("└─ ▶ Invoice"), "{tree}");
}

#[test]
fn what_is_done_or_held_by_another_is_refused_with_who_and_when() {
    let (_guard, at, [cart, pay, _]) = shop();
    run(&at, &["done", &cart, "--agent", "ann"]).ok();
    let refused = run(&at, &["done", &cart]).failed(1);
    assert!(refused.contains("is already done: resolved by ann on "), "{refused}");
    run(&at, &["claim", &pay, "--for", "ben"]).ok();
    for arguments in [&["done", &pay][..], &["drop", &pay, "-m", "x"], &["claim", &pay]] {
        let refused = run(&at, arguments).failed(1);
        assert!(refused.contains("is claimed by ben"), "{refused}");
    }
    run(&at, &["done", &pay, "--anyway"]).ok();
    run(&at, &["reopen", &pay, "-m", "again"]).ok();
    assert!(run(&at, &["reopen", &pay]).failed(1).contains("is not done"));
}

#[test]
fn properties_are_set_and_cleared() {
    let (_guard, at, [cart, pay, _]) = shop();
    run(&at, &["set", &cart, "area=api", "summary=The cart", "state=review", "priority=high"]).ok();
    let held = node(&at, &cart);
    assert_eq!(held["summary"], "The cart");
    assert_eq!(held["state"], "review");
    assert_eq!(held["properties"], serde_json::json!({ "area": "api", "priority": 3 }));
    run(&at, &["set", &cart, "area="]).ok();
    assert_eq!(node(&at, &cart)["properties"], serde_json::json!({ "priority": 3 }));
    run(&at, &["priority", &cart, &pay, "p0"]).ok();
    assert_eq!(node(&at, &pay)["properties"]["priority"], 4);
    run(&at, &["tag", &pay, "#urgent"]).ok();
    let urgent = run(&at, &["list", "--where", "urgent=true"]).ok();
    assert!(urgent.contains(&pay) && !urgent.contains(&cart), "{urgent}");
    assert!(run(&at, &["set", &cart, "area"]).failed(2).contains("has no `=`"));
}

#[test]
fn dropping_a_project_asks_and_without_a_terminal_refuses() {
    let (_guard, at, [cart, pay, _]) = shop();
    let refused = run(&at, &["drop", "shop", "-m", "over"]).failed(1);
    assert!(refused.contains("4 open nodes, a whole project among them"), "{refused}");
    assert_eq!(node(&at, &cart)["resolved"], false);
    run(&at, &["drop", &cart, "-m", "over", "--dry-run"]).ok();
    assert_eq!(node(&at, &cart)["resolved"], false);
    run(&at, &["move", &pay, "--under", &cart]).ok();
    run(&at, &["merge", &pay, "--into", &cart]).ok();
    run(&at, &["drop", "shop", "-m", "over", "--yes"]).ok();
    assert_eq!(node(&at, &cart)["resolved"], true);
}

#[test]
fn a_refused_connection_says_why() {
    let (_guard, at, [cart, pay, _]) = shop();
    run(&at, &["link", &pay, "needs", &cart]).ok();
    for (arguments, expected) in [
        (["link", &cart, "needs", &pay], "cannot wait for"),
        (["link", &pay, "needs", &cart], "are already connected"),
        (["link", &pay, "needs", &pay], "cannot be connected to itself"),
        (["unlink", &cart, "relates", &pay], "are not connected"),
    ] {
        let refused = run(&at, &arguments).failed(1);
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn knowledge_and_memories_are_stored_changed_and_forgotten() {
    let (_guard, at, _) = shop();
    let refused = run(&at, &["know", "API", "Idempotent"]).failed(1);
    assert!(refused.contains("--at"), "{refused}");
    run(&at, &["know", "API", "Idempotent", "--at", "src/api/**"]).ok();
    run(&at, &["know", "API", "and fast", "--append"]).ok();
    run(&at, &["confirm", "API"]).ok();
    let atoms = run(&at, &["atoms"]).ok();
    assert!(atoms.contains("Idempotent") && atoms.contains("src/api/**"), "{atoms}");
    let id = run(&at, &["remember", "prefers mail", "--json"]).json();
    let id = id["node_id"].as_str().unwrap();
    run(&at, &["remember", "person", "Ann"]).ok();
    assert_eq!(run(&at, &["show", id, "--json"]).json()["node"]["type"], "note");
    assert!(run(&at, &["forget", id]).failed(1).contains("--yes"));
    run(&at, &["forget", id, "--yes"]).ok();
    run(&at, &["show", id]).failed(1);
}

#[test]
fn why_names_what_a_node_waits_for_and_what_can_be_done_for_it() {
    let (_guard, at, [cart, pay, ship]) = shop();
    run(&at, &["link", &pay, "needs", &cart]).ok();
    run(&at, &["link", &ship, "needs", &pay]).ok();
    let verdict = |id: &str| run(&at, &["why", id, "--json"]).json()["verdict"].clone();
    let why = run(&at, &["why", &ship]).ok();
    assert!(why.contains("waits for 1 node\n"), "{why}");
    let (waits, now) = (why.find(&pay).unwrap(), why.find(&cart).unwrap());
    assert!(waits < now && why[waits..now].contains("can be done for it now"), "{why}");
    assert_eq!(verdict(&cart), "ready");
    assert_eq!(verdict("shop"), "open_children");
    let other = run(&at, &["add", "Other", "--json"]).json();
    assert_eq!(verdict(other["created"][0]["id"].as_str().unwrap()), "not_offered");
    run(&at, &["claim", &cart, "--for", "ben"]).ok();
    assert_eq!(verdict(&cart), "claimed");
    let why = run(&at, &["why", &ship]).ok();
    assert!(why.contains("all that can be done for it now is claimed"), "{why}");
    run(&at, &["done", &cart, "--anyway"]).ok();
    assert_eq!(verdict(&cart), "done");
    assert!(run(&at, &["why"]).ok().contains("is ready, and `graph next` offers it first"));
    run(&at, &["drop", "shop", "-m", "over", "--yes"]).ok();
    assert!(run(&at, &["why"]).ok().starts_with("nothing is offered: "));
}
