//! App: the one place that wires config, clock, database and domains.

use crate::{
    base::{Ctx, Result, ids::Ids, time::Clock},
    config::{Config, Durability},
    db::{self, Db},
};

/// Configuration and the lazily opened database behind it.
#[derive(Debug)]
pub struct App {
    config: Config,
    db: Option<Db>,
    patience: db::Patience,
}

impl App {
    /// An app that opens its database on first use.
    pub fn new(config: Config) -> Self {
        App {
            config,
            db: None,
            patience: db::Patience::Full,
        }
    }

    /// The context of one call.
    pub fn ctx(&self, client: Option<&str>) -> Ctx {
        let configured = self.config.agent_identity.value.as_deref();
        Ctx {
            actor: configured.or(client).unwrap_or("unknown").to_owned(),
            request: Ids::Random.short("r_"),
            clock: Clock::System,
            ids: Ids::Random,
        }
    }

    /// Runs `f` on one snapshot.
    pub fn read<T>(&mut self, ctx: &Ctx, f: impl FnOnce(&db::Read<'_>) -> Result<T>) -> Result<T> {
        self.db(ctx)?.read(ctx, f)
    }

    /// Runs `f` in one immediate transaction.
    pub fn write<T>(
        &mut self,
        ctx: &Ctx,
        f: impl FnOnce(&db::Write<'_>) -> Result<T>,
    ) -> Result<T> {
        self.db(ctx)?.write(ctx, f)
    }

    /// Sets how long the next calls wait for other processes.
    pub fn set_patience(&mut self, patience: db::Patience) {
        self.patience = patience;
    }

    /// A handle for stopping the running statement from another thread.
    pub fn interrupt_handle(&self) -> Option<db::Interrupt> {
        self.db.as_ref().map(Db::interrupt_handle)
    }

    /// The configuration in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    fn db(&mut self, ctx: &Ctx) -> Result<&mut Db> {
        if self.db.is_none() {
            let options = db::Options {
                survive_power_loss: self.config.durability.value == Durability::Full,
            };
            self.db = Some(Db::open(&self.config.db_path.value, options, ctx)?);
        }
        let patience = self.patience;
        let db = self
            .db
            .as_mut()
            .ok_or_else(|| crate::base::Error::internal("no database"))?;
        db.set_patience(patience)?;
        Ok(db)
    }
}
