//! The tools of the KB.

use super::{
    Effect::{Destructive, Read, Write},
    Surface, ToolDef,
    resources::kb::ENTITY,
};
use crate::{
    app::App,
    base::{Ctx, Domain, Result},
    kb::{self, Check, Checked, Delete, Deleted, Found, Query, Upsert, Upserted},
};

pub(super) const SURFACE: Surface =
    Surface { instructions: INSTRUCTIONS, tools, resources: &[ENTITY] };

const INSTRUCTIONS: &str = "\
KB: what the repository must do and why, by git branch: requirements, scenarios, tests, ADRs, flags, \
events, symbols and their links. kb_query before you change behaviour; kb_upsert what you learn or \
decide, with its links; kb_check before you finish.";

fn tools() -> Vec<ToolDef> {
    const ON: Domain = Domain::Kb;
    vec![
        ToolDef::new(
            ON,
            "kb_query",
            "Find requirements and links",
            "KB: find requirements (req), scenarios, tests, ADRs (adr), flags, events, symbols, components, or the \
             links between them. related with absent finds gaps: {type: req, priority: must, related: [{relation: \
             verified_by, absent: true}]}.",
            Read,
            query,
        ),
        ToolDef::new(
            ON,
            "kb_upsert",
            "Write requirements and links",
            "KB: write entities and links as one changeset, all or none. New ones need type, title, status; others \
             change in what you name, null clears. Relations: depends_on, specified_by, verified_by (from req), \
             implements, covered_by, constrained_by, publishes, consumes (from symbol), affects (from adr), guards \
             (from flag), supersedes, relates_to.",
            Write,
            upsert,
        )
        .idempotent(),
        ToolDef::new(
            ON,
            "kb_delete",
            "Remove requirements and links",
            "KB: remove entities and links, all or none. What others refer to stays unless cascade; what a file \
             declares is removed in that file.",
            Destructive,
            delete,
        ),
        ToolDef::new(
            ON,
            "kb_check",
            "Check the requirements",
            "KB: run the rules: uncovered requirements, cycles, dangling links.",
            Read,
            check,
        )
        .long(),
    ]
}

fn query(app: &mut App, ctx: &Ctx, ask: Query) -> Result<Found> {
    let setting = app.kb(ask.branch.as_deref())?;
    app.kb_read(ctx, &setting, |tx| kb::query(tx, &setting, &ask))
}

fn upsert(app: &mut App, ctx: &Ctx, ask: Upsert) -> Result<Upserted> {
    let setting = app.kb(ask.branch.as_deref())?;
    if ask.dry_run {
        app.kb_read(ctx, &setting, |tx| kb::try_upsert(tx, &setting, &ask))
    } else {
        app.kb_write(ctx, &setting, |tx| kb::upsert(tx, &setting, &ask))
    }
}

fn delete(app: &mut App, ctx: &Ctx, ask: Delete) -> Result<Deleted> {
    let setting = app.kb(ask.branch.as_deref())?;
    app.kb_write(ctx, &setting, |tx| kb::delete(tx, &setting, &ask))
}

fn check(app: &mut App, ctx: &Ctx, ask: Check) -> Result<Checked> {
    let setting = app.kb(ask.branch.as_deref())?;
    app.kb_read(ctx, &setting, |tx| kb::check(tx, &setting, &ask)?.cut())
}
