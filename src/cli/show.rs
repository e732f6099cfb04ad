//! `graph show ID`: one node, of work or of memory, with all that belongs to it.

use std::collections::HashMap;

use clap::Args;

use super::{
    Shell,
    format::{value, when},
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, block, brief, plain, styled},
    show_memory,
    tree::mark,
};
use crate::{
    base::{Domain, ErrorCode, Result},
    work::{self, Context, Dependency, Neighbourhood, NodeTree, OutlineNode, Standing},
};

/// Which node.
#[derive(Debug, Args)]
pub struct Show {
    /// The node's id, such as n_0123456789, or that of a memory or a connection
    #[arg(add = super::completions::things_of(&[Domain::Work, Domain::Memory]))]
    pub id: String,
}

/// Shows the node.
pub fn run(ask: &Show, shell: &mut Shell) -> Outcome {
    let settings = shell.app.work();
    let wanted = Context { node_id: ask.id.trim().to_owned(), depth: None };
    let json = shell.out.json;
    let found = shell.read(|tx| {
        let around = work::context(tx, &wanted)?;
        let stand = work::standing(tx, &settings, &wanted.node_id)?;
        let marks = match json {
            true => Marks::new(),
            false => marks(&around, |id| work::standing(tx, &settings, id))?,
        };
        Ok((around, stand, marks))
    });
    let (around, stand, marks) = match found {
        Err(error) if error.code() == ErrorCode::NotFound && !shell.is_new() => {
            // Imported ids may begin or end with a space.
            return show_memory::run(&ask.id, shell, error);
        }
        found => found?,
    };
    let out = &mut shell.out;
    if json {
        out.object(&around)?;
        return Ok(Done::Ok);
    }
    facts(&around, &stand, out)?;
    texts(&around, out)?;
    neighbours("depends on", &around.depends_on, around.depends_on_omitted, &marks, out)?;
    neighbours("needed by", &around.depended_by, around.depended_by_omitted, &marks, out)?;
    parts(&around, &marks, out)?;
    out.gap()?;
    let log = out.command(&format!("graph log {}", around.node.id));
    out.line(format_args!("how it came to this: {}", styled(NEXT, log)))?;
    Ok(Done::Ok)
}

/// The mark of every node around that is listed, by id.
type Marks = HashMap<String, String>;

/// The marks that a tree has for these nodes.
fn marks(around: &Neighbourhood, stand: impl Fn(&str) -> Result<OutlineNode>) -> Result<Marks> {
    let linked = around.depends_on.iter().chain(&around.depended_by).map(|it| &it.node.id);
    let below = around.children.iter().flat_map(|child| {
        [&child.id].into_iter().chain(child.children.iter().map(|grandchild| &grandchild.id))
    });
    let marked = |id: &String| {
        let stand = stand(id)?;
        Ok((id.clone(), mark(stand.standing, stand.claimed_by.is_some())))
    };
    linked.chain(below).map(marked).collect()
}

fn facts(around: &Neighbourhood, stand: &OutlineNode, out: &mut Output) -> std::io::Result<()> {
    let node = &around.node;
    out.line(format_args!(
        "{}  {}",
        styled(NEXT, &node.id),
        styled(STRONG, block(&node.summary, "    "))
    ))?;
    let mut status = match stand.standing {
        Standing::Done => "done".to_owned(),
        Standing::Actionable => "ready".to_owned(),
        Standing::Open => "has open parts".to_owned(),
        Standing::Blocked => {
            format!("blocked by {}", stand.waits_for.len() + stand.waits_for_omitted)
        }
    };
    if let Some(by) = &stand.claimed_by {
        status.push_str(&format!(", claimed by {}", plain(by)));
    }
    field(
        out,
        "status",
        format_args!("{} {status}", mark(stand.standing, stand.claimed_by.is_some())),
    )?;
    if !around.ancestors.is_empty() {
        let mut path: Vec<_> =
            around.ancestors.iter().map(|ancestor| brief(&ancestor.summary)).collect();
        if around.ancestors_omitted > 0 {
            path.insert(1, format!("({} more)", around.ancestors_omitted));
        }
        field(out, "in", path.join(" › "))?;
    }
    field(
        out,
        "created",
        format_args!("{} by {}", when(node.created_at), plain(&node.created_by)),
    )?;
    field(out, "updated", format_args!("{}, revision {}", when(node.updated_at), node.rev))?;
    if let Some(state) = &node.state {
        field(out, "state", value(state))?;
    }
    Ok(())
}

fn texts(around: &Neighbourhood, out: &mut Output) -> std::io::Result<()> {
    let node = &around.node;
    if !node.properties.is_empty() {
        out.heading("properties")?;
        for (key, held) in &node.properties {
            out.line(format_args!("  {}: {}", plain(key), value(held)))?;
        }
    }
    if !node.context_links.is_empty() {
        out.heading("links")?;
        for link in &node.context_links {
            out.line(format_args!("  {}", plain(link)))?;
        }
    }
    if !node.evidence.is_empty() {
        out.heading("evidence")?;
        for one in &node.evidence {
            let by = format!("{}, {}", plain(&one.agent), when(one.timestamp));
            out.line(format_args!(
                "  {}  {}",
                styled(STRONG, plain(&one.r#type)),
                styled(QUIET, by)
            ))?;
            out.line(format_args!("    {}", block(&one.r#ref, "    ")))?;
        }
    }
    Ok(())
}

fn neighbours(
    title: &str,
    neighbours: &[Dependency],
    omitted: usize,
    marks: &Marks,
    out: &mut Output,
) -> std::io::Result<()> {
    if neighbours.is_empty() {
        return Ok(());
    }
    out.heading(title)?;
    for Dependency { node, .. } in neighbours {
        entry(out, "  ", &node.id, &node.summary, marks)?;
    }
    more(out, omitted)
}

/// Children and theirs, as far as they were read.
fn parts(around: &Neighbourhood, marks: &Marks, out: &mut Output) -> std::io::Result<()> {
    if around.children.is_empty() {
        return Ok(());
    }
    out.heading("parts")?;
    let below = |tree: &NodeTree| tree.child_count.saturating_sub(tree.children.len());
    for child in &around.children {
        entry(out, "  ", &child.id, &child.summary, marks)?;
        for grandchild in &child.children {
            entry(out, "    ", &grandchild.id, &grandchild.summary, marks)?;
        }
        if below(child) > 0 {
            out.line(styled(QUIET, format_args!("    … and {} more", below(child))))?;
        }
    }
    more(out, around.children_omitted)
}

fn entry(
    out: &mut Output,
    indent: &str,
    id: &str,
    summary: &str,
    marks: &Marks,
) -> std::io::Result<()> {
    let mark = marks.get(id).map(String::as_str).unwrap_or_default();
    out.line(format_args!("{indent}{mark} {}  {}", styled(QUIET, id), brief(summary)))
}

fn more(out: &mut Output, omitted: usize) -> std::io::Result<()> {
    if omitted == 0 {
        return Ok(());
    }
    out.line(styled(QUIET, format_args!("  … and {omitted} more")))
}

pub(super) fn field(
    out: &mut Output,
    name: &str,
    text: impl std::fmt::Display,
) -> std::io::Result<()> {
    out.line(format_args!("  {}  {text}", styled(QUIET, format_args!("{name:<8}"))))
}
