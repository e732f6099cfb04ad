mod checkpoint;

use std::path::PathBuf;

use super::*;
use crate::{
    base::{Progress, Timestamp, ids::Ids, time::Clock},
    db::Event,
};

const OPTIONS: Options = Options { survive_power_loss: false };

fn ctx() -> Ctx {
    Ctx {
        actor: "a".into(),
        request: "r".into(),
        clock: Clock::fixed(Timestamp::from_millis(0)),
        ids: Ids::counted(),
        root: None,
        progress: Progress::default(),
    }
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("graph.db");
    (dir, path)
}

fn record(db: &mut Db, subject: &str) -> Result<()> {
    let event = Event { domain: None, kind: "thing", subject, action: "made", changes: &[] };
    db.write(&ctx(), |tx| tx.record(&event))
}

fn events(db: &mut Db) -> usize {
    db.read(&ctx(), |tx| crate::db::recent(tx, crate::db::Wanted::default(), 1_000)).unwrap().len()
}

fn fault(error: Error) -> Fault {
    let fault = error.into_fault("r");
    assert!(fault.hint.is_some(), "{fault} says what to do next");
    fault
}

#[test]
fn a_write_that_fails_changes_nothing() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    let failed: Result<()> = db.write(&ctx(), |tx| {
        tx.record(&Event {
            domain: None,
            kind: "thing",
            subject: "x",
            action: "made",
            changes: &[],
        })?;
        Err(Fault::invalid("x", "is not wanted").into())
    });
    assert_eq!(failed.unwrap_err().code(), ErrorCode::ValidationError);
    assert_eq!(events(&mut db), 0);
}

#[test]
fn events_are_append_only() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    record(&mut db, "x").unwrap();
    for sql in ["UPDATE events SET actor = 'b'", "DELETE FROM events"] {
        assert!(db.conn.execute(sql, []).is_err(), "{sql}");
    }
}

#[test]
fn a_locked_file_is_busy_at_once_without_patience_and_free_again_afterwards() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    let other = connect(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    db.set_patience(Patience::None).unwrap();
    let fault = fault(record(&mut db, "x").unwrap_err());
    assert_eq!(fault.code, ErrorCode::Busy);
    assert_eq!(fault.details.unwrap()["file"], path.display().to_string());
    assert_eq!(events(&mut db), 0, "a reader is never locked out");
    other.execute_batch("ROLLBACK").unwrap();
    record(&mut db, "x").unwrap();
}

#[test]
fn a_patient_writer_waits_for_the_lock() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    let other = connect(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let holder = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        other.execute_batch("COMMIT").unwrap();
    });
    record(&mut db, "x").unwrap();
    holder.join().unwrap();
    assert_eq!(events(&mut db), 1);
}

#[test]
fn a_full_disk_is_storage_full_and_nothing_is_half_written() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    record(&mut db, "before").unwrap();
    let pages: i64 = db.conn.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    db.conn.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
    let error = (0..10_000).find_map(|index| record(&mut db, &format!("s{index}")).err()).unwrap();
    assert_eq!(fault(error).code, ErrorCode::StorageFull);
    let kept = events(&mut db);
    assert!(record(&mut db, &"x".repeat(5_000)).is_err());
    assert_eq!(events(&mut db), kept);
}

#[test]
fn a_file_that_is_not_a_database_is_refused_and_left_as_it_is() {
    for content in [b"this is no database, and never was one".repeat(20), vec![0xff; 4096]] {
        let (_dir, path) = file();
        fs::write(&path, &content).unwrap();
        let fault = fault(Db::open(&path, OPTIONS, &ctx()).unwrap_err());
        assert_eq!(fault.code, ErrorCode::StorageCorrupt);
        assert_eq!(fs::read(&path).unwrap(), content);
    }
}

#[test]
fn a_damaged_file_is_storage_corrupt() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    for index in 0..200 {
        record(&mut db, &format!("subject {index}")).unwrap();
    }
    drop(db);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 4;
    bytes[4096..middle].fill(0xa5);
    fs::write(&path, &bytes).unwrap();
    let outcome = Db::open(&path, OPTIONS, &ctx()).and_then(|mut db| {
        (0..10).try_for_each(|index| record(&mut db, &format!("later {index}")))
    });
    assert_eq!(fault(outcome.unwrap_err()).code, ErrorCode::StorageCorrupt);
}

