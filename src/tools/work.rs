//! The tools of the work graph.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Effect::{Destructive, Read, Write},
    Surface, ToolDef,
    resources::work::{NODE, PROJECT},
};
use crate::{
    app::{App, Read as Snapshot},
    base::{
        Ctx, Domain, Error, Fault, Result,
        wire::{Envelope, trimmed},
    },
    compose::{
        self, AdvancedWithHints, Ask, Brief, Briefing, ContainerWithContext, Informed, Oriented,
        QueryContainer, Search, Searched, UpdatedWithHints,
    },
    work::{
        self, Advance, Connect, Connected, Context, Found, History, Neighbourhood, Next, NextNodes,
        Onboard, Open, Opened, Operation, Past, Plan, Planned, Query, Restructured, Update,
    },
};

pub(super) const SURFACE: Surface =
    Surface { instructions: INSTRUCTIONS, tools, resources: &[PROJECT, NODE] };

const INSTRUCTIONS: &str = "\
Work graph: the plan of a project as a tree of nodes with dependencies, kept across sessions and \
shared by agents. Start: graph_onboard {project} tells goal, state and next steps (graph_open lists \
projects, or creates one with a goal). Loop: graph_next {project, claim: true} gives the best ready \
node; do it; graph_update {updates: [{node_id, resolved: true, add_evidence: [{type, ref}]}]} \
closes it and tells what that unblocked. Break big work down with graph_plan.

Rules of thumb:
- Ready means: unresolved, no unresolved child, all it depends on resolved. The server ranks; keep \
no list of your own.
- graph_plan makes many nodes in one atomic call (ref, parent_ref, depends_on). A leaf is an hour's \
work with a checkable result; put its files in context_links.
- Evidence is for the next agent: commits (git), test results (test), what you learned (note). \
Resolve only what is done and checked.
- Found more work? Plan it at once. Blocked? graph_connect a depends_on edge. Plan wrong? \
graph_restructure.
- A claim is a soft lock that runs out. Held by another agent? Take another with graph_next.
- Before you touch files: graph_brief {paths} tells what to know.
- Errors name the field, what is allowed and a safe next call.";

fn tools() -> Vec<ToolDef> {
    const ON: Domain = Domain::Work;
    vec![
        ToolDef::new(
            ON,
            "graph_onboard",
            "Orient in a project",
            "Work graph: start here. Goal, counts, top of the tree, who works on what, last results, what is next.",
            Read,
            onboard,
        ),
        ToolDef::new(
            ON,
            "graph_open",
            "Open or create a project",
            "Work graph: open a project or create it; without arguments, list all projects.",
            Write,
            open,
        )
        .idempotent(),
        ToolDef::new(
            ON,
            "graph_plan",
            "Plan nodes",
            "Work graph: break work down into nodes with parents and dependencies, all or none.",
            Write,
            plan,
        ),
        ToolDef::new(
            ON,
            "graph_next",
            "Get the next work",
            "Work graph: what to do now, ranked: priority, depth, least recently updated. claim marks it as yours.",
            Write,
            next,
        ),
        ToolDef::new(
            ON,
            "graph_context",
            "Read a node",
            "Work graph: one node whole, with ancestors, children, dependencies and dependents.",
            Read,
            context,
        ),
        ToolDef::new(
            ON,
            "graph_update",
            "Update nodes",
            "Work graph: change nodes, all or none. resolved: true finishes one and names what that unblocked.",
            Write,
            update,
        ),
        ToolDef::new(
            ON,
            "graph_connect",
            "Connect nodes",
            "Work graph: add or remove edges. For parents use graph_restructure.",
            Write,
            connect,
        ),
        ToolDef::new(
            ON,
            "graph_query",
            "Find nodes",
            "Work graph: filter, sort and page through nodes.",
            Read,
            query,
        ),
        ToolDef::new(
            ON,
            "graph_restructure",
            "Replan",
            "Work graph: replan, all or none. move {node_id, new_parent}; merge {source, target}: source goes into \
             target; drop {node_id, reason}: resolves the whole subtree.",
            Destructive,
            restructure,
        ),
        ToolDef::new(
            ON,
            "graph_history",
            "Read a node's history",
            "Work graph: who changed what on a node, newest first.",
            Read,
            history,
        ),
        ToolDef::new(
            ON,
            "graph_brief",
            "Brief before touching files",
            "Work graph: before you touch files: what is known, requirements that fail, who works there, what \
             changed last.",
            Read,
            brief,
        ),
        ToolDef::new(
            ON,
            "graph_search",
            "Search everything",
            "Work graph: find text in all domains at once.",
            Read,
            search,
        )
        .long(),
        ToolDef::new(
            ON,
            "query_container",
            "Read a task",
            "Work graph: a node as a task, feature or project of an orchestrator.",
            Read,
            query_container,
        )
        .enveloped(),
        ToolDef::new(
            ON,
            "advance",
            "Step a task on",
            "Work graph: step a task NEW, ACTIVE (claims), CLOSED (resolves).",
            Write,
            advance,
        )
        .enveloped(),
    ]
}

fn onboard(app: &mut App, ctx: &Ctx, ask: Onboard) -> Result<Oriented> {
    app.joined(ctx, |tx, around| compose::onboard(tx, around, &ask))
}

fn brief(app: &mut App, ctx: &Ctx, ask: Brief) -> Result<Briefing> {
    app.joined(ctx, |tx, around| compose::brief(tx, around, &ask))
}

fn search(app: &mut App, ctx: &Ctx, ask: Search) -> Result<Searched> {
    app.joined(ctx, |tx, around| compose::search(tx, around, &ask))
}

