//! `graph status`: every project at a glance.

use serde_json::json;

use super::{
    Shell,
    format::{ago, progress},
    next::quoted,
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, WARN, brief, plain, styled},
};
use crate::{
    base::Timestamp,
    work::{self, Onboard, Orientation, ProjectLine},
};

/// What a person types to begin.
pub const BEGIN: &str = r#"graph tool graph_open '{"project": "NAME", "goal": "what to reach"}'"#;

/// Projects that are shown in full; the others are a line each.
const IN_FULL: usize = 5;

/// Shows all projects, the one that changed last first.
pub fn run(shell: &mut Shell) -> Outcome {
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
    // A page is cut for an agent's eyes; a person wants to see them all.
    while let Some(cursor) = list.next_cursor {
        list = shell.read(|tx| work::list_projects(tx, Some(&cursor)))?;
        projects.extend(list.projects.unwrap_or_default());
    }
    if projects.is_empty() {
        return nothing(&mut shell.out);
    }
    projects.sort_by_key(|project| std::cmp::Reverse(project.updated_at));
    let several = projects.len() > 1;
    for (index, project) in projects.iter().enumerate() {
        if index > 0 && index <= IN_FULL {
            shell.out.gap()?;
        }
        heading(project, shell)?;
        if index < IN_FULL {
            details(project, several, shell)?;
        }
    }
    Ok(Done::Ok)
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
