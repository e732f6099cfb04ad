//! `graph doctor --fix`: derived data that was edited by hand is repaired.

use serde_json::json;

use super::world::World;
use crate::support::{
    INTO_INDEX,
    binary::run,
    git::{commit, git, repository},
    values::table,
};

#[test]
fn wrong_derived_data_is_found_repaired_and_clean_afterwards() {
    for [tampering, finding] in table(
        r"
        UPDATE work_projects SET total = total + 1 | nodes of a project
        UPDATE work_projects SET resolved = 0 WHERE name = 'shop' | resolved nodes of a project
        UPDATE work_projects SET blocked = 0 WHERE name = 'shop' | blocked nodes of a project
        UPDATE work_projects SET actionable = 0 | actionable nodes of a project
        UPDATE work_projects SET leaves = 0 | leaves of a project
        UPDATE work_nodes SET depth = 9 WHERE id = 'n_0000000004' | depth
        UPDATE work_nodes SET open_deps = 0 | unresolved dependencies
        UPDATE work_nodes SET open_children = 0 WHERE id = 'n_0000000003' | unresolved children
        UPDATE work_nodes SET children = 9 WHERE id = 'n_0000000003' | all children
        UPDATE work_nodes SET priority = 9 WHERE id = 'n_0000000004' | priority of a node
        DELETE FROM work_values | values that find a node
        UPDATE work_values SET project = 'elsewhere' | keeps other values than it says
        INSERT INTO work_values (project, key, kind, value, node) VALUES ('p', 'k', 'number', 1, 999) | number 999, which no node has
        DELETE FROM work_open_links | files of open work
        UPDATE work_open_links SET path = 'elsewhere.rs' | keeps elsewhere.rs, its links name
        DELETE FROM search_entries WHERE domain = 'work' | text index
        DELETE FROM graph_patterns | patterns of an atom
        UPDATE graph_patterns SET key = 'nowhere' | keys of patterns
        DELETE FROM search_entries WHERE domain = 'knowledge' | text index
        UPDATE memory_node_properties SET value = 'other' WHERE key = 'a' | properties of a memory
        DELETE FROM memory_node_properties | properties of a memory
        DELETE FROM memory_connection_properties | properties of a connection
        DELETE FROM search_entries WHERE domain = 'memory' | text index
        DELETE FROM kb_tags | tags of an entity
        DELETE FROM kb_paths | among its paths
        UPDATE kb_branch_entities SET type = 'req' WHERE id = 'T-1' | type in a branch's list
        DELETE FROM kb_branch_entities WHERE id = 'T-1' | that no branch lists
        DELETE FROM kb_branch_links | that no branch has
        DELETE FROM search_waiting | index
        DELETE FROM search_index | index
        INSERT INTO search_entries (domain, kind, subject) VALUES ('work', 'node', 'gone') | index
        ",
    ) {
        let mut world = World::full();
        let before = world.export();
        let place = world.app.db_path().parent().unwrap().to_owned();
        let conn = rusqlite::Connection::open(world.app.db_path()).unwrap();
        if tampering.contains("search_index") {
            conn.execute_batch(INTO_INDEX).unwrap();
        }
        assert!(conn.execute(tampering, []).unwrap() > 0, "{tampering}");
        drop(conn);
        let broken = world.app.dump();
        let found = run(&place, &["doctor"]);
        assert_eq!(found.code, 1, "{tampering}: {}", found.out);
        assert!(found.out.contains(finding), "{tampering}: {}", found.out);
        assert_eq!(world.app.dump(), broken, "{tampering}: a look changed something");

        let fixed = run(&place, &["doctor", "--fix"]);
        assert_eq!(fixed.code, 0, "{tampering}: {}{}", fixed.out, fixed.err);
        assert!(fixed.out.contains("\nrepaired\n  ✓ "), "{tampering}: {}", fixed.out);
        let again = run(&place, &["doctor", "--fix"]).ok();
        assert!(!again.contains("repaired") && again.contains("no errors"), "{tampering}: {again}");
        if !tampering.contains("kb_branch_") {
            assert_eq!(world.export(), before, "{tampering}: content changed");
        }
        let found = world.app.search_content(json!({ "query": "kitchen" }));
        assert_eq!(found["node_ids"].as_array().unwrap().len(), 1, "{tampering}");
    }
}

#[test]
fn an_index_without_its_rows_is_rebuilt_and_texts_are_unchanged() {
    let world = World::full();
    let place = world.app.db_path().parent().unwrap().to_owned();
    let open = || rusqlite::Connection::open(world.app.db_path()).unwrap();
    // A program that does not know of an index leaves it as it was.
    let schema = "type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name = 'idx_graph_atoms_molecule'";
    let conn = open();
    conn.execute_batch(&format!(
        "CREATE TABLE kept AS SELECT {schema}; PRAGMA writable_schema = ON;
         DELETE FROM sqlite_schema WHERE name = 'idx_graph_atoms_molecule'"
    ))
    .unwrap();
    drop(conn);
    let conn = open();
    conn.execute("UPDATE graph_atoms SET molecule_id = NULL", []).unwrap();
    conn.execute_batch(
        "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM kept; DROP TABLE kept",
    )
    .unwrap();
    drop(conn);
    let found = run(&place, &["doctor"]);
    assert!(found.out.contains("missing from index idx_graph_atoms_molecule"), "{}", found.out);
    let fixed = run(&place, &["doctor", "--fix"]).ok();
    let told = "\nrepaired\n  ✓ index idx_graph_atoms_molecule, rebuilt: 1 put right\n";
    assert!(fixed.contains(told) && !fixed.contains("text index"), "{fixed}");
    let again = run(&place, &["doctor", "--fix"]).ok();
    assert!(!again.contains("repaired") && again.contains("no errors"), "{again}");
}

