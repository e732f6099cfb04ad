//! `graph move`, `graph merge` and `graph drop`: the tree is changed.

use clap::Args;

use super::{
    super::{
        Shell, completions,
        format::number,
        output::{Done, Failure, Outcome, QUIET, plain, styled},
    },
    done::check_holder,
    print_unblocked, print_warnings,
    target::{self, listed, text},
};
use crate::{
    app::{Read, Write},
    base::{Domain, ErrorCode, Fault, Result},
    work::{self, Operation, Outline, Restructured},
};

/// Nodes that are dropped without a question.
const WITHOUT_ASKING: usize = 20;

/// Which nodes, to where.
#[derive(Debug, Args)]
pub struct Move {
    /// The nodes, or - for standard input
    #[arg(required = true, value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub ids: Vec<String>,
    /// The new parent's id, or a project's name
    #[arg(long, value_name = "ID|PROJECT", add = completions::projects_and_nodes())]
    pub under: String,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// Which nodes to make one.
#[derive(Debug, Args)]
pub struct Merge {
    /// The node that goes
    #[arg(value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub source: String,
    /// The node that takes over its parts, evidence and connections
    #[arg(long, value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub into: String,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// Which nodes, and why.
#[derive(Debug, Args)]
pub struct Drop {
    /// The nodes, or - for standard input
    #[arg(required = true, value_name = "ID|PROJECT", add = completions::projects_and_nodes())]
    pub ids: Vec<String>,
    /// Why, kept as evidence
    #[arg(short = 'm', long = "message", value_name = "WHY")]
    pub message: String,
    /// Do not ask, however much is dropped
    #[arg(long)]
    pub yes: bool,
    /// Also drop what another actor has claimed
    #[arg(long)]
    pub anyway: bool,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

pub fn move_under(ask: &Move, shell: &mut Shell) -> Outcome {
    let given = listed(&ask.ids, shell)?;
    restructure(ask.dry_run, shell, |tx| {
        let new_parent = target::node(tx, "--under", &ask.under)?;
        let nodes = target::nodes(tx, "ID", &given)?.into_iter();
        let operation = |node_id| Operation::Move { node_id, new_parent: new_parent.clone() };
        Ok(nodes.map(operation).collect())
    })
}

pub fn merge(ask: &Merge, shell: &mut Shell) -> Outcome {
    restructure(ask.dry_run, shell, |tx| {
        let source = target::node(tx, "ID", &ask.source)?;
        let target = target::node(tx, "--into", &ask.into)?;
        Ok(vec![Operation::Merge { source, target }])
    })
}

pub fn drop(ask: &Drop, shell: &mut Shell) -> Outcome {
    let (given, reason) = (listed(&ask.ids, shell)?, text(&ask.message, shell)?);
    if !ask.yes && !ask.dry_run {
        confirm(&given, shell)?;
    }
    let (settings, actor) = (shell.app.work(), shell.ctx.actor.clone());
    restructure(ask.dry_run, shell, |tx| {
        let mut operations = Vec::new();
        for node_id in target::nodes(tx, "ID", &given)? {
            check_holder(&work::standing(tx, &settings, &node_id)?, &actor, ask.anyway)?;
            operations.push(Operation::Drop { node_id, reason: reason.clone() });
        }
        Ok(operations)
    })
}

/// Asks before a project or many nodes are dropped; without a terminal to ask at, refuses.
fn confirm(given: &[String], shell: &mut Shell) -> std::result::Result<(), Failure> {
    let settings = shell.app.work();
    let (projects, open) = shell.read(|tx| {
        let ids = target::nodes(tx, "ID", given)?;
        let mut projects = 0;
        for id in &ids {
            projects += usize::from(work::is_project(tx, id)?);
        }
        Ok((projects, open_below(tx, &settings, &ids)?))
    })?;
    if projects == 0 && open <= WITHOUT_ASKING {
        return Ok(());
    }
    let whole = if projects > 0 { ", a whole project among them" } else { "" };
    let what = format!("this drops {}{whole}", number(open, "open node"));
    if shell.out.can_ask() {
        return match shell.out.ask(&format!("{what}; drop them?"))? {
            true => Ok(()),
            false => Err(Failure::Stopped),
        };
    }
    let message = format!("{what}, and there is no terminal to ask at");
    Err(Fault::new(ErrorCode::InvalidOperation, message)
        .hint("repeat the command with --yes, or try it with --dry-run")
        .into())
}

/// Open nodes below these, and themselves.
fn open_below(tx: &Read<'_>, settings: &work::Settings, ids: &[String]) -> Result<usize> {
    let mut open = 0;
    for id in ids {
        let ask =
            Outline { of: Some(id.clone()), depth: usize::MAX, with_done: false, lines: 1_000 };
        let outlined = work::outline(tx, settings, &ask)?;
        open += outlined.nodes.len() + outlined.omitted;
    }
    Ok(open)
}

fn restructure(
    dry_run: bool,
    shell: &mut Shell,
    operations: impl FnOnce(&Write<'_>) -> Result<Vec<Operation>>,
) -> Outcome {
    let settings = shell.app.work();
    let restructured: Restructured = shell.change(dry_run, |tx| {
        let operations = operations(tx)?;
        work::restructure(tx, &settings, &operations)
    })?;
    if shell.out.json {
        shell.out.object(&restructured)?;
        return Ok(Done::Ok);
    }
    for detail in &restructured.details {
        let id = styled(QUIET, plain(&detail.node_id));
        shell.out.line(format_args!("{}  {id}  {}", detail.op, plain(&detail.result)))?;
    }
    print_unblocked(&restructured.unblocked, shell)?;
    print_warnings(&restructured.warnings, shell)?;
    shell.end_of(dry_run)
}
