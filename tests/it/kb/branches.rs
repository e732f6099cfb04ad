//! One store for each branch: copied on first use, independent afterwards.

use std::fs;

use graph::{
    app::App,
    base::Timestamp,
    kb::{self, Ensured, FirstUse, Former},
};
use serde_json::json;

use super::world::{Kb, file};
use crate::support::binary::{command, finish};

fn names(kb: &mut Kb) -> Vec<String> {
    let infos = kb.read(|tx, _| kb::list_branches(tx)).unwrap();
    infos.into_iter().map(|info| info.name).collect()
}

fn gc(kb: &mut Kb, active: &str, local: &[&str]) -> Vec<String> {
    let local: Vec<String> = local.iter().map(|name| (*name).to_owned()).collect();
    let gone = kb.app.write("a", |tx| kb::collect_garbage(tx, active, "main", &local)).unwrap();
    gone.into_iter().map(|info| info.name).collect()
}

#[test]
fn a_switch_of_branches_takes_effect_at_the_next_request() {
    let mut kb = Kb::empty();
    kb.checkout("main");
    assert_eq!(kb.put("req R1, test T1", "R1 verified_by T1")["branch"], "main");
    kb.checkout("feature/a");
    let found = kb.query(json!({}));
    assert_eq!((&found["branch"], &found["total"]), (&json!("feature/a"), &json!(2)));
    assert_eq!(kb.links(), ["R1 verified_by T1"]);
    kb.checkout("main");
    assert_eq!(kb.query(json!({}))["branch"], "main");
}

#[test]
fn the_environment_overrules_git() {
    let kb = Kb::empty();
    kb.checkout("feature");
    for (variable, expected) in [(None, "feature"), (Some("other"), "other"), (Some(""), "feature")]
    {
        let mut command = command(kb.directory(), &["tool", "kb_query", "{}"]);
        let ran = finish(command.envs(variable.map(|name| ("GRAPH_BRANCH", name))));
        assert_eq!(ran.json()["branch"], expected, "{variable:?}: {}", ran.err);
    }
}

#[test]
fn after_its_first_use_a_branch_is_independent() {
    let mut kb = Kb::of("req R1 R2, test T1", "R1 verified_by T1");
    kb.checkout("feature");
    kb.query(json!({}));
    kb.up(json!({ "entities": [{ "id": "R1", "title": "Quixotic", "tags": ["here"] }] }));
    let link = super::world::links("R1 verified_by T1");
    kb.kb_delete(json!({ "ids": ["R2"], "relationships": link, "reason": "r" }));
    kb.put("req R3", "");
    kb.checkout("main");
    kb.put("req R4", "");
    assert_eq!(kb.ids(json!({})), "R1 R2 R4 T1");
    assert_eq!(kb.entity("R1")["title"], "title of R1");
    assert_eq!(kb.links(), ["R1 verified_by T1"]);
    assert_eq!(
        (kb.ids(json!({ "text": "quixotic" })), kb.ids(json!({ "tags": "here" }))),
        (String::new(), String::new())
    );
    kb.checkout("feature");
    assert_eq!(kb.ids(json!({})), "R1 R3 T1");
    assert_eq!(kb.links(), [""; 0]);
    assert_eq!(
        (kb.ids(json!({ "text": "quixotic" })), kb.ids(json!({ "tags": "here" }))),
        ("R1".into(), "R1".into())
    );
    assert_eq!(kb.ids(json!({ "text": "title of R1" })), "");
}

#[test]
fn a_read_counts_as_the_first_use() {
    let mut kb = Kb::of("req R1", "");
    kb.checkout("feature");
    kb.query(json!({}));
    kb.checkout("main");
    kb.put("req R2", "");
    kb.checkout("feature");
    assert_eq!(kb.ids(json!({})), "R1", "it was copied when it was read");
    for tool in ["kb_check", "kb_query"] {
        kb.checkout(tool);
        kb.app.ok(tool, json!({}));
        assert!(names(&mut kb).contains(&tool.to_owned()));
    }
}

#[test]
fn the_default_branch_begins_empty_also_when_another_is_used_first() {
    let mut kb = Kb::empty();
    kb.checkout("feature");
    kb.put("req R1", "");
    assert_eq!(names(&mut kb), ["feature", "main"]);
    kb.checkout("main");
    assert_eq!(kb.ids(json!({})), "");
}