#[test]
fn a_database_of_another_program_is_refused() {
    let (_dir, path) = file();
    create_private(&path).unwrap();
    connect(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let fault = fault(Db::open(&path, OPTIONS, &ctx()).unwrap_err());
    assert_eq!(fault.code, ErrorCode::StorageCorrupt);
    assert!(fault.message.contains("another program"), "{}", fault.message);
}

#[test]
fn a_file_that_vanishes_is_noticed_and_never_replaced_by_an_empty_one() {
    let (dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    record(&mut db, "x").unwrap();
    let away = dir.path().join("away.db");
    fs::rename(&path, &away).unwrap();
    assert_eq!(fault(record(&mut db, "y").unwrap_err()).code, ErrorCode::StorageCorrupt);
    assert!(!path.exists());

    fs::write(&path, b"").unwrap();
    let outcome = db.read(&ctx(), |tx| crate::db::recent(tx, crate::db::Wanted::default(), 1));
    assert_eq!(fault(outcome.unwrap_err()).code, ErrorCode::StorageCorrupt);

    fs::rename(&away, &path).unwrap();
    record(&mut db, "y").unwrap();
    assert_eq!(events(&mut db), 2);

    // What goes into a lost log is lost, and so is what two write who do not see each other's locks.
    for ending in ["-wal", "-shm"] {
        let (there, away) = (file::beside(&path, ending), dir.path().join("away"));
        fs::rename(&there, &away).unwrap();
        let fault = fault(record(&mut db, "z").unwrap_err());
        assert_eq!(fault.code, ErrorCode::StorageCorrupt, "{ending}");
        assert!(fault.message.contains(ending), "{}", fault.message);
        fs::rename(&away, &there).unwrap();
        record(&mut db, "z").unwrap();
    }
}

#[test]
fn what_is_not_a_file_is_refused_by_name() {
    let (dir, path) = file();
    let error = Db::open(dir.path(), OPTIONS, &ctx()).unwrap_err();
    assert!(fault(error).message.contains("is a directory"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(dir.path().join("nowhere"), &path).unwrap();
        let error = Db::open(&path, OPTIONS, &ctx()).unwrap_err();
        assert!(fault(error).message.contains("is a broken link"));
    }
}

#[test]
fn a_locked_new_file_is_busy_after_the_wait_and_not_after_hours() {
    let (_dir, path) = file();
    create_private(&path).unwrap();
    let other = connect(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let opener = thread::spawn({
        let path = path.clone();
        move || Db::open(&path, OPTIONS, &ctx()).map(|_| ())
    });
    // Longer than a single wait of SQLite's own would take for each of its tries.
    thread::sleep(Duration::from_millis(300));
    other.execute_batch("ROLLBACK").unwrap();
    opener.join().unwrap().unwrap();
}

#[test]
fn a_cancelled_wait_ends_at_once_and_the_next_one_waits_again() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    let other = connect(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let interrupt = db.interrupt_handle();
    interrupt.interrupt();
    assert_eq!(record(&mut db, "x").unwrap_err().code(), ErrorCode::Busy);
    other.execute_batch("ROLLBACK").unwrap();
    db.set_patience(Patience::Full).unwrap();
    record(&mut db, "x").unwrap();
}

#[test]
fn a_cancelled_write_ends_between_its_statements_and_changes_nothing() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    let event = Event { domain: None, kind: "thing", subject: "x", action: "made", changes: &[] };
    let interrupt = db.interrupt_handle();
    let mut made = 0;
    // No statement runs while the word comes; the last one has no other after it.
    for last in [false, true] {
        let stopped: Result<()> = db.write(&ctx(), |tx| {
            tx.record(&event)?;
            interrupt.interrupt();
            if !last {
                made += 1;
                tx.record(&event)?;
            }
            Ok(())
        });
        let fault = stopped.unwrap_err().into_fault("r");
        assert!(fault.message.contains("cancelled"), "{}", fault.message);
        db.set_patience(Patience::Full).unwrap();
        assert_eq!((events(&mut db), made), (0, 1));
    }
}

#[test]
fn a_call_without_patience_ends_when_its_time_is_up_and_changes_nothing() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    db.set_patience(Patience::None).unwrap();
    let event = Event { domain: None, kind: "thing", subject: "x", action: "made", changes: &[] };
    let endless: Result<()> = db.write(&ctx(), |tx| {
        loop {
            tx.record(&event)?
        }
    });
    assert_eq!(endless.unwrap_err().code(), ErrorCode::Busy);
    assert_eq!(events(&mut db), 0);
}

#[test]
fn rows_are_never_changed_without_an_event() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    let silent = db.write(&ctx(), |tx| {
        tx.run("INSERT INTO search_entries (domain, kind, subject) VALUES ('t', 'k', 's')", [])
    });
    assert_eq!(silent.unwrap_err().code(), ErrorCode::InternalError);
}

#[test]
fn a_file_that_another_version_migrates_meanwhile_is_left_alone() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    connect(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let fault = fault(record(&mut db, "x").unwrap_err());
    assert_eq!(fault.code, ErrorCode::StorageCorrupt);
    assert!(fault.message.contains("version 99"), "{}", fault.message);
}

#[test]
fn a_directory_that_is_not_there_is_not_made() {
    let (dir, _) = file();
    let path = dir.path().join("no/such/directory/graph.db");
    let fault = fault(Db::open(&path, OPTIONS, &ctx()).unwrap_err());
    assert_eq!(fault.code, ErrorCode::ReadOnly);
    assert!(!dir.path().join("no").exists());
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    record(&mut db, "x").unwrap();
    let mut files = 0;
    for entry in fs::read_dir(dir.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", entry.file_name());
        files += 1;
    }
    assert_eq!(files, 3, "the file, its -wal and its -shm");
}

#[test]
fn time_never_decreases_even_when_the_clock_steps_back() {
    let (_dir, path) = file();
    let mut context = ctx();
    let mut db = Db::open(&path, OPTIONS, &context).unwrap();
    for millis in [5_000, 1_000, 6_000] {
        context.clock = Clock::fixed(Timestamp::from_millis(millis));
        let event =
            Event { domain: None, kind: "thing", subject: "x", action: "made", changes: &[] };
        db.write(&context, |tx| tx.record(&event)).unwrap();
    }
    let times: Vec<_> = db
        .read(&context, |tx| crate::db::recent(tx, crate::db::Wanted::default(), 10))
        .unwrap()
        .iter()
        .map(|event| event.at.millis())
        .collect();
    assert_eq!(times, [6_000, 5_000, 5_000]);
}

#[test]
fn many_that_open_a_new_file_at_once_all_succeed() {
    let (_dir, path) = file();
    let openers: Vec<_> = (0..8)
        .map(|index| {
            let path = path.clone();
            thread::spawn(move || {
                let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
                record(&mut db, &format!("s{index}")).unwrap();
            })
        })
        .collect();
    for opener in openers {
        opener.join().unwrap();
    }
    assert_eq!(events(&mut Db::open(&path, OPTIONS, &ctx()).unwrap()), 8);
}
