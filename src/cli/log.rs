//! `graph log [ID]`: what happened, newest first.

use std::{fmt::Display, io};

use clap::{Args, builder::RangedU64ValueParser};
use serde_json::json;

use super::{
    Shell,
    format::{change, when},
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, brief, plain, styled},
    status,
};
use crate::{
    base::{Error, ErrorCode, Timestamp, props::Change},
    work,
};

/// Changes of one event that are shown; `--json` has them all.
const CHANGES: usize = 6;

/// Of what, and how much.
#[derive(Debug, Args)]
pub struct Log {
    /// Only what happened to this one, of any domain; also one that is gone
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
    let width = width(entries.iter().map(|entry| entry.event.actor.as_str()));
    for entry in entries {
        let event = &entry.event;
        let title = entry.title.as_deref().map(brief).unwrap_or_default();
        let action = format!("{:<9}", plain(&event.action));
        let head = head(event.at, &event.actor, width, &action);
        let subject = styled(NEXT, &event.subject);
        print(out, format_args!("{head}  {subject}  {title}"), &event.changes)?;
    }
    finish(out, more, limit, "graph log")
}

fn of_one(id: &str, limit: usize, shell: &mut Shell) -> Outcome {
    let mut wanted = work::History { node_id: id.to_owned(), limit: Some(limit), cursor: None };
    let mut past = match shell.read(|tx| work::history(tx, &wanted)) {
        Err(error) if error.code() == ErrorCode::NotFound => {
            return of_another(id, limit, shell, error);
        }
        past => past?,
    };
    // A page is cut for an agent's eyes; a person gets as many events as were asked for.
    while past.next_cursor.is_some() && past.events.len() < limit {
        wanted.cursor = past.next_cursor.take();
        wanted.limit = Some(limit - past.events.len());
        let page = shell.read(|tx| work::history(tx, &wanted))?;
        past.events.extend(page.events);
        past.next_cursor = page.next_cursor;
    }
    let out = &mut shell.out;
    if out.json {
        out.object(&past)?;
        return Ok(Done::Ok);
    }
    let width = width(past.events.iter().map(|event| event.agent.as_str()));
    for event in &past.events {
        let head = head(event.timestamp, &event.agent, width, &plain(&event.action));
        print(out, head, &event.changes)?;
    }
    finish(out, past.next_cursor.is_some(), limit, &format!("graph log {id}"))
}

/// What happened to a thing of a domain without a tool for that; `unknown` where there was none.
fn of_another(id: &str, limit: usize, shell: &mut Shell, unknown: Error) -> Outcome {
    if shell.is_new() {
        return Err(unknown.into());
    }
    let mut events = shell.app.log_of(&shell.ctx, id, limit + 1)?;
    if events.is_empty() {
        return Err(unknown.into());
    }
    let more = events.len() > limit;
    events.truncate(limit);
    let out = &mut shell.out;
    if out.json {
        out.object(&json!({ "events": events, "more": more }))?;
        return Ok(Done::Ok);
    }
    let width = width(events.iter().map(|event| event.actor.as_str()));
    for event in &events {
        let head = head(event.at, &event.actor, width, &plain(&event.action));
        print(out, head, &event.changes)?;
    }
    finish(out, more, limit, &format!("graph log {id}"))
}

/// The column that names need, within reason.
fn width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0).min(20)
}

fn head(at: Timestamp, actor: &str, width: usize, action: &str) -> String {
    format!("{}  {:<width$}  {}", styled(QUIET, when(at)), plain(actor), styled(STRONG, action))
}

fn print(out: &mut Output, head: impl Display, changes: &[Change]) -> io::Result<()> {
    out.line(head)?;
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
