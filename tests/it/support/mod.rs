//! What the tests stand on: an application with a fixed clock and counted ids, in a folder of its own.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicI64, atomic::Ordering},
};

use graph::{
    app::App,
    base::{Ctx, Result, Timestamp, ids::Ids, time::Clock},
    config::{Config, Options, Surroundings},
    db::{Read, Write},
};
use tempfile::TempDir;

/// An application on a fresh file. Time stands still until it is moved.
pub struct TestApp {
    pub app: App,
    millis: Arc<AtomicI64>,
    ids: Ids,
    dir: Arc<TempDir>,
}

impl TestApp {
    pub fn new() -> Self {
        let dir = Arc::new(tempfile::tempdir().unwrap());
        let start: Timestamp = "2026-01-01T00:00:00.000Z".parse().unwrap();
        Self::on(dir, Arc::new(AtomicI64::new(start.millis())), Ids::counted())
    }

    fn on(dir: Arc<TempDir>, millis: Arc<AtomicI64>, ids: Ids) -> Self {
        let options = Options { db: Some(dir.path().join("graph.db")), ..Options::default() };
        let around = Surroundings { folder: dir.path().to_owned(), variables: Default::default() };
        let config = Config::load(options, &around).unwrap();
        let app = App::with(config, Clock::Fixed(millis.clone()), ids.clone());
        TestApp { app, millis, ids, dir }
    }

    /// A second application on the same file, clock and ids, as another process would be.
    pub fn another(&self) -> Self {
        Self::on(self.dir.clone(), self.millis.clone(), self.ids.clone())
    }

    /// Closes the file and opens it again.
    pub fn reopen(&mut self) {
        *self = self.another();
    }

    pub fn db_path(&self) -> PathBuf {
        self.dir.path().join("graph.db")
    }

    /// Moves the clock, backwards too.
    pub fn advance_millis(&self, millis: i64) {
        self.millis.fetch_add(millis, Ordering::Relaxed);
    }

    pub fn advance_minutes(&self, minutes: i64) {
        self.advance_millis(minutes * 60_000);
    }

    pub fn ctx(&self, agent: &str) -> Ctx {
        self.app.ctx(Some(agent))
    }

    /// Reads as `agent`.
    pub fn read<T>(&mut self, agent: &str, f: impl FnOnce(&Read<'_>) -> Result<T>) -> Result<T> {
        let ctx = self.ctx(agent);
        self.app.read(&ctx, f)
    }

    /// Writes as `agent`.
    pub fn write<T>(&mut self, agent: &str, f: impl FnOnce(&Write<'_>) -> Result<T>) -> Result<T> {
        let ctx = self.ctx(agent);
        self.app.write(&ctx, f)
    }
}
