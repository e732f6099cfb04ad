//! Atoms: when they are confirmed, and what changes their mark.

use serde_json::json;

use super::repo::{Repo, shown};
use crate::support::git::{commit, git};

#[test]
fn an_atom_is_fresh_until_one_of_its_files_changes() {
    let mut repo = Repo::new();
    repo.write("src/a.rs", "one");
    repo.write("src/b.rs", "one");
    repo.write("other.rs", "one");
    let head = commit(&repo.root);
    repo.app.advance_minutes(5);
    let id = repo.atom("src", &["src/**"]);
    assert_eq!(repo.get(&id)["freshness"], json!({ "state": "fresh" }));
    repo.app.advance_minutes(5);

    repo.write("other.rs", "another");
    assert_eq!(repo.mark(&id), "fresh", "it is not about that one");
    repo.write("src/a.rs", "two");
    assert_eq!(
        repo.get(&id)["freshness"],
        json!({ "state": "changed", "files": 1, "since": "2026-01-01T00:05:00.000Z", "commit": head[..12] })
    );
    repo.write("src/b.rs", "longer");
    assert_eq!(repo.mark(&id), "changed 2");
    repo.write("src/b.rs", "one");
    repo.write("src/a.rs", "one");
    assert_eq!(repo.mark(&id), "fresh", "all is as it was");
}

#[test]
fn every_response_with_atoms_marks_them() {
    let mut repo = Repo::new();
    repo.write("src/a.rs", "one");
    let id = repo.atom("src", &["src/**"]);
    let node = json!({ "ref": "t", "summary": "t", "context_links": ["src/a.rs"] });
    let planned = repo.app.graph_plan(json!({ "nodes": [node] }));
    let task = planned["created"][0]["id"].clone();
    repo.write("src/a.rs", "two");
    let asks = [
        (
            "query_graph",
            json!({ "operation": "get", "entityType": "atom", "id": id }),
            "/data/atom",
        ),
        ("query_graph", json!({ "operation": "search", "entityType": "atom" }), "/data/items/0"),
        (
            "query_graph",
            json!({ "operation": "context", "paths": ["src/a.rs"] }),
            "/data/orphanAtoms/0",
        ),
        (
            "graph_context",
            json!({ "node_id": task, "include_knowledge": true }),
            "/knowledge/orphanAtoms/0",
        ),
        (
            "query_container",
            json!({ "operation": "get", "containerType": "task", "id": task, "includeGraphContext": true }),
            "/data/graphContext/orphanAtoms/0",
        ),
    ];
    for (tool, ask, place) in asks {
        let answer = repo.app.ok(tool, ask.clone());
        let atom = answer.pointer(place).unwrap_or_else(|| panic!("{ask}: {answer}"));
        assert_eq!(shown(&atom["freshness"]), "changed 1", "{ask}");
    }
}

#[test]
fn reading_never_refreshes() {
    let mut repo = Repo::new();
    repo.write("src/a.rs", "one");
    let id = repo.atom("src", &["src/**"]);
    repo.write("src/a.rs", "two");
    let before = repo.app.dump();
    for _ in 0..3 {
        assert_eq!(repo.mark(&id), "changed 1");
        repo.app.query_graph(json!({ "operation": "context", "paths": ["src/a.rs"] }));
    }
    assert!(repo.app.dump() == before);
}

#[test]
fn confirm_alone_marks_the_knowledge_as_still_correct() {
    let mut repo = Repo::new();
    repo.write("src/a.rs", "one");
    let id = repo.atom("src", &["src/**"]);
    repo.write("src/a.rs", "two");
    let before = repo.get(&id);
    let ask = repo.updating(&id, json!({ "confirm": true }));
    let answer = repo.app.manage_graph(ask);
    assert_eq!(answer["data"]["atom"]["version"], 2);
    let after = repo.get(&id);
    assert_eq!((&after["version"], shown(&after["freshness"])), (&json!(2), "fresh".to_owned()));
    assert_eq!(after["knowledge"], before["knowledge"]);
    assert_eq!(repo.last_events(1), "confirmed");
    assert_eq!(repo.count("SELECT count(*) FROM confirmations"), 1, "the old one is gone");
    repo.app.advance_minutes(1);
    repo.write("src/a.rs", "six");
    assert_eq!(repo.mark(&id), "changed 1");
}

