//! `graph status`: all domains on one screen.

use clap::Args;
use serde_json::json;

use super::{
    Shell,
    format::{ago, count, number, progress},
    next::quoted,
    output::{
        BAD, Done, Failure, GOOD, NEXT, Outcome, Output, QUIET, STRONG, WARN, brief, plain, styled,
    },
};
use crate::{
    app::{KbState, Read, Wanted},
    base::{Error, Result as Answer, Timestamp},
    kb, knowledge,
    memory::{self, QueryConnections, QueryNodes},
    work::{self, Onboard, Orientation, ProjectLine},
};

/// What a person types to begin.
pub const BEGIN: &str = r#"graph tool graph_open '{"project": "NAME", "goal": "what to reach"}'"#;

/// Projects that are shown in full, and those that are shown at all: what fits on a screen.
const IN_FULL: usize = 2;
const LISTED: usize = 8;
/// Last changes that are shown.
const CHANGES: usize = 4;

/// How much of it.
#[derive(Debug, Args)]
pub struct Status {
    /// Show every project, however many screens it takes
    #[arg(long)]
    pub all: bool,
}

/// Shows how everything stands, the project that changed last first.
pub fn run(ask: &Status, shell: &mut Shell) -> Outcome {
    if shell.is_new() {
        return match shell.out.json {
            true => shell.out.object(&json!({ "projects": [] })).map(|()| Done::Ok),
            false => nothing(&mut shell.out),
        };
    }
    let mut list = shell.read(|tx| work::list_projects(tx, None))?;
    if shell.out.json {
        shell.out.object(&list)?;
        return Ok(Done::Ok);
    }
    let mut projects = list.projects.unwrap_or_default();
    // A page is cut for an agent's eyes; which changed last is known only of all.
    while let Some(cursor) = list.next_cursor {
        list = shell.read(|tx| work::list_projects(tx, Some(&cursor)))?;
        projects.extend(list.projects.unwrap_or_default());
    }
    projects.sort_by_key(|project| std::cmp::Reverse(project.updated_at));
    let several = projects.len() > 1;
    let listed = if ask.all { projects.len() } else { LISTED };
    for (index, project) in projects.iter().take(listed).enumerate() {
        let in_full = ask.all || index < IN_FULL;
        if index > 0 && (in_full || index == IN_FULL) {
            shell.out.gap()?;
        }
        heading(project, shell)?;
        if in_full {
            details(project, several, shell)?;
        }
    }
    if projects.len() > listed {
        let more =
            format!("… and {}, shown by --all", number(projects.len() - listed, "more project"));
        shell.out.line(styled(QUIET, more))?;
    }
    let beside = beside(&projects, shell)?;
    if projects.is_empty() && beside == 0 {
        return nothing(&mut shell.out);
    }
    changes(shell)?;
    Ok(Done::Ok)
}

/// What is known, remembered and required; how many lines that took.
fn beside(projects: &[ProjectLine], shell: &mut Shell) -> Result<usize, Failure> {
    let (mut atoms, mut molecules) = (0, 0);
    let (nodes, connections) = shell.read(|tx| {
        for project in projects {
            let (of_atoms, of_molecules) = knowledge::count(tx, &project.id)?;
            atoms += of_atoms;
            molecules += of_molecules;
        }
        remembered(tx)
    })?;
    let mut rows = Vec::new();
    if atoms + molecules > 0 {
        let text = format!("{}, {}", number(atoms, "atom"), number(molecules, "molecule"));
        rows.push(("knowledge", text));
    }
    if nodes > 0 {
        let text = format!("{}, {}", count(nodes, "node"), count(connections, "connection"));
        rows.push(("memory", text));
    }
    match shell.app.kb_state(&shell.ctx) {
        Ok(None) => {}
        Ok(Some(state)) => rows.extend(requirements(&state, shell)?.map(|text| ("kb", text))),
        // The rest is worth seeing also where the settings of the KB cannot be used.
        Err(Error::Fault(fault)) => {
            rows.push(("kb", styled(WARN, plain(&fault.message)).to_string()));
        }
        Err(error) => return Err(error.into()),
    }
    if !rows.is_empty() && !projects.is_empty() {
        shell.out.gap()?;
    }
    for (domain, text) in &rows {
        shell.out.line(format_args!("{}  {text}", styled(STRONG, format!("{domain:<9}"))))?;
    }
    Ok(rows.len())
}

/// How many nodes and connections the memory has: one of each is read, the rest only counted.
fn remembered(tx: &Read<'_>) -> Answer<(i64, i64)> {
    let one = Some(1);
    let nodes = memory::query_nodes(tx, &QueryNodes { limit: one, ..QueryNodes::default() })?;
    let wanted = QueryConnections { limit: one, ..QueryConnections::default() };
    let links = memory::query_connections(tx, &wanted)?;
    let all = |total: Option<i64>, listed: usize| total.unwrap_or(listed as i64);
    Ok((all(nodes.total, nodes.node_ids.len()), all(links.total, links.connection_ids.len())))
}