#[test]
fn a_branch_can_be_named_and_must_exist() {
    let mut kb = Kb::of("req R1", "");
    kb.checkout("feature");
    kb.put("req R2", "");
    assert_eq!(kb.ids(json!({ "branch": "main" })), "R1");
    let answer = kb.up(json!({ "branch": "main", "entities": super::world::entities("req R3") }));
    assert_eq!(answer["branch"], "main");
    for tool in ["kb_query", "kb_check"] {
        let fault = kb.refused("NOT_FOUND", tool, json!({ "branch": "nope" }));
        fault.says(&["branch", "nope"]);
        assert_eq!(fault["details"]["stores"], json!(["feature", "main"]));
    }
    kb.refused(
        "NOT_FOUND",
        "kb_upsert",
        json!({ "branch": "nope", "entities": super::world::entities("req R3") }),
    );
    kb.refused("NOT_FOUND", "kb_delete", json!({ "branch": "nope", "ids": ["R1"], "reason": "r" }));
}

#[test]
fn git_allows_most_names() {
    let mut kb = Kb::of("req R1", "");
    for name in ["feature/a#b'ü", "x\"; DROP TABLE kb_branches; --", "ab%", "@odd"] {
        kb.checkout(name);
        let found = kb.query(json!({}));
        assert_eq!((&found["branch"], &found["total"]), (&json!(name), &json!(1)), "{name}");
    }
}

#[test]
fn a_detached_head_has_a_store_of_its_own() {
    let mut kb = Kb::of("req R1", "");
    let commit = "0123456789012345678901234567890123456789";
    kb.head(commit);
    assert_eq!(kb.query(json!({}))["branch"], format!("@{commit}"));
    kb.checkout("main");
    assert_eq!(gc(&mut kb, "main", &["main"]), [format!("@{commit}")]);
}

#[test]
fn a_refused_call_creates_no_store() {
    let mut kb = Kb::of("req R1", "");
    kb.checkout("feature");
    kb.refused("VALIDATION_ERROR", "kb_upsert", json!({ "entities": [{ "id": "R9" }] }));
    kb.refused("NOT_FOUND", "kb_delete", json!({ "ids": ["R9"], "reason": "r" }));
}

#[test]
fn garbage_is_listed_first_and_never_the_active_or_the_default_branch() {
    let mut kb = Kb::of("req R1, test T1", "R1 verified_by T1");
    for name in ["gone", "here", "there"] {
        kb.checkout(name);
        kb.put(&format!("req {name}"), &format!("{name} verified_by T1"));
        kb.up(json!({ "entities": [{ "id": "R1", "title": format!("as {name} has it") }] }));
    }
    let local = ["here".to_owned()];
    let stale = kb.app.read("a", |tx| kb::stale_branches(tx, "there", "main", &local)).unwrap();
    let stale: Vec<_> =
        stale.into_iter().map(|it| (it.name, it.entities, it.relationships)).collect();
    assert_eq!(stale, [("gone".to_owned(), 3, 2)]);
    assert_eq!(names(&mut kb), ["gone", "here", "main", "there"], "listing changes nothing");
    assert_eq!(gc(&mut kb, "there", &["here"]), ["gone"]);
    assert_eq!(gc(&mut kb, "there", &["here"]), [""; 0]);
    assert_eq!(names(&mut kb), ["here", "main", "there"]);
    // Rows of other branches stay, rows of this branch alone are deleted from every table.
    assert_eq!(kb.ids(json!({ "branch": "main" })), "R1 T1");
    assert_eq!(kb.ids(json!({ "branch": "here", "text": "as here has it" })), "R1");
    let tables = kb.app.dump();
    let left =
        tables.lines().filter(|line| line.starts_with("kb_") && !line.starts_with("kb_changesets"));
    assert!(
        left.clone().count() > 0 && left.clone().all(|line| !line.contains("gone")),
        "{tables}"
    );
    assert!(
        tables.lines().any(|line| line.starts_with("kb_changesets") && line.contains("gone")),
        "the log stays"
    );
}

