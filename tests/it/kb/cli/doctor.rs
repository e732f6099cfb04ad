//! What `graph doctor` reports and repairs of the KB.

use super::*;

#[test]
fn doctor_reports_the_state_of_the_kb() {
    let (_keep, directory) = filled();
    let out = run(&directory, &["doctor"]).ok();
    assert!(out.contains("\nkb\n  branch     main, default main\n"), "{out}");
    assert!(out.contains("  store      4 entities, 2 links\n"), "{out}");
    assert!(!out.contains("graph kb sync"), "{out}");
    write(&directory, "docs/adr/new.md", &requirement("ADR-1", ""));
    write(&directory, "docs/adr/bad.md", "---\nid: [\n---\n");
    fs::remove_file(directory.join("docs/tests/t.md")).unwrap();
    let out = run(&directory, &["doctor"]).ok();
    assert!(out.contains("  ! 2 files to sync: `graph kb sync`\n"), "{out}");
    assert!(out.contains("  ! 1 file with problems: `graph kb sync` shows them\n"), "{out}");
    let object = run(&directory, &["doctor", "--json"]).json();
    assert_eq!((&object["kb"]["unsynced"], &object["kb"]["unreadable"]), (&json!(2), &json!(1)));
    // Facts that a file omits do not wait for a sync.
    write(&directory, "docs/adr/half.md", &requirement("ADR-2", "links: {verified_by: S-1}\n"));
    assert_eq!(kb(&directory, &["sync"]).code, 1);
    let object = run(&directory, &["doctor", "--json"]).json();
    assert_eq!((&object["kb"]["unsynced"], &object["kb"]["unreadable"]), (&json!(0), &json!(2)));

    let named = finish(command(&directory, &["doctor"]).env("GRAPH_BRANCH", "ci")).ok();
    assert!(named.contains("branch     ci (environment GRAPH_BRANCH), default main\n"), "{named}");
    assert!(
        named.contains("store      none yet: the first use of the branch creates it\n"),
        "{named}"
    );

    write(&directory, ".kb/config.json", r#"{"rulez": {}}"#);
    let ran = run(&directory, &["doctor"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("✗ .kb/config.json:1: unknown key `rulez`"), "{}", ran.out);
}

#[test]
fn doctor_recounts_derived_data_of_the_kb() {
    for (tampering, finding) in [
        ("DELETE FROM kb_tags", "tags of an entity: REQ-1 keeps 0, a recount finds 1"),
        ("DELETE FROM kb_paths", "the file of an entity among its paths: REQ-1 keeps 0"),
        (
            "UPDATE kb_branch_entities SET type = 'adr' WHERE id = 'T-1'",
            "type in a branch's list: T-1",
        ),
        ("DELETE FROM kb_branch_entities WHERE id = 'T-1'", "that no branch lists: T-1 keeps 1"),
        ("DELETE FROM kb_branch_links", "that no branch has: REQ-1 specified_by S-1 keeps 1"),
        ("DELETE FROM search_entries WHERE domain = 'kb'", "entries in the text index: REQ-1"),
    ] {
        let (_keep, directory) = filled();
        let conn = rusqlite::Connection::open(directory.join("graph.db")).unwrap();
        conn.execute(tampering, []).unwrap();
        let ran = run(&directory, &["doctor"]);
        assert_eq!(ran.code, 1, "{tampering}: {}", ran.out);
        assert!(ran.out.contains(finding), "{tampering}: {}", ran.out);
    }
}