/// The KB of the active branch, whether its rules hold, and whether files wait to be read.
fn requirements(state: &KbState, shell: &mut Shell) -> Result<Option<String>, Failure> {
    let branch = plain(&state.active);
    let Some(store) = &state.store else {
        return Ok(state.configured.then(|| format!("{branch}: nothing yet")));
    };
    let setting = shell.app.kb(None)?;
    let checked = shell.read(|tx| kb::check(tx, &setting, &kb::Check::default()))?;
    let entities = count(store.entities, "entity");
    let mut parts = vec![format!("{branch}: {entities}")];
    let (errors, warnings) = (checked.counts.errors, checked.counts.warnings);
    parts.push(match (errors, warnings) {
        (0, 0) => styled(GOOD, "✓ all rules hold").to_string(),
        (0, warnings) => styled(WARN, number(warnings, "warning")).to_string(),
        (errors, _) => styled(BAD, format!("✗ {}", number(errors, "error"))).to_string(),
    });
    if errors + warnings > 0 {
        parts.push(styled(NEXT, "graph kb check").to_string());
    }
    if state.unsynced > 0 {
        let files = number(state.unsynced, "file");
        parts.push(format!("{files} to sync: {}", styled(NEXT, "graph kb sync")));
    }
    Ok(Some(parts.join("  ")))
}

/// What happened last, in all domains.
fn changes(shell: &mut Shell) -> Result<(), Failure> {
    let entries = shell.app.log(&shell.ctx, Wanted::default(), CHANGES)?;
    let now = shell.ctx.clock.now();
    shell.out.gap()?;
    shell.out.line(styled(STRONG, "last changes"))?;
    for entry in entries {
        let event = &entry.event;
        let title = entry.title.as_deref().map(brief).unwrap_or_default();
        let (at, actor) = (ago(event.at, now), plain(&event.actor));
        let action = plain(&event.action);
        let subject = styled(QUIET, plain(&event.subject));
        shell.out.line(format_args!(
            "  {}  {actor} {action}  {title}  {subject}",
            styled(QUIET, format!("{at:<14}"))
        ))?;
    }
    Ok(())
}

/// What to do where there is nothing yet.
pub fn nothing(out: &mut Output) -> Outcome {
    out.line("no projects yet")?;
    out.gap()?;
    out.line(format_args!("see what it does:    {}", styled(NEXT, "graph demo")))?;
    out.line(format_args!("set a folder up:     {}", styled(NEXT, "graph init")))?;
    out.line("let an agent begin:  claude mcp add graph -- graph serve")?;
    out.line(format_args!("or begin yourself:   {}", styled(NEXT, BEGIN)))?;
    Ok(Done::Ok)
}

fn heading(project: &ProjectLine, shell: &mut Shell) -> std::io::Result<()> {
    let (done, total) = (project.resolved, project.total);
    let changed = ago(project.updated_at, shell.ctx.clock.now());
    shell.out.line(format_args!(
        "{}  {}  {done} of {total} done  {}",
        styled(STRONG, brief(&project.project)),
        progress(done, total),
        styled(QUIET, format_args!("changed {changed}"))
    ))
}

fn details(
    project: &ProjectLine,
    several: bool,
    shell: &mut Shell,
) -> Result<(), super::output::Failure> {
    let settings = shell.app.work();
    let ask = Onboard { project: Some(project.id.clone()) };
    let agent = shell.ctx.actor.clone();
    let stand = shell.read(|tx| work::onboard(tx, &settings, &ask, &agent))?;
    let now = shell.ctx.clock.now();
    let out = &mut shell.out;
    if project.summary != project.project {
        out.line(format_args!("  {}", brief(&project.summary)))?;
    }
    if let Some(counts) = &stand.counts {
        let mut parts =
            vec![format!("{} ready", counts.actionable), format!("{} blocked", counts.blocked)];
        if !stand.claimed.is_empty() {
            parts.push(claims(&stand));
        }
        out.line(format_args!("  {}", parts.join(", ")))?;
    }
    for claim in &stand.claimed {
        let since = claim.since.parse::<Timestamp>().map(|at| ago(at, now)).unwrap_or_default();
        let who = format!("{}, {since}", plain(&claim.by));
        out.line(format_args!(
            "  {}  {}  {}  {}",
            styled(WARN, "◐ claimed"),
            claim.id,
            brief(&claim.summary),
            styled(QUIET, who)
        ))?;
    }
    for (index, next) in stand.next.iter().enumerate() {
        let label = if index == 0 { "▶ next   " } else { "  then   " };
        out.line(format_args!("  {}  {}  {}", styled(NEXT, label), next.id, brief(&next.summary)))?;
    }
    let name = match several {
        // A name that looks like an option would be taken for one.
        true if project.project.starts_with('-') => format!(" {}", project.id),
        true => format!(" {}", quoted(&project.project)),
        false => String::new(),
    };
    let step = match &stand.counts {
        Some(counts) if counts.unresolved == 0 => {
            format!("all done; look back: {}", styled(NEXT, format_args!("graph tree{name} --all")))
        }
        Some(counts) if counts.total == 1 => {
            "nothing planned yet: ask an agent to break the goal down with graph_plan".to_owned()
        }
        _ if stand.next.is_empty() => format!(
            "nothing is free now; see why: {}",
            styled(NEXT, format_args!("graph tree{name}"))
        ),
        _ => format!("take it: {}", styled(NEXT, format_args!("graph next{name} --claim"))),
    };
    Ok(out.line(format_args!("  {step}"))?)
}

/// All claims, those that are not listed too.
fn claims(stand: &Orientation) -> String {
    format!("{} claimed", stand.claimed.len() + stand.claimed_omitted)
}
