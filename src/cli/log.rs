//! `graph log [ID]`: what happened, newest first, or as it happens.

use std::{
    fmt::{self, Display},
    io,
};

use clap::{Args, builder::RangedU64ValueParser};
use serde_json::json;

use super::{
    Shell,
    args::domain,
    completions,
    format::{change, when},
    next::quoted,
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, brief, plain, styled},
    status,
};
use crate::{
    app::Wanted,
    base::{Domain, Error, ErrorCode, Timestamp, props::Change},
    compose::TitledEvent,
    work,
};

mod follow;

/// Changes of one event that are shown; `--json` has them all.
const CHANGES: usize = 6;

/// Of what, and how much.
#[derive(Debug, Args)]
pub struct Log {
    /// Only what happened to this one, of any domain; also one that is gone
    #[arg(add = completions::things())]
    pub id: Option<String>,
    /// How many events to show
    #[arg(long, value_name = "N", default_value = "20", value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub limit: usize,
    /// Only what happened in one domain
    #[arg(long, value_name = "NAME", value_parser = domain(), conflicts_with = "id")]
    pub domain: Option<Domain>,
    /// Only what happened since: 90s, 30m, 2h, 7d, or a date or time such as 2026-01-31
    #[arg(long, value_name = "WHEN", value_parser = since, conflicts_with = "id")]
    pub since: Option<Since>,
    /// Go on showing what happens, oldest first, until Ctrl-C; whichever process does it
    #[arg(long, short)]
    pub follow: bool,
}

/// A while ago, or a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Milliseconds before now.
    Ago(i64),
    /// That instant.
    At(Timestamp),
}

/// The units of spans in milliseconds, the shortest first.
const UNITS: [(&str, i64); 4] = [("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

impl Since {
    fn instant(self, now: Timestamp) -> Timestamp {
        match self {
            Since::Ago(millis) => Timestamp::from_millis(now.millis().saturating_sub(millis)),
            Since::At(at) => at,
        }
    }
}

impl Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Since::Ago(millis) => {
                let fits = |(_, length): &&(&str, i64)| millis % length == 0;
                let (unit, length) = UNITS.iter().rev().find(fits).unwrap_or(&UNITS[0]);
                write!(f, "{}{unit}", millis / length)
            }
            Since::At(at) => write!(f, "{at}"),
        }
    }
}

/// Reads `2h` or `2026-01-31` or `2026-01-31T12:00:00Z`.
fn since(text: &str) -> Result<Since, String> {
    for (unit, millis) in UNITS {
        let number = text.strip_suffix(unit).and_then(|number| number.parse::<u32>().ok());
        if let Some(number) = number {
            return Ok(Since::Ago(i64::from(number) * millis));
        }
    }
    let whole = if text.len() == 10 { format!("{text}T00:00:00.000Z") } else { text.to_owned() };
    let problem = || "not a span such as 30m, 2h or 7d, nor a time such as 2026-01-31".to_owned();
    whole.parse().map(Since::At).map_err(|_| problem())
}

/// Shows events.
pub fn run(ask: &Log, shell: &mut Shell) -> Outcome {
    let wanted = Wanted {
        domain: ask.domain,
        since: ask.since.map(|since| since.instant(shell.ctx.clock.now())),
        subject: ask.id.as_deref(),
    };
    match wanted.subject {
        _ if ask.follow => follow::run(wanted, ask.limit, shell),
        Some(id) => of_one(id, ask.limit, shell),
        None => of_all(wanted, ask, shell),
    }
}

fn of_all(wanted: Wanted<'_>, ask: &Log, shell: &mut Shell) -> Outcome {
    let limit = ask.limit;
    let entries = match shell.is_new() {
        true => Vec::new(),
        // One more than is shown, to know whether there are more.
        false => shell.app.log(&shell.ctx, wanted, limit + 1)?,
    };
    let more = entries.len() > limit;
    let entries = &entries[..entries.len().min(limit)];
    let out = &mut shell.out;
    if out.json {
        out.object(&json!({ "events": entries, "more": more }))?;
        return Ok(Done::Ok);
    }
    if entries.is_empty() {
        if wanted.domain.is_some() || wanted.since.is_some() {
            out.line("nothing of that kind has happened")?;
            return Ok(Done::Ok);
        }
        return status::nothing(out);
    }
    let width = width(entries.iter().map(|entry| entry.event.actor.as_str()));
    for entry in entries {
        one(entry, width, out)?;
    }
    let mut command = "graph log".to_owned();
    if let Some(domain) = &ask.domain {
        command.push_str(&format!(" --domain {domain}"));
    }
    if let Some(since) = &ask.since {
        command.push_str(&format!(" --since {since}"));
    }
    finish(out, more, limit, &command)
}

/// One event of any domain.
fn one(entry: &TitledEvent, width: usize, out: &mut Output) -> io::Result<()> {
    let event = &entry.event;
    let title = entry.title.as_deref().map(|title| format!("  {}", brief(title)));
    let action = format!("{:<9}", plain(&event.action));
    let head = head(event.at, &event.actor, width, &action);
    let subject = styled(NEXT, plain(&event.subject));
    let title = title.unwrap_or_default();
    print(out, format_args!("{head}  {subject}{title}"), &event.changes)
}

fn of_one(id: &str, limit: usize, shell: &mut Shell) -> Outcome {
    let mut wanted = work::History { node_id: id.to_owned(), limit: Some(limit), cursor: None };
    let mut past = match shell.read(|tx| work::history(tx, &wanted)) {
        Err(error) if error.code() == ErrorCode::NotFound => {
            return of_another(id, limit, shell, error);
        }
        past => past?,
    };
    // A page is limited for agents; a person gets as many events as were asked for.
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
    finish(out, past.next_cursor.is_some(), limit, &format!("graph log {}", quoted(id)))
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
    finish(out, more, limit, &format!("graph log {}", quoted(id)))
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
        let wider = out.command(&format!("{command} --limit {}", (limit * 5).min(10_000)));
        out.line(format_args!("there is more: {}", styled(NEXT, wider)))?;
    }
    Ok(Done::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_times_are_read() {
        let now: Timestamp = "2026-03-01T12:00:00.000Z".parse().unwrap();
        for (text, expected) in [
            ("0s", "2026-03-01T12:00:00.000Z"),
            ("90s", "2026-03-01T11:58:30.000Z"),
            ("30m", "2026-03-01T11:30:00.000Z"),
            ("2h", "2026-03-01T10:00:00.000Z"),
            ("7d", "2026-02-22T12:00:00.000Z"),
            ("2026-01-31", "2026-01-31T00:00:00.000Z"),
            ("2026-01-31T08:09:10.000Z", "2026-01-31T08:09:10.000Z"),
        ] {
            let read = since(text).unwrap();
            assert_eq!(read.instant(now).to_string(), expected, "{text}");
            // What is printed to be typed again means the same.
            assert_eq!(since(&read.to_string()), Ok(read), "{text}");
        }
        for text in ["", "h", "-2h", "2 h", "tomorrow", "2026-13-01", "99999999999d"] {
            assert!(since(text).is_err(), "{text}");
        }
    }
}