#[test]
fn lost_data_is_reported_with_what_to_do() {
    let world = World::full();
    let place = world.app.db_path().parent().unwrap().to_owned();
    let conn = rusqlite::Connection::open(world.app.db_path()).unwrap();
    conn.execute("DELETE FROM memory_node_contents WHERE owner = 1", []).unwrap();
    drop(conn);
    let fixed = run(&place, &["doctor", "--fix"]);
    assert_eq!(fixed.code, 1, "{}", fixed.out);
    assert!(
        fixed.out.contains("contents of a memory") && fixed.out.contains("restore a backup"),
        "{}",
        fixed.out
    );
}

#[test]
fn stores_of_deleted_branches_are_reported_and_not_deleted_by_repair() {
    let (_keep, root) = repository(&[]);
    let require = |id: &str| {
        let entity = json!({ "id": id, "type": "adr", "title": "x", "status": "accepted" });
        run(&root, &["tool", "kb_upsert", &json!({ "entities": [entity] }).to_string()]).ok();
    };
    require("A-main");
    for name in ["gone", "here"] {
        git(&root, &["checkout", "-q", "-b", name]);
        commit(&root);
        require(&format!("A-{name}"));
    }
    git(&root, &["branch", "-D", "gone"]);
    let doctor = |arguments: &[&str]| run(&root, &[&["doctor"], arguments].concat());
    let told = doctor(&[]).ok();
    assert!(told.contains("! 1 store of deleted branches: `graph kb gc` lists them"), "{told}");
    assert_eq!(doctor(&["--json"]).json()["stale_branches"], json!(["gone"]));
    assert!(run(&root, &["kb", "branch"]).ok().contains("gone"), "a look deletes nothing");

    let fixed = doctor(&["--fix"]).ok();
    assert!(!fixed.contains("repaired") && fixed.contains("`graph kb gc` lists them"), "{fixed}");
    assert!(run(&root, &["kb", "branch"]).ok().contains("gone"), "a repair deletes none");
    // In another repository all of these branches seem to be deleted.
    let (_other, elsewhere) = repository(&[]);
    let db = root.join("graph.db");
    let fixed = run(&elsewhere, &["--db", db.to_str().unwrap(), "doctor", "--fix"]).ok();
    assert!(fixed.contains("2 stores of deleted branches"), "{fixed}");
    let branches = run(&root, &["kb", "branch"]).ok();
    assert!(branches.contains("gone") && branches.contains("here"), "{branches}");
    run(&root, &["kb", "gc", "--force"]).ok();
    let branches = run(&root, &["kb", "branch"]).ok();
    assert!(!branches.contains("gone") && branches.contains("here"), "{branches}");
    let found = run(&root, &["tool", "kb_query", "{}"]).json();
    assert_eq!(found["total"], 2, "what the active branch has is its own: {found}");
}

#[test]
fn repairs_are_reported_even_if_others_are_impossible() {
    let world = World::full();
    let place = world.app.db_path().parent().unwrap().to_owned();
    let conn = rusqlite::Connection::open(world.app.db_path()).unwrap();
    conn.execute("UPDATE work_projects SET total = total + 1", []).unwrap();
    conn.execute("DELETE FROM graph_patterns", []).unwrap();
    conn.execute("UPDATE graph_atoms SET created_at = 'never'", []).unwrap();
    drop(conn);
    let fixed = run(&place, &["doctor", "--fix"]);
    assert_eq!(fixed.code, 1, "{}", fixed.out);
    let told = "\nrepaired\n  ✓ counters and depths of the work graph: 2 put right\n";
    assert!(fixed.out.contains(told), "{}", fixed.out);
    assert!(fixed.out.contains("(STORAGE_CORRUPT)"), "why the rest was not: {}", fixed.out);
}

#[test]
fn an_index_that_cannot_be_rebuilt_stays_reported_and_the_other_repairs_are_done() {
    let world = World::full();
    let place = world.app.db_path().parent().unwrap().to_owned();
    let open = || rusqlite::Connection::open(world.app.db_path()).unwrap();
    let (table, index) = ("confirmed_areas", "sqlite_autoindex_confirmed_areas_1");
    for step in [
        format!(
            "CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name IN ('{table}', '{index}');
             PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '{index}';
             UPDATE sqlite_schema SET sql = replace(sql, ' UNIQUE', '') WHERE name = '{table}'"
        ),
        format!("INSERT INTO {table} VALUES (901, 'a', '[]'), (902, 'a', '[]')"),
        format!(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = (SELECT sql FROM kept WHERE name = '{table}') WHERE name = '{table}';
             INSERT INTO sqlite_schema SELECT * FROM kept WHERE name = '{index}'; DROP TABLE kept;
             UPDATE work_projects SET total = total + 1"
        ),
    ] {
        open().execute_batch(&step).unwrap();
    }
    let fixed = run(&place, &["doctor", "--fix"]);
    assert_eq!(fixed.code, 1, "{}", fixed.out);
    let done = "\nrepaired\n  ✓ counters and depths of the work graph: 2 put right\n";
    assert!(fixed.out.contains(done), "{}{}", fixed.out, fixed.err);
    assert!(fixed.out.contains(index), "{}", fixed.out);
}