#[test]
fn confirm_needs_a_version_and_is_allowed_in_updates_of_atoms_only() {
    let mut repo = Repo::new();
    let id = repo.atom("src", &["src/**"]);
    let mut refused = |ask: serde_json::Value, code: &str| {
        let before = repo.app.dump();
        let fault = repo.app.fault("manage_graph", ask);
        assert_eq!(fault["code"], code, "{fault}");
        assert!(repo.app.dump() == before);
        fault["message"].as_str().unwrap().to_owned()
    };
    let update = json!({ "operation": "update", "entityType": "atom", "id": id });
    let with = |more: serde_json::Value| {
        let mut ask = update.clone();
        ask.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ask
    };
    refused(with(json!({ "version": 7, "confirm": true })), "CONFLICT");
    let message = refused(with(json!({ "version": 1, "confirm": false })), "VALIDATION_ERROR");
    assert!(message.contains("nothing to update") && message.contains("confirm"), "{message}");
    let molecule = json!({ "entityType": "molecule", "version": 1, "confirm": true });
    let message = refused(with(molecule), "VALIDATION_ERROR");
    assert!(message.contains("`confirm` is not used by update of a molecule"), "{message}");
    let create = json!({ "operation": "create", "entityType": "atom", "name": "x", "paths": ["x"], "confirm": true });
    refused(create, "VALIDATION_ERROR");
}

#[test]
fn writing_knowledge_or_paths_confirms_and_nothing_else_does() {
    let mut repo = Repo::new();
    repo.write("src/a.rs", "one");
    repo.write("lib/b.rs", "one");
    let id = repo.atom("src", &["src/**"]);
    let other = repo.atom("other", &["lib/**"]);
    let molecule = json!({ "operation": "create", "entityType": "molecule", "name": "m" });
    let molecule = repo.app.manage_graph(molecule)["data"]["molecule"]["id"].clone();

    repo.write("src/a.rs", "two");
    let related = json!([{ "atomId": other, "reason": "r" }]);
    for change in [
        json!({ "name": "renamed" }),
        json!({ "moleculeId": molecule }),
        json!({ "relatedAtoms": related }),
        json!({ "knowledge": "k" }),
        json!({ "paths": ["src/**"] }),
    ] {
        repo.update(&id, change.clone());
        assert_eq!(repo.mark(&id), "changed 1", "{change}");
    }
    repo.update(&id, json!({ "knowledge": "new" }));
    assert_eq!(repo.mark(&id), "fresh");
    repo.write("src/a.rs", "six");
    repo.update(&id, json!({ "knowledge": "more", "knowledgeMode": "append" }));
    assert_eq!(repo.mark(&id), "fresh");
    repo.write("src/a.rs", "ten");
    repo.update(&id, json!({ "paths": ["src/**", "lib/*.rs"] }));
    assert_eq!(repo.mark(&id), "fresh");
    repo.write("lib/b.rs", "two");
    assert_eq!(repo.mark(&id), "changed 1");
    repo.update(&id, json!({ "name": "again", "confirm": true }));
    assert_eq!((repo.mark(&id), repo.last_events(1)), ("fresh".to_owned(), "confirmed".to_owned()));
}

#[test]
fn equal_content_is_fresh_whatever_its_time_and_commit() {
    let mut repo = Repo::new();
    repo.write("src/a.rs", "one");
    let id = repo.atom("src", &["src/**"]);
    repo.touch("src/a.rs");
    assert_eq!(repo.mark(&id), "fresh", "touched");
    commit(&repo.root);
    assert_eq!(repo.mark(&id), "fresh", "committed");
    git(&repo.root, &["checkout", "-q", "-b", "side"]);
    repo.write("src/a.rs", "two");
    commit(&repo.root);
    assert_eq!(repo.mark(&id), "changed 1");
    git(&repo.root, &["checkout", "-q", "main"]);
    assert_eq!(repo.mark(&id), "fresh", "back again");
}

#[test]
fn deleted_and_new_files_count_as_changed() {
    let mut repo = Repo::new();
    repo.write("src/a.rs", "one");
    repo.write("src/b.rs", "one");
    let id = repo.atom("src", &["src/**/*.rs", "docs/api.md", "later/**"]);
    repo.remove("src/b.rs");
    assert_eq!(repo.mark(&id), "changed 1", "gone");
    repo.write("src/b.rs", "one");
    assert_eq!(repo.mark(&id), "fresh");
    for (path, expected) in [
        ("src/notes.txt", "fresh"),
        ("build/c.rs", "fresh"),
        ("src/build/c.rs", "fresh"),
        ("src/c.rs", "changed 1"),
        ("src/deep/er/d.rs", "changed 2"),
        ("docs/api.md", "changed 3"),
        ("later/on.txt", "changed 4"),
    ] {
        repo.write(path, "new");
        if path.starts_with("src/deep") {
            // As when a directory is created: only the time of its parent directory shows that.
            repo.touch("src");
        }
        assert_eq!(repo.mark(&id), expected, "{path}");
    }
    repo.update(&id, json!({ "confirm": true }));
    assert_eq!(repo.mark(&id), "fresh");
}

