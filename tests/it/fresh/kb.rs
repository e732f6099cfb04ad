//! Entities of the KB: confirmed branch by branch.

use serde_json::json;

use super::repo::Repo;
use crate::support::git::{commit, git};

#[test]
fn an_entity_is_fresh_until_one_of_its_files_changes() {
    let mut repo = Repo::new();
    repo.write("docs/pay.md", "one");
    repo.write("src/pay/a.rs", "one");
    let symbol = json!({ "id": "pay", "type": "symbol", "title": "t", "status": "active", "properties": { "file": "src/pay" } });
    repo.app.kb_upsert(json!({ "entities": [symbol] }));
    repo.require("REQ-1", Some("docs/pay.md"));
    repo.require("REQ-2", None);
    assert_eq!(repo.entity("REQ-1", None), "fresh");
    assert_eq!(repo.entity("REQ-2", None), "", "it is about no file");
    assert_eq!(repo.entity("pay", None), "fresh");

    repo.write("docs/pay.md", "two");
    assert_eq!(repo.entity("REQ-1", None), "changed 1");
    assert_eq!(repo.entity("pay", None), "fresh");
    repo.write("src/pay/b.rs", "one");
    assert_eq!(repo.entity("pay", None), "changed 1", "a directory is all that is in it");
    let asked = json!({ "operation": "context", "paths": ["src/pay/a.rs"], "include": ["kb"] });
    let touching = repo.app.query_graph(asked);
    assert_eq!(touching["data"]["kb"][0]["freshness"]["state"], "changed", "{touching}");
    repo.remove("docs/pay.md");
    assert_eq!(repo.entity("REQ-1", None), "changed 1");
}

#[test]
fn naming_an_entity_confirms_it_once() {
    let mut repo = Repo::new();
    repo.write("docs/pay.md", "one");
    repo.require("REQ-1", Some("docs/pay.md"));
    repo.write("docs/pay.md", "two");
    let named = json!({ "entities": [{ "id": "REQ-1" }] });

    let mut dry = named.clone();
    dry["dry_run"] = json!(true);
    repo.app.kb_upsert(dry);
    assert_eq!(repo.entity("REQ-1", None), "changed 1", "a dry run says nothing");

    let answer = repo.app.kb_upsert(named.clone());
    assert_eq!((&answer["unchanged"], answer.get("changeset")), (&json!(["REQ-1"]), None));
    assert_eq!(repo.entity("REQ-1", None), "fresh");
    assert_eq!(repo.last_events(1), "confirmed");
    let before = repo.app.dump();
    repo.app.kb_upsert(named);
    assert!(repo.app.dump() == before, "it is fresh: there is nothing to say");
}

#[test]
fn each_branch_has_its_own_confirmations() {
    let mut repo = Repo::new();
    repo.write("docs/pay.md", "one");
    commit(&repo.root);
    repo.require("REQ-1", Some("docs/pay.md"));
    git(&repo.root, &["checkout", "-q", "-b", "side"]);
    assert_eq!(repo.entity("REQ-1", None), "fresh", "a copy has what was said");
    assert_eq!(repo.count("SELECT count(*) FROM confirmations"), 1);
    repo.write("docs/pay.md", "two");
    commit(&repo.root);
    assert_eq!(repo.entity("REQ-1", None), "changed 1");
    repo.app.kb_upsert(json!({ "entities": [{ "id": "REQ-1" }] }));
    assert_eq!(repo.entity("REQ-1", None), "fresh");
    assert_eq!(repo.entity("REQ-1", Some("main")), "changed 1", "seen from here");
    git(&repo.root, &["checkout", "-q", "main"]);
    assert_eq!(repo.entity("REQ-1", None), "fresh");

    repo.app.kb_delete(json!({ "ids": ["REQ-1"], "reason": "r" }));
    assert_eq!(repo.count("SELECT count(*) FROM confirmations"), 1, "that of the other branch");
    git(&repo.root, &["branch", "-q", "-D", "side"]);
    let ctx = repo.app.ctx("a");
    assert_eq!(repo.app.app.kb_gc(&ctx, true).unwrap().len(), 1);
    assert_eq!(repo.count("SELECT count(*) FROM confirmations"), 0);
}

#[test]
fn a_sync_confirms_what_it_reads() {
    let mut repo = Repo::new();
    let document = |title: &str| format!("---\nid: REQ-1\nstatus: draft\n---\n# {title}\n");
    repo.write("docs/requirements/a.md", &document("one"));
    repo.sync();
    assert_eq!(repo.entity("REQ-1", None), "fresh");
    repo.write("docs/requirements/a.md", &document("another"));
    assert_eq!(repo.entity("REQ-1", None), "changed 1", "the file says something else by now");
    repo.sync();
    assert_eq!(repo.entity("REQ-1", None), "fresh");
    repo.write("docs/requirements/a.md", &(document("another") + "\nMore words.\n"));
    repo.sync();
    assert_eq!(repo.entity("REQ-1", None), "fresh", "read, though it declares the same");
    let before = repo.app.dump();
    repo.sync();
    assert!(repo.app.dump() == before);
}

#[test]
fn an_entity_that_was_rolled_back_is_not_confirmed() {
    let mut repo = Repo::new();
    repo.write("docs/pay.md", "one");
    repo.require("REQ-1", Some("docs/pay.md"));
    let change = json!({ "entities": [{ "id": "REQ-1", "title": "another" }] });
    let changeset = repo.app.kb_upsert(change)["changeset"].as_str().unwrap().to_owned();
    assert_eq!(repo.entity("REQ-1", None), "fresh");
    let setting = repo.app.app.kb(None).unwrap();
    repo.app.write("a", |tx| graph::kb::rollback(tx, &setting, &changeset)).unwrap();
    assert_eq!(repo.entity("REQ-1", None), "unknown");
}

#[test]
fn entities_with_the_same_files_share_the_stored_state() {
    let mut repo = Repo::new();
    repo.write("docs/pay.md", "one");
    let requirement = |id: usize| json!({ "id": format!("REQ-{id}"), "type": "req", "title": "t", "status": "draft", "text_ref": "docs/pay.md" });
    let all: Vec<_> = (0..50).map(requirement).collect();
    repo.app.kb_upsert(json!({ "entities": all }));
    assert_eq!(repo.count("SELECT count(*) FROM confirmations"), 1);
    repo.app.kb_upsert(json!({ "entities": [{ "id": "REQ-7", "title": "another" }] }));
    assert_eq!(repo.count("SELECT count(*) FROM confirmations"), 2);
    assert_eq!(repo.entity("REQ-8", None), "fresh");
}
