//! Which branch a call to the KB is about, and its first use.

use std::path::Path;

use super::App;
use crate::{
    base::{Ctx, Fault, Result},
    db::{Read, Write},
    kb::{self, FirstUse, Schema, Setting},
    os::{fs, git::Repository},
};

/// The default branch where nobody names one.
const DEFAULT_BRANCH: &str = "main";
/// Bytes of one file of `.kb/schema/`.
const SCHEMA_CAP: u64 = 1 << 20;

impl App {
    /// What is in force for a call now: git may have switched branches since the last one.
    pub fn kb(&self, named: Option<&str>) -> Result<Setting> {
        let folder = &self.config.folder;
        let repository = Repository::find(folder);
        let root = repository.as_ref().map_or(folder.as_path(), |repository| &repository.root);
        let state = repository.as_ref().map(Repository::state);
        let head = state.and_then(|state| {
            state.branch.or_else(|| state.head.map(|commit| format!("@{commit}")))
        });
        let default = DEFAULT_BRANCH.to_owned();
        let active = self.config.branch.value.clone().or(head).unwrap_or_else(|| default.clone());
        let branch = named.map_or(active.clone(), str::to_owned);
        Ok(Setting {
            known: branch == active || branch == default,
            branch,
            default,
            schema: schema(root)?,
            rules: kb::check::Rules::default(),
        })
    }

    /// Runs `f` on one snapshot; the first use of a branch makes its store.
    pub fn kb_read<T>(
        &mut self,
        ctx: &Ctx,
        setting: &Setting,
        f: impl Fn(&Read<'_>) -> Result<T>,
    ) -> Result<T> {
        let answer = self.read(ctx, |tx| match kb::has_store(tx, setting)? {
            true => f(tx).map(Some),
            false => Ok(None),
        })?;
        match answer {
            Some(answer) => Ok(answer),
            None => self.kb_write(ctx, setting, |tx| f(tx)),
        }
    }

    /// Runs `f` in one write transaction; the first use of a branch makes its store in the same one.
    pub fn kb_write<T>(
        &mut self,
        ctx: &Ctx,
        setting: &Setting,
        f: impl FnOnce(&Write<'_>) -> Result<T>,
    ) -> Result<T> {
        self.write(ctx, |tx| {
            if !kb::has_store(tx, setting)? {
                let (branch, default) = (setting.branch.as_str(), setting.default.as_str());
                kb::ensure(tx, FirstUse { branch, default, renamed_from: None })?;
            }
            f(tx)
        })
    }
}

/// The built-in schema, and what the files of `.kb/schema/` add to it.
fn schema(root: &Path) -> Result<Schema> {
    let files =
        fs::texts_in(&root.join(".kb/schema"), "json", SCHEMA_CAP).map_err(|(path, error)| {
            Fault::invalid(".kb/schema", format!("cannot be read: {}: {error}", path.display()))
                .hint("make the files there readable, or move them away")
        })?;
    Schema::load(files.iter().map(|(name, text)| (name.as_str(), text.as_str())))
}
