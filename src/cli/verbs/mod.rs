//! The commands that write: verbs for people, each one function of a domain.
//!
//! A node is named by its id, by a unique beginning of it, or, where one is expected, by its project's name. `-` reads
//! the ids from standard input.

mod add;
mod connect;
mod done;
mod hold;
mod know;
mod list;
mod memory;
mod note;
mod open;
mod place;
pub(super) mod target;

pub use add::Add;
pub use connect::{Link, Unlink};
pub use done::{Done, Reopen};
pub use hold::{Assign, Claim, Release};
pub use know::{Confirm, Know};
pub use list::List;
pub use memory::{Forget, Remember};
pub use note::{Note, Priority, Set, Tag};
pub use open::Open;
pub use place::{Drop, Merge, Move};

use clap::Subcommand;

use super::{
    Shell,
    output::{self, NEXT, Outcome, QUIET, WARN, brief, plain, styled},
    tree::mark,
};
use crate::{
    app::{Read, Write},
    base::Result,
    compose,
    work::{self, NodeUpdate, OutlineNode, Unblocked, Update},
};

/// The commands of this module.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Open a project: create it, or set its goal; without a name, list all projects
    Open(Open),
    /// Add work to the plan
    #[command(visible_aliases = ["new", "create"])]
    Add(Add),
    /// List the open nodes of a project, best first
    #[command(visible_alias = "ls")]
    List(List),
    /// Claim nodes, so that others are not offered them
    Claim(Claim),
    /// Claim a node for somebody
    Assign(Assign),
    /// End the claims of nodes
    Release(Release),
    /// Finish nodes
    #[command(visible_aliases = ["close", "resolve", "finish"])]
    Done(Done),
    /// Open finished nodes again
    Reopen(Reopen),
    /// Drop nodes that are no longer wanted, with all below them
    #[command(visible_alias = "rm")]
    Drop(Drop),
    /// Add a note to a node
    #[command(visible_alias = "comment")]
    Note(Note),
    /// Set a node's summary and properties
    Set(Set),
    /// Set the priority of nodes
    Priority(Priority),
    /// Set properties of a node to true
    Tag(Tag),
    /// Connect two nodes: `graph link A needs B`
    Link(Link),
    /// Remove a connection between two nodes
    Unlink(Unlink),
    /// Put nodes under another parent
    #[command(visible_alias = "mv")]
    Move(Move),
    /// Merge one node into another
    Merge(Merge),
    /// Store or change knowledge about files
    Know(Know),
    /// Confirm that knowledge still holds
    Confirm(Confirm),
    /// Store a memory
    Remember(Remember),
    /// Delete memories
    Forget(Forget),
}

/// Runs a verb.
pub fn run(verb: &Verb, shell: &mut Shell) -> Outcome {
    match verb {
        Verb::Open(ask) => open::run(ask, shell),
        Verb::Add(ask) => add::run(ask, shell),
        Verb::List(ask) => list::run(ask, shell),
        Verb::Claim(ask) => hold::claim(ask, shell),
        Verb::Assign(ask) => hold::assign(ask, shell),
        Verb::Release(ask) => hold::release(ask, shell),
        Verb::Done(ask) => done::done(ask, shell),
        Verb::Reopen(ask) => done::reopen(ask, shell),
        Verb::Drop(ask) => place::drop(ask, shell),
        Verb::Note(ask) => note::note(ask, shell),
        Verb::Set(ask) => note::set(ask, shell),
        Verb::Priority(ask) => note::priority(ask, shell),
        Verb::Tag(ask) => note::tag(ask, shell),
        Verb::Link(ask) => connect::link(ask, shell),
        Verb::Unlink(ask) => connect::unlink(ask, shell),
        Verb::Move(ask) => place::move_under(ask, shell),
        Verb::Merge(ask) => place::merge(ask, shell),
        Verb::Know(ask) => know::know(ask, shell),
        Verb::Confirm(ask) => know::confirm(ask, shell),
        Verb::Remember(ask) => memory::remember(ask, shell),
        Verb::Forget(ask) => memory::forget(ask, shell),
    }
}

