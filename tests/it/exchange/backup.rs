//! `graph backup`: online, verified, and never over something else.

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
};

use serde_json::json;

use super::world::World;
use crate::support::binary::run;

#[test]
fn a_backup_during_writes_is_complete_and_holds_one_instant() {
    let mut home = World::full();
    let place = home.app.db_path().parent().unwrap().to_owned();
    let mut other = home.app.another();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                other.graph_plan(
                    json!({ "project": "shop", "nodes": [{ "ref": "x", "summary": "more" }] }),
                );
            }
        });
        for at in 0..3 {
            let name = format!("copy{at}.db");
            let said = run(&place, &["backup", &name]).ok();
            assert!(said.contains("no damage found") && said.contains("restore it"), "{said}");
            let checked = run(&place, &["--db", &name, "doctor"]).ok();
            assert!(checked.contains("✓ agree with a recount"), "{checked}");
        }
        stop.store(true, Ordering::Relaxed);
    });
    let before = home.export();
    run(&place, &["backup", "last.db"]).ok();
    assert_eq!(run(&place, &["--db", "last.db", "export"]).ok(), before);
    let left: Vec<_> = fs::read_dir(&place)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".tmp"))
        .collect();
    assert_eq!(left, [""; 0]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(place.join("last.db")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_backup_replaces_no_file_without_force() {
    let home = World::full();
    let place = home.app.db_path().parent().unwrap().to_owned();
    fs::write(place.join("mine"), "mine").unwrap();
    for (target, words) in [
        ("mine", "already exists"),
        ("graph.db", "the database itself"),
        ("./graph.db", "the database itself"),
        (".", "not a regular file"),
        ("none/x.db", "none/x.db cannot be written: No such file"),
    ] {
        let err = run(&place, &["backup", target]).failed(1);
        assert!(err.contains(words), "{target}: {err}");
    }
    let err = run(&place, &["backup", "graph.db", "--force"]).failed(1);
    assert!(err.contains("the database itself"), "{err}");
    assert_eq!(fs::read_to_string(place.join("mine")).unwrap(), "mine");
    run(&place, &["backup", "mine", "--force"]).ok();
    assert!(run(&place, &["--db", "mine", "doctor"]).ok().contains("no errors"));
}

#[test]
#[cfg(unix)]
fn a_read_only_database_can_be_backed_up_elsewhere() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let mut home = World::full();
    let export = home.export();
    let place = home.app.db_path().parent().unwrap().to_owned();
    home.app.reopen();
    let (_keep, other) = crate::support::binary::directory();
    let copy = other.join("copy.db");
    mode(&place.join("graph.db"), 0o400);
    mode(&place, 0o500);
    // A superuser may always write; the rest is true for them too.
    run(&place, &["backup", copy.to_str().unwrap()]).ok();
    mode(&place, 0o700);
    assert_eq!(run(&other, &["--db", "copy.db", "export"]).ok(), export);
}