#[test]
fn a_new_file_is_reported_for_every_area_that_contains_it() {
    let mut repo = Repo::new();
    repo.write("docs/a.md", "one");
    repo.write("src/a.rs", "one");
    let areas: [(&str, &[&str], &str); 8] = [
        ("a whole tree", &["**"], "changed 3"),
        ("an ending", &["**/*.md"], "changed 3"),
        ("a directory", &["docs/**"], "changed 2"),
        ("one level", &["docs/*.md"], "changed 1"),
        ("the top", &["*.md", "src/**"], "changed 1"),
        ("two that overlap", &["docs/**", "docs/deep/*", "src/*.rs"], "changed 2"),
        ("by name", &["docs/a.md", "docs/deep/new.md"], "changed 1"),
        ("elsewhere", &["src/**"], "fresh"),
    ];
    for (name, patterns, _) in areas {
        repo.atom(name, patterns);
    }
    for path in ["docs/b.md", "docs/deep/new.md", "top.md", "build/ignored.md"] {
        repo.write(path, "new");
    }
    // All in one response, which reads no directory twice.
    let list = json!({ "operation": "search", "entityType": "atom" });
    let page = repo.app.query_graph(list);
    let found = page["data"]["items"].as_array().unwrap().iter();
    let mut found: Vec<_> =
        found.map(|atom| (atom["name"].as_str().unwrap(), shown(&atom["freshness"]))).collect();
    found.sort_unstable();
    let mut expected = areas.map(|(name, _, mark)| (name, mark.to_owned()));
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn without_any_file_the_freshness_is_unknown() {
    let mut repo = Repo::new();
    let id = repo.atom("planned", &["next/**"]);
    assert_eq!(repo.get(&id)["freshness"], json!({ "state": "unknown" }));
    repo.write("next/a.rs", "one");
    assert_eq!(repo.mark(&id), "changed 1");
}

#[test]
fn outside_git_nothing_is_stored_or_marked() {
    let mut repo = Repo::without_git();
    repo.write("src/a.rs", "one");
    let id = repo.atom("src", &["src/**"]);
    repo.require("REQ-1", Some("src/a.rs"));
    assert_eq!(repo.update(&id, json!({ "confirm": true }))["version"], 2);
    assert_eq!(repo.last_events(1), "confirmed", "that somebody said so is still told");
    assert!(repo.get(&id).get("freshness").is_none());
    assert_eq!(repo.entity("REQ-1", None), "");
    assert_eq!(repo.count("SELECT count(*) FROM confirmations"), 0);

    // What was written before there was a repository was never compared with anything.
    git(&repo.root, &["init", "-q"]);
    assert_eq!(repo.mark(&id), "unknown");
    assert_eq!(repo.entity("REQ-1", None), "unknown");
}

#[test]
fn confirmations_are_deleted_with_their_atoms() {
    let mut repo = Repo::new();
    repo.write("src/a.rs", "one");
    let molecule = json!({ "operation": "create", "entityType": "molecule", "name": "m" });
    let molecule = repo.app.manage_graph(molecule)["data"]["molecule"]["id"].clone();
    let (one, two) = (repo.atom("one", &["src/**"]), repo.atom("two", &["src/**"]));
    repo.update(&two, json!({ "moleculeId": molecule }));
    assert_eq!(repo.count("SELECT count(*) FROM confirmations"), 2);
    assert_eq!(
        repo.count("SELECT count(*) FROM confirmed_areas"),
        1,
        "the same directories, kept once"
    );
    let delete = json!({ "operation": "delete", "entityType": "atom", "id": one, "version": 1 });
    repo.app.manage_graph(delete);
    assert_eq!(repo.count("SELECT count(*) FROM confirmations"), 1);
    assert_eq!(repo.count("SELECT count(*) FROM confirmed_areas"), 1, "still named by one");
    let delete = json!({ "operation": "delete", "entityType": "molecule", "id": molecule, "version": 1, "cascade": true });
    repo.app.manage_graph(delete);
    assert_eq!(repo.count("SELECT count(*) FROM confirmations"), 0);
    assert_eq!(repo.count("SELECT count(*) FROM confirmed_files"), 0);
    assert_eq!(repo.count("SELECT count(*) FROM confirmed_areas"), 0);
}