impl Shell {
    /// Writes, or tries what a write would do without keeping it.
    fn change<T>(
        &mut self,
        dry_run: bool,
        f: impl FnOnce(&Write<'_>) -> Result<T>,
    ) -> std::result::Result<T, output::Failure> {
        self.check_there()?;
        Ok(match dry_run {
            true => self.app.db(&self.ctx)?.rehearse(&self.ctx, f)?,
            false => self.app.write(&self.ctx, f)?,
        })
    }

    /// The last line of a dry run.
    fn end_of(&mut self, dry_run: bool) -> Outcome {
        if dry_run && !self.out.json {
            self.out.line(styled(QUIET, "dry run: nothing was written"))?;
        }
        Ok(output::Done::Ok)
    }
}

/// What a write did to nodes, for people.
#[derive(Default)]
struct Report {
    /// How the nodes stand afterwards.
    nodes: Vec<OutlineNode>,
    unblocked: Unblocked,
    warnings: Vec<String>,
}

impl Report {
    fn of(tx: &Read<'_>, settings: &work::Settings, ids: &[String]) -> Result<Self> {
        let nodes = ids.iter().map(|id| work::standing(tx, settings, id));
        Ok(Report { nodes: nodes.collect::<Result<_>>()?, ..Report::default() })
    }

    /// Prints a line for each node after what was done to it, what that unblocked, and what to know about it.
    fn print(&self, what: &str, shell: &mut Shell) -> std::io::Result<()> {
        let out = &mut shell.out;
        for node in &self.nodes {
            let mark = mark(node.standing, node.claimed_by.is_some());
            let id = styled(QUIET, plain(&node.id));
            out.line(format_args!("{mark} {what} {id}  {}", brief(&node.summary)))?;
        }
        print_unblocked(&self.unblocked, shell)?;
        print_warnings(&self.warnings, shell)
    }
}

fn print_unblocked(unblocked: &Unblocked, shell: &mut Shell) -> std::io::Result<()> {
    let ready = styled(NEXT, "▶");
    for node in &unblocked.newly_actionable {
        let id = styled(QUIET, plain(&node.id));
        shell.out.line(format_args!("  {ready} now ready: {id}  {}", brief(&node.summary)))?;
    }
    match unblocked.newly_actionable_omitted {
        0 => Ok(()),
        more => shell.out.line(format_args!("  {ready} and {more} more are now ready")),
    }
}

fn print_warnings(warnings: &[String], shell: &mut Shell) -> std::io::Result<()> {
    warnings.iter().try_for_each(|warning| {
        shell.out.line(format_args!("  {} {}", styled(WARN, "!"), plain(warning)))
    })
}

/// Applies one update to each node and shows how the nodes stand afterwards.
fn update(
    what: &str,
    given: &[String],
    dry_run: bool,
    shell: &mut Shell,
    change: impl Fn(&Read<'_>, &OutlineNode) -> Result<NodeUpdate>,
) -> Outcome {
    let (settings, given) = (shell.app.work(), target::listed(given, shell)?);
    let (updated, report) = shell.change(dry_run, |tx| {
        let ids = target::nodes(tx, "ID", &given)?;
        let mut updates = Vec::with_capacity(ids.len());
        for id in &ids {
            let node = work::standing(tx, &settings, id)?;
            updates.push(NodeUpdate { node_id: id.clone(), ..change(tx, &node)? });
        }
        let updated = compose::update(tx, &settings, &Update { updates })?;
        let report = Report {
            unblocked: updated.updated.unblocked.clone(),
            warnings: updated.updated.warnings.clone(),
            ..Report::of(tx, &settings, &ids)?
        };
        Ok((updated, report))
    })?;
    if shell.out.json {
        shell.out.object(&updated)?;
        return Ok(output::Done::Ok);
    }
    report.print(what, shell)?;
    if let Some(hints) = &updated.graph_hints {
        let names: Vec<_> = hints.atoms.iter().map(|name| plain(name)).collect();
        let more = match hints.omitted {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let line = format!("  check whether this still holds: {}{more}", names.join(", "));
        shell.out.line(styled(QUIET, line))?;
    }
    shell.end_of(dry_run)
}
