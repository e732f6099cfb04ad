//! `graph list [PROJECT]`: nodes that fit, in ranking order.

use clap::{Args, builder::RangedU64ValueParser};

use super::{
    super::{
        Shell, completions,
        output::{Done, Failure, Outcome, QUIET, brief, plain, styled},
        tree::mark,
    },
    add::value,
    note::rank,
    target::usage,
};
use crate::{
    base::props::Properties,
    work::{self, Filter, FoundNode, OutlineNode, Query},
};

/// The largest page of the query.
const PAGE: usize = 100;

/// Which nodes.
#[derive(Debug, Args)]
pub struct List {
    /// The project's name; may be left out when there is only one
    #[arg(add = completions::projects())]
    pub project: Option<String>,
    /// Finished ones as well
    #[arg(long, conflicts_with_all = ["ready", "blocked"])]
    pub all: bool,
    /// Only what you have claimed
    #[arg(long)]
    pub mine: bool,
    /// Only what can be worked on now and nobody has claimed; with --mine, what you have
    #[arg(long, conflicts_with = "blocked")]
    pub ready: bool,
    /// Only what waits for something
    #[arg(long)]
    pub blocked: bool,
    /// Only where the summary contains this
    #[arg(long, value_name = "T")]
    pub text: Option<String>,
    /// Only with this property; again for several
    #[arg(long = "where", value_name = "KEY=VALUE")]
    pub properties: Vec<String>,
    /// How many to show
    #[arg(long, value_name = "N", default_value = "50", value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub limit: usize,
}

pub fn run(ask: &List, shell: &mut Shell) -> Outcome {
    let filter = Filter {
        resolved: (!ask.all).then_some(false),
        properties: properties(&ask.properties)?,
        text: ask.text.clone(),
        is_actionable: ask.ready.then_some(true),
        is_blocked: ask.blocked.then_some(true),
        claimed_by: match (ask.mine, ask.ready) {
            (true, _) => Some(Some(shell.ctx.actor.clone())),
            (false, true) => Some(None),
            (false, false) => None,
        },
        ..Filter::default()
    };
    let settings = shell.app.work();
    let (nodes, total) = shell.read(|tx| {
        let mut query = Query {
            project: ask.project.clone(),
            filter,
            limit: Some(ask.limit.min(PAGE)),
            ..Query::default()
        };
        let mut nodes: Vec<(FoundNode, OutlineNode)> = Vec::new();
        loop {
            let found = work::query(tx, &settings, &query)?;
            for node in found.nodes {
                let standing = work::standing(tx, &settings, &node.id)?;
                nodes.push((node, standing));
            }
            query.cursor = found.next_cursor;
            if query.cursor.is_none() || nodes.len() >= ask.limit {
                nodes.truncate(ask.limit);
                return Ok((nodes, usize::try_from(found.total).unwrap_or_default()));
            }
        }
    })?;
    if shell.out.json {
        let nodes: Vec<_> = nodes.into_iter().map(|(node, _)| node).collect();
        shell.out.object(&serde_json::json!({ "nodes": nodes, "total": total }))?;
        return Ok(Done::Ok);
    }
    print(&nodes, total, shell)?;
    Ok(Done::Ok)
}

fn properties(pairs: &[String]) -> std::result::Result<Properties, Failure> {
    let mut properties = Properties::new();
    for pair in pairs {
        let Some((key, typed)) = pair.split_once('=') else {
            return Err(usage(&format!("`{pair}` has no `=`"), "write --where KEY=VALUE"));
        };
        let held = if key == work::PRIORITY { rank(typed) } else { value(typed) };
        properties.insert(key.to_owned(), held);
    }
    Ok(properties)
}

fn print(
    nodes: &[(FoundNode, OutlineNode)],
    total: usize,
    shell: &mut Shell,
) -> std::result::Result<(), Failure> {
    for (node, standing) in nodes {
        let mark = mark(standing.standing, standing.claimed_by.is_some());
        let priority = match node.properties.get(work::PRIORITY) {
            Some(held) => format!("  {}", styled(QUIET, format_args!("priority {held}"))),
            None => String::new(),
        };
        let holder = match &standing.claimed_by {
            Some(by) => format!("  claimed by {}", plain(by)),
            None => String::new(),
        };
        let id = styled(QUIET, plain(&node.id));
        shell.out.line(format_args!("{mark} {id}  {}{priority}{holder}", brief(&node.summary)))?;
    }
    if nodes.is_empty() {
        shell.out.line("nothing fits")?;
    }
    if total > nodes.len() {
        let more = format!("… and {} more, shown by --limit", total - nodes.len());
        shell.out.line(styled(QUIET, more))?;
    }
    Ok(())
}
