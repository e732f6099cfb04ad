//! `graph link A needs B` and `graph unlink A B`.

use clap::Args;
use serde_json::json;

use super::{
    super::{
        Shell, completions,
        output::{Done, Outcome, QUIET, plain, styled},
    },
    print_unblocked, print_warnings, target,
};
use crate::{
    base::{
        Domain, ErrorCode, Fault, Result,
        hint::{cmd, hint},
    },
    work::{self, Connect, Connected, DEPENDS_ON, EdgeChange},
};

/// What to connect.
#[derive(Debug, Args)]
pub struct Link {
    /// The node that waits
    #[arg(value_name = "A", add = completions::things_of(&[Domain::Work]))]
    pub from: String,
    /// `needs` (A waits for B), `blocks` (B waits for A), `relates`, or a type of your own
    #[arg(value_name = "HOW")]
    pub how: String,
    /// What it needs or relates to; several at once
    #[arg(required = true, value_name = "B", add = completions::things_of(&[Domain::Work]))]
    pub to: Vec<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// What to separate.
#[derive(Debug, Args)]
#[command(override_usage = "graph unlink [OPTIONS] <A> [HOW] <B>...")]
pub struct Unlink {
    /// The node that waits
    #[arg(value_name = "A", add = completions::things_of(&[Domain::Work]))]
    pub from: String,
    /// The kind of connection, if not `needs`; then what it leads to
    #[arg(required = true, num_args = 1.., value_name = "B", add = completions::things_of(&[Domain::Work]))]
    pub words: Vec<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

pub fn link(ask: &Link, shell: &mut Shell) -> Outcome {
    apply(&ask.from, &ask.how, &ask.to, false, ask.dry_run, shell)
}

pub fn unlink(ask: &Unlink, shell: &mut Shell) -> Outcome {
    let (how, to) = match ask.words.as_slice() {
        [how, to @ ..] if !to.is_empty() => (how.as_str(), to),
        to => ("needs", to),
    };
    apply(&ask.from, how, to, true, ask.dry_run, shell)
}

fn apply(
    from: &str,
    how: &str,
    to: &[String],
    remove: bool,
    dry_run: bool,
    shell: &mut Shell,
) -> Outcome {
    let (kind, reversed) = match how {
        "needs" | "on" => (DEPENDS_ON, false),
        "blocks" | "before" => (DEPENDS_ON, true),
        "relates" => ("relates_to", false),
        other => (other, false),
    };
    let settings = shell.app.work();
    let (connected, edges) = shell.change(dry_run, |tx| {
        let from = target::node(tx, "A", from)?;
        let edges = target::nodes(tx, "B", to)?.into_iter().map(|to| {
            let (from, to) = if reversed { (to, from.clone()) } else { (from.clone(), to) };
            EdgeChange { from, to, r#type: kind.to_owned(), remove }
        });
        let edges: Vec<EdgeChange> = edges.collect();
        let connected = work::connect(tx, &settings, &Connect { edges: edges.clone() })?;
        check(&connected)?;
        Ok((connected, edges))
    })?;
    if shell.out.json {
        shell.out.object(&connected)?;
        return Ok(Done::Ok);
    }
    let how = if kind == DEPENDS_ON { "needs" } else { kind };
    for edge in &edges {
        let no_longer = if remove { "no longer " } else { "" };
        let how = styled(QUIET, format!("{no_longer}{}", plain(how)));
        shell.out.line(format_args!("{}  {how}  {}", plain(&edge.from), plain(&edge.to)))?;
    }
    print_unblocked(&connected.unblocked, shell)?;
    print_warnings(&connected.warnings, shell)?;
    shell.end_of(dry_run)
}

/// Refuses the whole command where an edge was rejected.
pub(super) fn check(connected: &Connected) -> Result<()> {
    let Some(rejected) = connected.rejected.first() else {
        return Ok(());
    };
    let (from, to) = (&rejected.from, &rejected.to);
    let message = match rejected.reason {
        _ if from == to => format!("{from} cannot be connected to itself"),
        "cycle_detected" => {
            format!(
                "{from} cannot wait for {to}, which waits for it: {}",
                rejected.cycle.join(" → ")
            )
        }
        "edge_exists" => format!("{from} and {to} are already connected like this"),
        "edge_not_found" => format!("{from} and {to} are not connected like this"),
        "cross_project_edge" => format!("{from} and {to} belong to different projects"),
        "use_graph_restructure" => "a parent is no connection".to_owned(),
        reason => reason.to_owned(),
    };
    let hint = match rejected.reason {
        "use_graph_restructure" => {
            hint![cmd("graph move ID --under PARENT"), " puts a node elsewhere"]
        }
        _ => hint![cmd("graph show ID"), " lists the connections of a node"],
    };
    Err(Fault::new(ErrorCode::InvalidOperation, message)
        .details(json!({ "rejected": connected.rejected }))
        .hint(hint)
        .into())
}
