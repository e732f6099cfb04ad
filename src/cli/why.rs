//! `graph why [ID]`: why a node can or cannot be worked on; without an id, what is offered and why.

use clap::Args;

use super::{
    Shell, completions,
    format::number,
    output::{Done, NEXT, Outcome, QUIET, STRONG, brief, plain, styled},
    tree::mark,
    verbs::target,
};
use crate::{
    base::Domain,
    work::{self, Front, NodeRef, Verdict},
};

/// Which node.
#[derive(Debug, Args)]
pub struct Why {
    /// The node [default: what is offered next]
    #[arg(add = completions::things_of(&[Domain::Work]))]
    pub id: Option<String>,
    /// The project's name; may be left out when there is only one
    #[arg(long, value_name = "NAME", conflicts_with = "id", add = completions::projects())]
    pub project: Option<String>,
}

pub fn run(ask: &Why, shell: &mut Shell) -> Outcome {
    let settings = shell.app.work();
    let next = work::Next { project: ask.project.clone(), ..work::Next::default() };
    let why = shell.read(|tx| {
        let id = match &ask.id {
            Some(id) => target::node(tx, "ID", id)?,
            None => {
                let found = work::next(tx, &settings, &next)?;
                match found.nodes.into_iter().next() {
                    Some(next) => next.node.id,
                    None => return Ok(Err(found.note.unwrap_or_default())),
                }
            }
        };
        work::why(tx, &settings, &id).map(Ok)
    })?;
    match why {
        Err(note) if shell.out.json => shell.out.object(&serde_json::json!({ "note": note }))?,
        Err(note) => shell.out.line(format_args!("nothing is offered: {}", plain(&note)))?,
        Ok(why) if shell.out.json => shell.out.object(&why)?,
        Ok(why) => print(&why, shell)?,
    }
    Ok(Done::Ok)
}

fn print(why: &work::Why, shell: &mut Shell) -> std::io::Result<()> {
    let out = &mut shell.out;
    let mark = mark(why.standing, why.claimed_by.is_some());
    let id = styled(NEXT, plain(&why.node.id));
    out.line(format_args!("{mark} {id}  {}", styled(STRONG, brief(&why.node.summary))))?;
    out.line(format_args!("  {}", sentence(why)))?;
    refs("rank before it", &why.ranked_before, why.ranked_before_omitted, shell)?;
    fronts("waits for", &why.blockers, why.blockers_omitted, shell)?;
    fronts("can be done for it now", &why.frontier, why.frontier_omitted, shell)?;
    refs("waits for it", &why.dependents, why.dependents_omitted, shell)
}

fn sentence(why: &work::Why) -> String {
    let held = why.frontier.iter().filter(|front| front.claimed_by.is_some()).count();
    let all_held = !why.frontier.is_empty() && held == why.frontier.len();
    let free = match all_held {
        true => "; all that can be done for it now is claimed",
        false => "",
    };
    match why.verdict {
        Verdict::Done => "is done".to_owned(),
        Verdict::Claimed => {
            format!("is claimed by {}", plain(why.claimed_by.as_deref().unwrap_or_default()))
        }
        Verdict::Ready => "is ready, and `graph next` offers it first".to_owned(),
        Verdict::NotOffered => {
            let before = why.ranked_before.len() + why.ranked_before_omitted;
            format!("is ready, but {} rank before it", number(before, "node"))
        }
        Verdict::OpenChildren => format!("waits for its own parts{free}"),
        Verdict::Waits => {
            let blockers = why.blockers.len() + why.blockers_omitted;
            format!("waits for {}{free}", number(blockers, "node"))
        }
        Verdict::Stuck => {
            "is stuck: nothing that it waits for can be worked on; `graph unlink` removes a \
             dependency"
                .to_owned()
        }
    }
}

fn refs(title: &str, nodes: &[NodeRef], omitted: usize, shell: &mut Shell) -> std::io::Result<()> {
    let lines = nodes.iter();
    let lines = lines.map(|it| format!("{}  {}", styled(QUIET, plain(&it.id)), brief(&it.summary)));
    list(title, lines.collect(), omitted, shell)
}

fn fronts(title: &str, nodes: &[Front], omitted: usize, shell: &mut Shell) -> std::io::Result<()> {
    let line = |front: &Front| {
        let (id, summary) = (styled(QUIET, plain(&front.node.id)), brief(&front.node.summary));
        let holder = front.claimed_by.as_ref();
        let holder = holder.map(|by| format!("  claimed by {}", plain(by))).unwrap_or_default();
        format!("{} {id}  {summary}{holder}", mark(front.standing, front.claimed_by.is_some()))
    };
    list(title, nodes.iter().map(line).collect(), omitted, shell)
}

fn list(title: &str, lines: Vec<String>, omitted: usize, shell: &mut Shell) -> std::io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    shell.out.heading(title)?;
    for line in lines {
        shell.out.line(format_args!("  {line}"))?;
    }
    match omitted {
        0 => Ok(()),
        more => shell.out.line(styled(QUIET, format_args!("  … and {more} more"))),
    }
}
