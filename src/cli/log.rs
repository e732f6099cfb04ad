//! `graph log [ID]`: what happened, newest first.

use clap::{Args, builder::RangedU64ValueParser};
use serde_json::json;

use super::{
    Shell,
    format::{change, when},
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, brief, plain, styled},
    status,
};
use crate::{
    base::{Timestamp, props::Change},
    work,
};

/// Changes of one event that are shown; `--json` has them all.
const CHANGES: usize = 6;

/// Of what, and how much.
#[derive(Debug, Args)]
pub struct Log {
    /// Only what happened to this node; also one that was merged away
    pub id: Option<String>,
    /// How many events to show
    #[arg(long, value_name = "N", default_value = "20", value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub limit: usize,
}

/// Shows events.
pub fn run(ask: &Log, shell: &mut Shell) -> Outcome {
    match &ask.id {
        Some(id) => of_one(id.trim(), ask.limit, shell),
        None => of_all(ask.limit, shell),
    }
}

fn of_all(limit: usize, shell: &mut Shell) -> Outcome {
    let entries = match shell.is_new() {
        true => Vec::new(),
        // One more than is shown tells whether there is more.
        false => shell.app.log(&shell.ctx, limit + 1)?,
    };
    let more = entries.len() > limit;
    let entries = &entries[..entries.len().min(limit)];
    let out = &mut shell.out;
    if out.json {
        out.object(&json!({ "events": entries, "more": more }))?;
        return Ok(Done::Ok);
    }
    if entries.is_empty() {
        return status::nothing(out);
    }
    for entry in entries {
        let event = &entry.event;
        let title = entry.title.as_deref().map(brief).unwrap_or_default();
        print(
            out,
            event.at,
            &event.actor,
            &event.action,
            format_args!("{}  {title}", styled(NEXT, &event.subject)),
            &event.changes,
        )?;
    }
    finish(out, more, limit, "graph log")
}

fn of_one(id: &str, limit: usize, shell: &mut Shell) -> Outcome {
    let wanted = work::History { node_id: id.to_owned(), limit: Some(limit), cursor: None };
    let past = shell.app.read(&shell.ctx, |tx| work::history(tx, &wanted))?;
    let out = &mut shell.out;
    if out.json {
        out.object(&past)?;
        return Ok(Done::Ok);
    }
    for event in &past.events {
        print(out, event.timestamp, &event.agent, &event.action, "", &event.changes)?;
    }
    finish(out, past.next_cursor.is_some(), limit, &format!("graph log {id}"))
}

fn print(
    out: &mut Output,
    at: Timestamp,
    actor: &str,
    action: &str,
    subject: impl std::fmt::Display,
    changes: &[Change],
) -> std::io::Result<()> {
    out.line(format_args!(
        "{}  {}  {}  {subject}",
        styled(QUIET, when(at)),
        plain(actor),
        styled(STRONG, format_args!("{:<9}", plain(action)))
    ))?;
    for one in changes.iter().take(CHANGES) {
        out.line(format_args!("    {}", change(one)))?;
    }
    if changes.len() > CHANGES {
        out.line(styled(QUIET, format_args!("    … and {} more", changes.len() - CHANGES)))?;
    }
    Ok(())
}

fn finish(out: &mut Output, more: bool, limit: usize, command: &str) -> Outcome {
    if more {
        out.gap()?;
        let wider = format!("{command} --limit {}", (limit * 5).min(10_000));
        out.line(format_args!("there is more: {}", styled(NEXT, wider)))?;
    }
    Ok(Done::Ok)
}