#[test]
fn a_branch_created_while_garbage_collection_waits_keeps_its_store() {
    let mut kb = Kb::of("req R1", "");
    for branch in ["gone", "main"] {
        kb.checkout(branch);
        kb.put("req R2", "");
    }
    let config = kb.app.app.config().clone();
    let heads = kb.directory().join(".git/refs/heads");
    let ctx = kb.app.ctx("a");
    let collector = kb.app.app.write(&ctx, |tx| {
        let collector = std::thread::spawn(move || {
            let mut app = App::new(config);
            let ctx = app.ctx(None);
            app.kb_gc(&ctx, true).unwrap()
        });
        // Long enough to have come as far as the lock; where it is not, nothing is proved and nothing fails.
        std::thread::sleep(std::time::Duration::from_millis(300));
        fs::write(heads.join("new"), format!("{}\n", "1".repeat(40))).unwrap();
        let first = FirstUse { branch: "new", default: "main", former: &[] };
        kb::ensure(tx, first)?;
        Ok(collector)
    });
    let deleted = collector.unwrap().join().unwrap();
    assert_eq!(deleted.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["gone"]);
    assert_eq!(names(&mut kb), ["main", "new"]);
}

#[test]
fn rows_without_any_branch_are_deleted() {
    let mut kb = Kb::empty();
    kb.checkout("a");
    kb.put("req R1 R2", "R1 depends_on R2");
    kb.checkout("main");
    kb.query(json!({}));
    gc(&mut kb, "main", &[]);
    let tables = kb.app.dump();
    for table in
        ["kb_entities|", "kb_links|", "kb_branch_entities|", "kb_branch_links|", "search_entries|"]
    {
        assert!(!tables.lines().any(|line| line.starts_with(table)), "{table}");
    }
}

/// A name that the branch had until a moment ago.
fn former(name: &str) -> Former {
    let now = Timestamp::from_millis(i64::MAX / 2_000_000);
    Former { name: name.to_owned(), until: now, named: now }
}

#[test]
fn a_renamed_branch_keeps_its_store() {
    let mut kb = Kb::of("req R1", "");
    kb.checkout("old");
    kb.put("req R2", "");
    let names_before = [former("older"), former("old")];
    let first = FirstUse { branch: "new", default: "main", former: &names_before };
    assert_eq!(kb.app.write("a", |tx| kb::ensure(tx, first)).unwrap(), Ensured::Renamed);
    assert_eq!(kb.app.write("a", |tx| kb::ensure(tx, first)).unwrap(), Ensured::Present);
    kb.checkout("new");
    assert_eq!(kb.ids(json!({})), "R1 R2");
    assert_eq!(names(&mut kb), ["main", "new"]);
    let log = kb.read(|tx, _| kb::log(tx, "new", None, 9, false)).unwrap();
    assert_eq!(log.len(), 1, "its history comes along");
    // Without a store under the old name, the default branch is copied as usual.
    let never = [former("never used")];
    let first = FirstUse { branch: "other", default: "main", former: &never };
    assert_eq!(kb.app.write("a", |tx| kb::ensure(tx, first)).unwrap(), Ensured::Copied);
    let error = kb.app.write("a", |tx| kb::rename(tx, "other", "new")).unwrap_err();
    assert_eq!(error.code().as_str(), "INVARIANT_VIOLATION");
}

#[test]
fn a_branch_that_replaces_another_keeps_its_store_and_the_other_is_renamed() {
    let mut kb = Kb::of("req R1", "");
    for (branch, id) in [("old", "OLD"), ("taken", "TAKEN")] {
        kb.checkout(branch);
        kb.put(&format!("req {id}"), "");
    }
    let long_ago = Timestamp::from_millis(0);
    for (until, named, expected) in [
        // The store is younger than the name: it is the branch's own.
        (former("").until, long_ago, Ensured::Present),
        // The other one came when the name was free again.
        (long_ago, former("").named, Ensured::Present),
        (former("").until, former("").named, Ensured::Renamed),
        (former("").until, former("").named, Ensured::Present),
    ] {
        let before = [Former { name: "old".to_owned(), until, named }];
        let first = FirstUse { branch: "taken", default: "main", former: &before };
        assert_eq!(kb.app.write("a", |tx| kb::ensure(tx, first)).unwrap(), expected);
    }
    assert_eq!(kb.ids(json!({ "branch": "taken" })), "OLD R1");
    assert_eq!(names(&mut kb), ["main", "taken", "taken@{replaced-3}"]);
    assert_eq!(kb.ids(json!({ "branch": "taken@{replaced-3}" })), "R1 TAKEN");
    assert_eq!(gc(&mut kb, "taken", &[]), ["taken@{replaced-3}"]);
}

