//! `graph open [NAME] [--goal TEXT]`: projects.

use clap::Args;

use super::{
    super::{
        Shell, completions,
        format::{count, progress},
        output::{Done, Failure, NEXT, Outcome, QUIET, STRONG, brief, plain, styled},
        status,
    },
    target::text,
};
use crate::{
    app::Write,
    base::Result,
    work::{self, NodeUpdate, Opened, Update},
};

/// Which project.
#[derive(Debug, Args)]
pub struct Open {
    /// The project's name [default: list all projects]
    #[arg(add = completions::projects())]
    pub name: Option<String>,
    /// What the project is to reach, or - for standard input; changes the goal of an existing project
    #[arg(long, value_name = "TEXT", requires = "name")]
    pub goal: Option<String>,
}

pub fn run(ask: &Open, shell: &mut Shell) -> Outcome {
    let goal = ask.goal.as_deref().map(|given| text(given, shell)).transpose()?;
    let opened = match &ask.name {
        Some(name) => {
            let settings = shell.app.work();
            shell.app.write(&shell.ctx, |tx| open(tx, &settings, name, goal.as_deref()))?
        }
        None if shell.is_new() => return status::nothing(&mut shell.out),
        None => shell.read(|tx| work::list_projects(tx, None))?,
    };
    if shell.out.json {
        shell.out.object(&opened)?;
        return Ok(Done::Ok);
    }
    print(&opened, shell)?;
    Ok(Done::Ok)
}

/// Opens or creates the project, and sets the goal of one that exists.
fn open(
    tx: &Write<'_>,
    settings: &work::Settings,
    name: &str,
    goal: Option<&str>,
) -> Result<Opened> {
    let opened = work::open(tx, name, goal)?;
    let (Some(root), Some(goal), false) = (&opened.root, goal, opened.created) else {
        return Ok(opened);
    };
    let update = NodeUpdate {
        node_id: root.id.clone(),
        summary: Some(goal.to_owned()),
        ..NodeUpdate::default()
    };
    work::update(tx, settings, &Update { updates: vec![update] })?;
    work::open(tx, name, None)
}

fn print(opened: &Opened, shell: &mut Shell) -> Result<(), Failure> {
    let out = &mut shell.out;
    for project in opened.projects.iter().flatten() {
        let id = styled(QUIET, plain(&project.id));
        let (resolved, total) = (project.resolved, project.total);
        let name = styled(STRONG, plain(&project.project));
        out.line(format_args!("{}  {name}  {id}", progress(resolved, total)))?;
    }
    if opened.next_cursor.is_some() {
        out.line(styled(QUIET, "… there are more: `graph status --all`"))?;
    }
    let (Some(name), Some(root), Some(counts)) = (&opened.project, &opened.root, &opened.summary)
    else {
        return Ok(());
    };
    let done = if opened.created { "created" } else { "opened" };
    out.line(format_args!(
        "{done} {}  {}",
        styled(STRONG, plain(name)),
        styled(QUIET, plain(&root.id))
    ))?;
    out.line(format_args!("  goal: {}", brief(&root.summary)))?;
    if counts.total > 1 {
        let ready = count(counts.actionable, "node");
        out.line(format_args!("  {}  {ready} ready", progress(counts.resolved, counts.total)))?;
    } else {
        let add = format!("graph add \"what to do\" --in {}", super::super::next::quoted(name));
        out.line(format_args!("plan the first part: {}", styled(NEXT, add)))?;
    }
    Ok(())
}
