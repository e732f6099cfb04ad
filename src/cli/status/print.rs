//! The state of everything, for people.

use std::io;

use crate::{
    base::Timestamp,
    cli::{
        format::{self, ago, count, number},
        next::quoted,
        output::{BAD, GOOD, NEXT, Output, QUIET, STRONG, WARN, brief, plain, styled},
    },
    compose::{KbSummary, ProjectDetails, ProjectStatus, Status, TitledEvent},
    work::NodeRef,
};

/// Prints all of it.
pub fn print(status: &Status, now: Timestamp, out: &mut Output) -> io::Result<()> {
    let several = status.projects.len() > 1;
    let mut in_full = false;
    for (index, project) in status.projects.iter().enumerate() {
        // Those in full stand apart, the others close together.
        if index > 0 && (in_full || project.details.is_some()) {
            out.gap()?;
        }
        in_full = project.details.is_some();
        heading(project, now, out)?;
        if let Some(details) = &project.details {
            print_details(project, details, several, now, out)?;
        }
    }
    if status.projects_omitted > 0 {
        let more = number(status.projects_omitted, "more project");
        out.line(styled(QUIET, format_args!("… and {more}, shown by --all")))?;
    }
    beside(status, out)?;
    changes(&status.changes, now, out)
}

/// What is known, remembered and required.
fn beside(status: &Status, out: &mut Output) -> io::Result<()> {
    let mut rows = Vec::new();
    if let Some(known) = &status.knowledge {
        let (atoms, molecules) = (number(known.atoms, "atom"), number(known.molecules, "molecule"));
        rows.push(("knowledge", format!("{atoms}, {molecules}")));
    }
    if let Some(memory) = &status.memory {
        let nodes = number(memory.nodes, "node");
        rows.push(("memory", format!("{nodes}, {}", number(memory.connections, "connection"))));
    }
    rows.extend(status.kb.as_ref().map(|kb| ("kb", requirements(kb))));
    if !rows.is_empty() && !status.projects.is_empty() {
        out.gap()?;
    }
    for (domain, text) in &rows {
        out.line(format_args!("{}  {text}", styled(STRONG, format!("{domain:<9}"))))?;
    }
    Ok(())
}

fn requirements(kb: &KbSummary) -> String {
    if let Some(problem) = &kb.problem {
        return styled(WARN, plain(problem)).to_string();
    }
    let branch = plain(&kb.branch);
    let Some(entities) = kb.entities else {
        return format!("{branch}: nothing yet");
    };
    let mut parts = vec![format!("{branch}: {}", count(entities, "entity"))];
    parts.push(match (kb.errors, kb.warnings) {
        (0, 0) => styled(GOOD, "✓ all rules hold").to_string(),
        (0, warnings) => styled(WARN, number(warnings, "warning")).to_string(),
        (errors, _) => styled(BAD, format!("✗ {}", number(errors, "error"))).to_string(),
    });
    if kb.errors + kb.warnings > 0 {
        parts.push(styled(NEXT, "graph kb check").to_string());
    }
    if kb.unsynced > 0 {
        let files = number(kb.unsynced, "file");
        parts.push(format!("{files} to sync: {}", styled(NEXT, "graph kb sync")));
    }
    parts.join("  ")
}

/// What happened last, in all domains.
fn changes(entries: &[TitledEvent], now: Timestamp, out: &mut Output) -> io::Result<()> {
    out.gap()?;
    out.line(styled(STRONG, "last changes"))?;
    for entry in entries {
        let event = &entry.event;
        let title = entry.title.as_deref().map(|title| format!("  {}", brief(title)));
        let title = title.unwrap_or_default();
        let (at, actor) = (ago(event.at, now), plain(&event.actor));
        let action = plain(&event.action);
        let subject = styled(QUIET, plain(&event.subject));
        let at = styled(QUIET, format!("{at:<14}"));
        out.line(format_args!("  {at}  {actor} {action}{title}  {subject}"))?;
    }
    Ok(())
}

fn heading(project: &ProjectStatus, now: Timestamp, out: &mut Output) -> io::Result<()> {
    let line = &project.line;
    let (done, total) = (line.resolved, line.total);
    out.line(format_args!(
        "{}  {}  {done} of {total} done  {}",
        styled(STRONG, brief(&line.project)),
        format::progress(done, total),
        styled(QUIET, format_args!("changed {}", ago(line.updated_at, now)))
    ))
}

fn print_details(
    project: &ProjectStatus,
    details: &ProjectDetails,
    several: bool,
    now: Timestamp,
    out: &mut Output,
) -> io::Result<()> {
    let line = &project.line;
    if line.summary != line.project {
        out.line(format_args!("  {}", brief(&line.summary)))?;
    }
    let mut counts = format!("{} ready, {} blocked", details.actionable, details.blocked);
    if !details.claimed.is_empty() {
        // Those that are not listed too. A claim changes nothing about what a node waits for.
        let claimed = details.claimed.len() + details.claimed_omitted;
        counts.push_str(&format!("; {claimed} of these claimed"));
    }
    out.line(format_args!("  {counts}"))?;
    for claim in &details.claimed {
        let since = claim.since.parse::<Timestamp>().map(|at| ago(at, now)).unwrap_or_default();
        let who = styled(QUIET, format!("{}, {since}", plain(&claim.by)));
        let mark = styled(WARN, "◐ claimed");
        out.line(format_args!("  {mark}  {}  {}  {who}", claim.id, brief(&claim.summary)))?;
    }
    // Claimed nodes have been listed already.
    let held = |next: &&NodeRef| details.claimed.iter().any(|claim| claim.id == next.id);
    let (mine, free): (Vec<_>, Vec<_>) = details.next.iter().partition(held);
    for (index, next) in free.iter().enumerate() {
        let label = if index == 0 { "▶ next   " } else { "  then   " };
        out.line(format_args!("  {}  {}  {}", styled(NEXT, label), next.id, brief(&next.summary)))?;
    }
    let name = match several {
        // A name that looks like an option would be taken for one.
        true if line.project.starts_with('-') => format!(" {}", line.id),
        true => format!(" {}", quoted(&line.project)),
        false => String::new(),
    };
    let command =
        |arguments: &str| styled(NEXT, out.command(&format!("graph {arguments}"))).to_string();
    let next_step = match (line.unresolved, line.total) {
        (0, _) => format!("  all done; look back: {}", command(&format!("tree{name} --all"))),
        (_, 1) => {
            "  nothing planned yet: ask an agent to break the goal down with graph_plan".to_owned()
        }
        _ if !mine.is_empty() => format!("  go on: {}", command(&format!("next{name}"))),
        _ if free.is_empty() => {
            format!("  nothing is free now; see why: {}", command(&format!("tree{name}")))
        }
        _ => format!("  take it: {}", command(&format!("next{name} --claim"))),
    };
    out.line(next_step)
}
