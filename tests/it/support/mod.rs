//! The base of the tests: an application with a fixed clock and counted ids, in a directory of its own.

pub mod binary;
pub mod calls;
pub mod dump;
pub mod fault;
pub mod git;
pub mod schema;
pub mod server;
pub mod snapshot;
pub mod source;
pub mod values;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, atomic::AtomicI64, atomic::Ordering},
};

use graph::{
    app::App,
    base::{Ctx, Domain, Result, Timestamp, ids::Ids, time::Clock},
    config::{Config, Options, Surroundings},
    db::{Read, Write},
    tools::{self, Registry},
};
use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) use calls::tool_methods;
pub use fault::Fault;

const CONFIG: &str = "graph.config.yaml";
/// Tests outlive no power loss, so they need not wait for the disk.
const QUICK: &str = "durability: normal\n";

/// Moves waiting texts into the text index, as happens automatically when enough of them wait.
pub const INTO_INDEX: &str = "INSERT INTO search_index (rowid, body) SELECT id, folded FROM search_waiting; DELETE FROM search_waiting";

/// All tools, created once: their schemas need longer than a call.
static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::new(tools::all(), Domain::ALL));

/// An application on a new file. Its clock stops until a test moves it.
pub struct TestApp {
    pub app: App,
    millis: Arc<AtomicI64>,
    ids: Ids,
    dir: Arc<TempDir>,
}

impl TestApp {
    pub fn new() -> Self {
        let dir = Arc::new(tempfile::tempdir().unwrap());
        std::fs::write(dir.path().join(CONFIG), QUICK).unwrap();
        let start: Timestamp = "2026-01-01T00:00:00.000Z".parse().unwrap();
        Self::on(dir, Arc::new(AtomicI64::new(start.millis())), Ids::counted())
    }

    fn on(dir: Arc<TempDir>, millis: Arc<AtomicI64>, ids: Ids) -> Self {
        let options = Options { db: Some(dir.path().join("graph.db")), ..Options::default() };
        let around =
            Surroundings { directory: dir.path().to_owned(), variables: Default::default() };
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

    pub fn directory(&self) -> &Path {
        self.dir.path()
    }

    pub fn db_path(&self) -> PathBuf {
        self.dir.path().join("graph.db")
    }

    /// A connection of the test's own to the file.
    pub fn sql(&self) -> Connection {
        Connection::open(self.db_path()).unwrap()
    }

    /// All rows of all tables.
    pub fn dump(&self) -> String {
        dump::dump(&self.db_path())
    }

    /// Adds settings to the `graph.config.yaml` beside the database and starts again with them.
    pub fn configure(&mut self, yaml: &str) {
        std::fs::write(self.dir.path().join(CONFIG), format!("{QUICK}{yaml}")).unwrap();
        self.reopen();
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

impl TestApp {
    /// Calls a tool as `agent`, through the door that the server uses.
    pub fn call(&mut self, agent: &str, tool: &str, arguments: Value) -> Result<Value> {
        let ctx = self.ctx(agent);
        let written = REGISTRY.answer(&mut self.app, &ctx, tool, arguments)?;
        let answer: Value = serde_json::from_str(&written)?;
        // Compact, and no key twice.
        assert_eq!(answer.to_string(), written);
        let schema = &REGISTRY.find(tool)?.output;
        schema::check(schema, schema, &answer);
        Ok(answer)
    }

    /// Calls a tool that must succeed, as agent `a`.
    #[track_caller]
    pub fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        self.call("a", tool, arguments.clone())
            .unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))
    }

    /// Calls a tool that must fail, as agent `a`.
    #[track_caller]
    pub fn fault(&mut self, tool: &str, arguments: Value) -> Fault {
        match self.call("a", tool, arguments.clone()) {
            Ok(answer) => panic!("{tool} {arguments} was accepted: {answer}"),
            Err(error) => Fault(serde_json::to_value(error.into_fault("request")).unwrap()),
        }
    }

    /// Calls a tool that must fail with `code` and leave every table as it was.
    #[track_caller]
    pub fn refused(&mut self, code: &str, tool: &str, arguments: Value) -> Fault {
        let before = self.dump();
        let fault = self.fault(tool, arguments.clone());
        assert_eq!(fault["code"], code, "{tool} {arguments}: {fault}");
        assert!(self.dump() == before, "{tool} {arguments} changed something");
        fault
    }
}

tool_methods!(TestApp);
