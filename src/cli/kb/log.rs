//! `graph kb log [CHANGESET]`: who applied what, newest first.

use clap::{Args, builder::RangedU64ValueParser};
use serde_json::json;

use super::super::{
    Shell, completions,
    format::{change, number, when},
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, brief, plain, styled},
};
use crate::kb::{self, FactChange, LogEntry};

/// Changesets that are shown by default.
const LIMIT: usize = 20;

/// Of what, and how much.
#[derive(Debug, Args)]
pub struct Log {
    /// Only this one, fact by fact
    #[arg(add = completions::changesets())]
    pub changeset: Option<String>,
    /// On this branch [default: the active one]
    #[arg(long, value_name = "NAME", conflicts_with = "changeset", add = completions::branches())]
    pub branch: Option<String>,
    /// Only what was applied before this one
    #[arg(long, value_name = "CHANGESET", conflicts_with = "changeset", add = completions::changesets())]
    pub before: Option<String>,
    /// Show each fact that changed
    #[arg(long)]
    pub details: bool,
    /// How many changesets to show
    #[arg(long, value_name = "N", default_value_t = LIMIT, value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub limit: usize,
}

impl Log {
    /// The same question about what was applied before `last`.
    fn after(&self, last: &str) -> String {
        let mut what = format!("log --before {last}");
        if self.details {
            what.push_str(" --details");
        }
        if self.limit != LIMIT {
            what.push_str(&format!(" --limit {}", self.limit));
        }
        super::command(&what, self.branch.as_deref())
    }
}

/// Shows changesets.
pub fn run(ask: &Log, shell: &mut Shell) -> Outcome {
    if let Some(id) = &ask.changeset {
        let entry = super::read(shell, None, |tx, _| kb::changeset(tx, id.trim()))?;
        let out = &mut shell.out;
        match out.json {
            true => out.object(&entry)?,
            false => print(&entry, out)?,
        }
        return Ok(Done::Ok);
    }
    let before = ask.before.as_deref();
    let (branch, mut entries) = super::read(shell, ask.branch.as_deref(), |tx, setting| {
        // One more than is shown, to know whether there are more.
        let entries = kb::log(tx, &setting.branch, before, ask.limit + 1, ask.details)?;
        Ok((setting.branch.clone(), entries))
    })?;
    let more = entries.len() > ask.limit;
    entries.truncate(ask.limit);
    let out = &mut shell.out;
    if out.json {
        out.object(&json!({ "branch": branch, "changesets": entries, "more": more }))?;
        return Ok(Done::Ok);
    }
    if entries.is_empty() {
        out.line(format_args!("nothing was applied to {}", plain(&branch)))?;
    }
    for entry in &entries {
        print(entry, out)?;
    }
    if let Some(last) = entries.last().filter(|_| more) {
        out.gap()?;
        let next = out.command(&ask.after(&last.changeset));
        out.line(format_args!("there is more: {}", styled(NEXT, next)))?;
    }
    Ok(Done::Ok)
}

fn print(entry: &LogEntry, out: &mut Output) -> std::io::Result<()> {
    let facts = number(entry.facts, "fact");
    let reverts = entry.reverts.as_ref().map(|id| format!(" of {id}"));
    out.line(format_args!(
        "{}  {}  {}{}  {facts}  {}",
        styled(QUIET, when(entry.at)),
        styled(NEXT, &entry.changeset),
        styled(STRONG, plain(&entry.action)),
        reverts.unwrap_or_default(),
        styled(QUIET, plain(&format!("{} for {}", entry.actor, entry.source)))
    ))?;
    if let Some(reason) = &entry.reason {
        out.line(format_args!("    {}", brief(reason)))?;
    }
    for FactChange { subject, action, changes, .. } in &entry.changes {
        out.line(format_args!("    {} {}", plain(action), styled(STRONG, plain(subject))))?;
        for one in changes {
            out.line(format_args!("        {}", change(one)))?;
        }
    }
    Ok(())
}
