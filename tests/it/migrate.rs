//! The schema: what it is, and that every way to it leads to the same.

use graph::db::inspect;

use crate::support::{TestApp, snapshot};

#[test]
fn the_schema_is_as_reviewed() {
    let mut app = TestApp::new();
    let ctx = app.ctx("a");
    let schema = inspect::schema(app.app.db(&ctx).unwrap()).unwrap();
    snapshot::check("schema.sql", &schema);
}

#[test]
fn a_new_file_is_sound_and_in_wal_mode() {
    let mut app = TestApp::new();
    let ctx = app.ctx("a");
    let inspection = inspect::inspect(app.app.db(&ctx).unwrap()).unwrap();
    assert_eq!(inspection.problems, Vec::<String>::new());
    assert_eq!(inspection.journal_mode, "wal");
    assert_eq!(inspection.schema_version, graph::db::MIGRATIONS.len());
}
