//! The one place that wires configuration, clock, ids and database together.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    base::{Ctx, Progress, Result, ids::Ids, text, time::Clock},
    config::{Config, Durability},
    db::{self, Db},
    work,
};

mod complete;
mod demo;
mod exchange;
mod joined;
mod kb;
mod repair;
mod report;
mod setup;
mod status;
mod tree;

// What transports need of the layers below, which they do not see.
pub use crate::{
    db::{Interrupt, Named, Names, Patience, Read, Wanted, Write},
    os::{
        fs::{read_start, read_text},
        git::GitState,
        scratch::Pending,
    },
};
pub use demo::Stage;
pub use kb::{Branches, HookDirectory, Initialised, KbState, Store};
pub use report::Health;
pub use setup::{Act, Launch, MCP_FILE, Setup, Step, Undo};

/// The application behind every transport. Its database is opened by the first call that needs it, so that
/// a server answers at once and a broken file is the fault of a call, not the end of the process.
#[derive(Debug)]
pub struct App {
    config: Config,
    clock: Clock,
    ids: Ids,
    patience: Patience,
    requests: AtomicU64,
    last_schema: kb::LastSchema,
    db: Option<Db>,
}

impl App {
    /// An application on the machine's clock with random ids.
    pub fn new(config: Config) -> Self {
        Self::with(config, Clock::System, Ids::Random)
    }

    /// An application whose time and ids are the caller's.
    pub fn with(config: Config, clock: Clock, ids: Ids) -> Self {
        App {
            config,
            clock,
            ids,
            patience: Patience::Full,
            requests: AtomicU64::new(0),
            last_schema: kb::LastSchema::default(),
            db: None,
        }
    }

    /// The configuration in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Settings of the work domain.
    pub fn work(&self) -> work::Settings {
        work::Settings { claim_ttl_minutes: self.config.claim_ttl_minutes.value }
    }

    /// The context of a new call; its actor is the configured identity, else the client's own name.
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

    /// Runs `f` in one write transaction, committed before this answers.
    pub fn write<T>(&mut self, ctx: &Ctx, f: impl FnOnce(&Write<'_>) -> Result<T>) -> Result<T> {
        self.db(ctx)?.write(ctx, f)
    }

    /// Runs `f` on the file as it is, for callers that must not make or change anything, nor wait for long.
    pub fn look<T>(&self, ctx: &Ctx, f: impl FnOnce(&Read<'_>) -> Result<T>) -> Result<T> {
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

    /// Whether there is something for [`settle`](Self::settle) to do.
    pub fn is_unsettled(&self) -> bool {
        self.db.as_ref().is_some_and(Db::is_unsettled)
    }

    /// Does what can be done while nobody waits: opens the database, and works off a log that has become long.
    pub fn settle(&mut self) -> Result<()> {
        let ctx = self.ctx(None);
        self.db(&ctx)?.settle()
    }

    /// A handle that stops the call under way, once there is a database to stop.
    pub fn interrupt_handle(&self) -> Option<Interrupt> {
        self.db.as_ref().map(Db::interrupt_handle)
    }

    /// The open database.
    pub fn db(&mut self, ctx: &Ctx) -> Result<&mut Db> {
        let db = match self.db.take() {
            Some(db) if !db.is_read_only() => db,
            _ => {
                let survive_power_loss = self.config.durability.value == Durability::Full;
                let options = db::Options { survive_power_loss };
                let path = &self.config.db_path.value;
                let mut db = Db::open(path, options, ctx)?;
                // Backups and exports often stand beside it.
                crate::os::scratch::sweep(path.parent().unwrap_or(path));
                db.set_patience(self.patience)?;
                db
            }
        };
        Ok(self.db.insert(db))
    }
}

/// A client's name for itself, fit to stand in every row that it writes.
fn printable(name: &str) -> String {
    let clean: String = name.chars().filter(|letter| !letter.is_control()).collect();
    text::shorten(clean.trim(), 100)
}