fn open(app: &mut App, ctx: &Ctx, ask: Open) -> Result<Opened> {
    ask.check()?;
    let Some(name) = ask.project else {
        return app.read(ctx, |tx| work::list_projects(tx, ask.cursor.as_deref()));
    };
    // Opening what exists is a read, and needs no lock.
    match app.read(ctx, |tx| work::find_project(tx, &name))? {
        Some(opened) => Ok(opened),
        None => app.write(ctx, |tx| work::open(tx, &name, ask.goal.as_deref())),
    }
}

fn plan(app: &mut App, ctx: &Ctx, ask: Plan) -> Result<Planned> {
    app.write(ctx, |tx| work::plan(tx, &ask))
}

fn next(app: &mut App, ctx: &Ctx, ask: Ask<Next>) -> Result<Informed<NextNodes>> {
    let settings = app.work();
    let Ask { ask, include_knowledge } = ask;
    let complete = |tx: &Snapshot<'_>, next| match include_knowledge {
        true => compose::next_with_knowledge(tx, next),
        false => Ok(Informed::plain(next)),
    };
    if ask.claim {
        app.write(ctx, |tx| complete(tx, work::next_claimed(tx, &settings, &ask)?))
    } else {
        app.read(ctx, |tx| complete(tx, work::next(tx, &settings, &ask)?))
    }
}

fn context(app: &mut App, ctx: &Ctx, ask: Ask<Context>) -> Result<Informed<Neighbourhood>> {
    let Ask { ask, include_knowledge } = ask;
    app.read(ctx, |tx| match include_knowledge {
        true => compose::context_with_knowledge(tx, &ask),
        false => Ok(Informed::plain(work::context(tx, &ask)?)),
    })
}

fn update(app: &mut App, ctx: &Ctx, ask: Update) -> Result<UpdatedWithHints> {
    let settings = app.work();
    app.write(ctx, |tx| compose::update(tx, &settings, &ask))
}

fn connect(app: &mut App, ctx: &Ctx, ask: Connect) -> Result<Connected> {
    let settings = app.work();
    app.write(ctx, |tx| work::connect(tx, &settings, &ask))
}

fn query(app: &mut App, ctx: &Ctx, ask: Query) -> Result<Found> {
    let settings = app.work();
    app.read(ctx, |tx| work::query(tx, &settings, &ask))
}

fn restructure(app: &mut App, ctx: &Ctx, ask: Restructure) -> Result<Restructured> {
    let settings = app.work();
    let operations: Vec<Operation> =
        ask.operations.into_iter().enumerate().map(FlatOperation::narrow).collect::<Result<_>>()?;
    app.write(ctx, |tx| work::restructure(tx, &settings, &operations))
}

fn history(app: &mut App, ctx: &Ctx, ask: History) -> Result<Past> {
    app.read(ctx, |tx| work::history(tx, &ask))
}

fn query_container(
    app: &mut App,
    ctx: &Ctx,
    ask: QueryContainer,
) -> Result<Envelope<ContainerWithContext>> {
    let settings = app.work();
    let data = app.read(ctx, |tx| compose::query_container(tx, &settings, &ask))?;
    Ok(Envelope::new(data))
}

fn advance(app: &mut App, ctx: &Ctx, ask: Advance) -> Result<Envelope<AdvancedWithHints>> {
    let settings = app.work();
    let data = app.write(ctx, |tx| compose::advance(tx, &settings, &ask))?;
    Ok(Envelope::new(data))
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Restructure {
    operations: Vec<FlatOperation>,
}

/// One flat shape for the three operations: clients refuse a schema with variants.
#[derive(Debug, Deserialize, JsonSchema)]
struct FlatOperation {
    op: Op,
    #[serde(default, deserialize_with = "trimmed")]
    node_id: Option<String>,
    #[serde(default, deserialize_with = "trimmed")]
    new_parent: Option<String>,
    #[serde(default, deserialize_with = "trimmed")]
    source: Option<String>,
    #[serde(default, deserialize_with = "trimmed")]
    target: Option<String>,
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Op {
    Move,
    Merge,
    Drop,
}

impl FlatOperation {
    /// Each operation has its own fields: one that is missing or not its own is named.
    fn narrow((index, flat): (usize, FlatOperation)) -> Result<Operation> {
        let FlatOperation { op, node_id, new_parent, source, target, reason } = flat;
        let invalid = |field: &str, problem: &str| -> Error {
            Fault::invalid(&format!("operations[{index}].{field}"), problem).into()
        };
        let need = |field, value: Option<String>| {
            value.ok_or_else(|| invalid(field, "is missing; this op needs it"))
        };
        let refuse = |unused: [(&str, &Option<String>); 3]| match unused
            .iter()
            .find(|(_, value)| value.is_some())
        {
            Some((field, _)) => Err(invalid(field, "is not used by this op")),
            None => Ok(()),
        };
        Ok(match op {
            Op::Move => {
                refuse([("source", &source), ("target", &target), ("reason", &reason)])?;
                Operation::Move {
                    node_id: need("node_id", node_id)?,
                    new_parent: need("new_parent", new_parent)?,
                }
            }
            Op::Merge => {
                refuse([("node_id", &node_id), ("new_parent", &new_parent), ("reason", &reason)])?;
                Operation::Merge {
                    source: need("source", source)?,
                    target: need("target", target)?,
                }
            }
            Op::Drop => {
                refuse([("new_parent", &new_parent), ("source", &source), ("target", &target)])?;
                Operation::Drop {
                    node_id: need("node_id", node_id)?,
                    reason: need("reason", reason)?,
                }
            }
        })
    }
}
