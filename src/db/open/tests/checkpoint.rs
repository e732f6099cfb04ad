//! When the WAL is checkpointed, and how long it may become.

use super::*;

/// Pages in the log, and how many of them are in the file too.
fn log(db: &Db) -> (i64, i64) {
    let sql = "PRAGMA wal_checkpoint(NOOP)";
    db.conn.query_row(sql, [], |row| Ok((row.get(1)?, row.get(2)?))).unwrap()
}

#[test]
fn a_long_log_is_worked_off_between_calls_and_a_short_one_left_alone() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    while !db.is_checkpoint_due() {
        record(&mut db, "x").unwrap();
    }
    db.checkpoint().unwrap();
    assert!(!db.is_checkpoint_due());
    let (pages, done) = log(&db);
    assert!(done < pages, "{done} of {pages}");

    // No commit does it by itself.
    while log(&db).0 < 1_500 {
        record(&mut db, "x").unwrap();
    }
    let (pages, done) = log(&db);
    assert!(done < pages, "{done} of {pages}");
    db.checkpoint().unwrap();
    let (pages, done) = log(&db);
    assert_eq!(pages, done);
    record(&mut db, "x").unwrap();
    assert!(log(&db).0 < 100, "the log begins anew");
}

#[test]
fn a_log_that_nobody_works_off_is_bounded() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    let mut longest = 0;
    loop {
        record(&mut db, "x").unwrap();
        match log(&db).0 {
            pages if pages < longest => break,
            pages => longest = pages,
        }
    }
    assert!((3_000..5_000).contains(&longest), "{longest} pages");
}

#[test]
fn one_long_statement_ends_with_the_time_of_its_call() {
    let (_dir, path) = file();
    let mut db = Db::open(&path, OPTIONS, &ctx()).unwrap();
    let count = |db: &mut Db, most: i64| {
        let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                   SELECT count(*) FROM n";
        db.read(&ctx(), |tx| tx.one(sql, [most], |row| row.get::<_, i64>(0)))
    };
    db.set_patience(Patience::None).unwrap();
    let error = count(&mut db, i64::MAX).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Busy);
    // A call that may wait is not limited by the call before.
    db.set_patience(Patience::Full).unwrap();
    assert_eq!(count(&mut db, 1_000_000).unwrap(), Some(1_000_000));
    record(&mut db, "x").unwrap();
}
