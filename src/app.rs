//! Wires configuration, clock, ids and database together.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    base::{Ctx, Progress, Result, ids::Ids, text, time::Clock},
    config::{Config, Durability},
    db::{self, Db},
    kb::SchemaCache,
    work,
};

mod demo;
mod exchange;
mod files;
mod joined;
mod kb;
mod repair;
mod report;
mod setup;
mod status;

// What the transports need of layers that they may not use.
pub use crate::{
    db::{Interrupt, Named, Names, Patience, Read, Wanted, Write},
    os::{
        fs::{read_start, read_text},
        git::GitState,
        scratch::Pending,
    },
};
pub use demo::Stage;
pub use report::Health;
pub use setup::{Act, Launch, MCP_FILE, Setup, Step, Undo};

/// The application behind every transport. The first call that needs the database opens it, so that a server starts at
/// once, and a damaged file is the error of a call rather than the end of the process.
#[derive(Debug)]
pub struct App {
    config: Config,
    clock: Clock,
    ids: Ids,
    patience: Patience,
    requests: AtomicU64,
    schema_cache: SchemaCache,
    db: Option<Db>,
}

impl App {
    /// Creates an application with the system clock and random ids.
    pub fn new(config: Config) -> Self {
        Self::with(config, Clock::System, Ids::Random)
    }

    /// Creates an application with the caller's clock and ids.
    pub fn with(config: Config, clock: Clock, ids: Ids) -> Self {
        App {
            config,
            clock,
            ids,
            patience: Patience::Full,
            requests: AtomicU64::new(0),
            schema_cache: SchemaCache::default(),
            db: None,
        }
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn work(&self) -> work::Settings {
        work::Settings { claim_ttl_minutes: self.config.claim_ttl_minutes.value }
    }

    /// Creates the context of a call; its actor is the configured identity, else the name that the client gives itself.
    pub fn ctx(&self, client: Option<&str>) -> Ctx {
        let identity = self.config.agent_identity.value.clone();
        let client = client.map(printable).filter(|name| !name.is_empty());
        let request = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        Ctx {
            actor: identity.or(client).unwrap_or_else(|| "unknown".to_owned()),
            request: format!("{}-{request}", std::process::id()),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            root: Some(self.config.root.clone()),
            progress: Progress::default(),
        }
    }

    /// Runs `f` on one snapshot of the database.
    pub fn read<T>(&mut self, ctx: &Ctx, f: impl FnOnce(&Read<'_>) -> Result<T>) -> Result<T> {
        self.db(ctx)?.read(ctx, f)
    }

    /// Runs `f` in one write transaction, which is committed before this returns.
    pub fn write<T>(&mut self, ctx: &Ctx, f: impl FnOnce(&Write<'_>) -> Result<T>) -> Result<T> {
        self.db(ctx)?.write(ctx, f)
    }

    /// Runs `f` on the existing file, without creating, migrating or changing it, and without long waits.
    pub fn read_existing<T>(&self, ctx: &Ctx, f: impl FnOnce(&Read<'_>) -> Result<T>) -> Result<T> {
        Db::glance(&self.config.db_path.value)?.read(ctx, f)
    }

    /// Sets how long the next calls wait for other processes.
    pub fn set_patience(&mut self, patience: Patience) -> Result<()> {
        self.patience = patience;
        match &mut self.db {
            Some(db) => db.set_patience(patience),
            None => Ok(()),
        }
    }

    /// Whether a [`checkpoint`](Self::checkpoint) is due.
    pub fn is_checkpoint_due(&self) -> bool {
        self.db.as_ref().is_some_and(Db::is_checkpoint_due)
    }

    /// Opens the database if it is not open yet, and checkpoints a WAL that has become long. Called between two calls.
    pub fn checkpoint(&mut self) -> Result<()> {
        let ctx = self.ctx(None);
        self.db(&ctx)?.checkpoint()
    }

    /// A handle that stops the current call; none before the database is open.
    pub fn interrupt_handle(&self) -> Option<Interrupt> {
        self.db.as_ref().map(Db::interrupt_handle)
    }

    pub fn db(&mut self, ctx: &Ctx) -> Result<&mut Db> {
        let db = match self.db.take() {
            Some(db) if !db.is_read_only() => db,
            _ => {
                let survive_power_loss = self.config.durability.value == Durability::Full;
                let options = db::Options { survive_power_loss };
                let path = &self.config.db_path.value;
                let mut db = Db::open(path, options, ctx)?;
                // Backups and exports are often written beside the database.
                crate::os::scratch::sweep(path.parent().unwrap_or(path));
                db.set_patience(self.patience)?;
                db
            }
        };
        Ok(self.db.insert(db))
    }
}

/// The name that a client gives itself, without control characters and at most 100 characters long.
fn printable(name: &str) -> String {
    let clean: String = name.chars().filter(|letter| !letter.is_control()).collect();
    text::shorten(clean.trim(), 100)
}