#[test]
fn a_default_branch_that_was_renamed_is_copied_under_its_new_name() {
    let mut kb = Kb::of("req R1", "");
    let ensure = |kb: &mut Kb, branch: &str, before: &[Former]| {
        let first = FirstUse { branch, default: "main", former: before };
        kb.app.write("a", |tx| kb::ensure(tx, first)).unwrap()
    };
    assert_eq!(ensure(&mut kb, "trunk", &[former("main")]), Ensured::Renamed);
    assert_eq!(ensure(&mut kb, "stem", &[former("trunk"), former("main")]), Ensured::Renamed);
    assert_eq!(ensure(&mut kb, "side", &[]), Ensured::Copied);
    let stores = kb.app.read("a", kb::store_names).unwrap();
    assert_eq!(stores, ["side", "stem"], "no empty main is made up");
    kb.checkout("side");
    assert_eq!(kb.ids(json!({ "branch": "side" })), "R1");
    assert_eq!(kb.app.read("a", |tx| kb::current_name(tx, "main")).unwrap(), "stem");
    // The name belongs to a new branch as soon as one uses it.
    assert_eq!(ensure(&mut kb, "main", &[]), Ensured::Copied);
    assert_eq!(kb.app.read("a", |tx| kb::current_name(tx, "main")).unwrap(), "main");
}

#[test]
fn a_link_is_one_row_for_all_branches_until_one_of_them_changes_it() {
    let mut kb = Kb::of("req R1, test T1", "R1 verified_by T1");
    kb.checkout("side");
    let change = |confidence: f64| json!({ "relationships": [{ "relation": "verified_by", "from": "R1", "to": "T1", "confidence": confidence }] });
    assert_eq!(kb.query(json!({ "edges": {} }))["total"], 1);
    let rows =
        |kb: &mut Kb| kb.app.dump().lines().filter(|line| line.starts_with("kb_links|")).count();
    assert_eq!(rows(&mut kb), 1);
    kb.up(change(0.5));
    kb.up(change(0.25));
    assert_eq!(rows(&mut kb), 2, "and no row stays behind");
    assert_eq!(kb.query(json!({ "edges": {} }))["relationships"][0]["confidence"], 0.25);
    let main = kb.query(json!({ "edges": { "from": "R1" }, "branch": "main" }));
    assert_eq!(main["relationships"][0].get("confidence"), None);
    assert_eq!(main["total"], 1);
    let diff = kb.read(|tx, _| kb::diff(tx, "side", "main")).unwrap();
    assert_eq!(diff.relationships.changed.len(), 1);
    assert!(diff.relationships.added.is_empty() && diff.relationships.removed.is_empty());
}

#[test]
fn facts_of_files_are_copied_with_the_state_of_the_files() {
    let mut kb = Kb::empty();
    kb.sync(vec![file("docs/a.md", "req A", "A depends_on B")], &[]);
    kb.checkout("feature");
    let known = kb.read(kb::known_files).unwrap();
    assert_eq!(known.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["docs/a.md"]);
    let synced = kb.sync(vec![], &["docs/a.md"]);
    assert!(synced.is_up_to_date());
    kb.sync(vec![], &[]);
    assert_eq!((kb.ids(json!({})), kb.links().len()), (String::new(), 0));
    assert_eq!(kb.ids(json!({ "branch": "main" })), "A");
}

#[test]
fn both_views_show_every_branch() {
    let mut kb = Kb::of("req R1, test T1", "R1 verified_by T1");
    kb.checkout("feature");
    kb.query(json!({}));
    let db = rusqlite::Connection::open(kb.app.db_path()).unwrap();
    let all = |sql: &str| -> Vec<String> {
        let mut statement = db.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    };
    assert_eq!(
        all(
            "SELECT kind || ' ' || id || ' ' || title FROM v_nodes WHERE domain = 'kb' AND id = 'R1' ORDER BY 1"
        ),
        ["req@feature R1 title of R1", "req@main R1 title of R1"]
    );
    assert_eq!(
        all(
            "SELECT from_id || ' ' || type || ' ' || to_id FROM v_edges WHERE domain = 'kb' ORDER BY 1"
        ),
        ["R1 verified_by@feature T1", "R1 verified_by@main T1"]
    );
}
