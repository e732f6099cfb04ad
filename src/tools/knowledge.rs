//! The tools of the knowledge graph: flat arguments in, narrow commands on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Effect::{Destructive, Read, Write},
    Surface, ToolDef,
    resources::knowledge::{ATOM, MOLECULE},
};
use crate::{
    app::{App, Read as Snapshot},
    base::{Ctx, Domain, Fault, Result, wire::Envelope},
    compose::{self, AskContext, Include},
    kb,
    knowledge::{
        self, Append, EntityType, Entry, Get, Gotten, Item, Listed, Search, SearchChangelog, limits,
    },
};

mod manage;

use manage::manage_graph;

/// Changelog entries inline, where the caller does not say.
const CHANGELOG: usize = 5;
/// Items on a page, where the caller does not say.
const PAGE: usize = 20;

pub(super) const SURFACE: Surface =
    Surface { instructions: INSTRUCTIONS, tools, resources: &[MOLECULE, ATOM] };

const INSTRUCTIONS: &str = "\
Knowledge: what others learned about areas of this codebase. Before you touch files: query_graph \
{operation: context, paths}. After: manage_graph updates an atom whose area now works differently, \
or creates one for unmatchedPaths. Name patterns, gotchas and reasons, not what the code says.";

fn tools() -> Vec<ToolDef> {
    const ON: Domain = Domain::Knowledge;
    vec![
        ToolDef::new(
            ON,
            "query_graph",
            "Read what is known",
            "Knowledge: read. context {paths}: what to know about files before you touch them; search \
             {entityType, query}: list; get {entityType, id}: one whole.",
            Read,
            query_graph,
        )
        .enveloped(),
        ToolDef::new(
            ON,
            "manage_graph",
            "Write what is known",
            "Knowledge: create, update or delete an atom (globs, and what to know about their files) or a molecule (a \
             group of atoms). update and delete need id and version.",
            Destructive,
            manage_graph,
        )
        .enveloped(),
        ToolDef::new(
            ON,
            "manage_changelog",
            "Tell how it evolved",
            "Knowledge: append {taskId, summary} to the history of an atom or molecule, or search it.",
            Write,
            manage_changelog,
        )
        .enveloped(),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum QueryOperation {
    Get,
    Search,
    Context,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct QueryGraph {
    operation: QueryOperation,
    entity_type: Option<EntityType>,
    id: Option<String>,
    /// Name or root id
    project_id: Option<String>,
    #[schemars(extend("format" = "csv"))]
    paths: Option<Vec<String>>,
    query: Option<String>,
    molecule_id: Option<String>,
    orphans_only: Option<bool>,
    include_changelog: Option<bool>,
    /// Default 5
    #[schemars(range(min = 0, max = 100))]
    changelog_limit: Option<usize>,
    /// Default 20
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
    #[schemars(range(min = 0))]
    offset: Option<usize>,
    /// For context
    include: Option<Vec<Include>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Answer {
    Got(Box<Gotten>),
    Listed(Listed<Item>),
    Context(Box<compose::Context>),
}

fn query_graph(app: &mut App, ctx: &Ctx, ask: QueryGraph) -> Result<Envelope<Answer>> {
    let changelog = match ask.include_changelog {
        Some(false) => 0,
        _ => ask.changelog_limit.unwrap_or(CHANGELOG),
    };
    let operation = match ask.operation {
        QueryOperation::Get => "get",
        QueryOperation::Search => "search",
        QueryOperation::Context => "context",
    };
    let unused = |fields: &[(&str, bool)]| refuse_unused(operation, fields);
    let kind = || needed("entityType", operation, ask.entity_type);
    Ok(Envelope::new(match ask.operation {
        QueryOperation::Get => {
            unused(&[
                ("projectId", ask.project_id.is_some()),
                ("paths", ask.paths.is_some()),
                ("query", ask.query.is_some()),
                ("moleculeId", ask.molecule_id.is_some()),
                ("orphansOnly", ask.orphans_only.is_some()),
                ("limit", ask.limit.is_some()),
                ("offset", ask.offset.is_some()),
                ("include", ask.include.is_some()),
            ])?;
            let get = Get { entity_type: kind()?, id: needed("id", "get", ask.id)?, changelog };
            Answer::Got(Box::new(app.read(ctx, |tx| knowledge::get(tx, &get))?))
        }
        QueryOperation::Search => {
            unused(&[
                ("id", ask.id.is_some()),
                ("paths", ask.paths.is_some()),
                ("include", ask.include.is_some()),
            ])?;
            let kind = kind()?;
            if kind == EntityType::Molecule {
                unused(&[
                    ("moleculeId", ask.molecule_id.is_some()),
                    ("orphansOnly", ask.orphans_only == Some(true)),
                ])?;
            }
            let search = Search {
                project: ask.project_id,
                query: ask.query,
                molecule: ask.molecule_id,
                orphans_only: ask.orphans_only.unwrap_or(false),
                changelog,
                limit: ask.limit.unwrap_or(PAGE).min(limits::PAGE),
                offset: ask.offset.unwrap_or(0),
            };
            Answer::Listed(app.read(ctx, |tx| knowledge::search(tx, kind, &search))?)
        }
        QueryOperation::Context => {
            unused(&[
                ("entityType", ask.entity_type.is_some()),
                ("id", ask.id.is_some()),
                ("query", ask.query.is_some()),
                ("moleculeId", ask.molecule_id.is_some()),
                ("orphansOnly", ask.orphans_only.is_some()),
                ("limit", ask.limit.is_some()),
                ("offset", ask.offset.is_some()),
            ])?;
            let paths = needed("paths", "context", ask.paths.filter(|paths| !paths.is_empty()))?;
            let include = ask.include.unwrap_or_default();
            let ask = AskContext { project: ask.project_id, paths, changelog, include };
            let settings = app.work();
            let read = |tx: &Snapshot<'_>, kb: Option<&kb::Setting>| {
                compose::context(tx, &settings, &ask, kb)
            };
            Answer::Context(Box::new(match ask.include.contains(&Include::Kb) {
                true => {
                    let setting = app.kb(None)?;
                    app.kb_read(ctx, &setting, |tx| read(tx, Some(&setting)))?
                }
                false => app.read(ctx, |tx| read(tx, None))?,
            }))
        }
    }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ChangelogOperation {
    Append,
    Search,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ManageChangelog {
    operation: ChangelogOperation,
    parent_type: EntityType,
    parent_id: String,
    task_id: Option<String>,
    /// What changed and why
    summary: Option<String>,
    /// Default 20
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
    #[schemars(range(min = 0))]
    offset: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum History {
    Entry(Entry),
    #[serde(untagged)]
    Listed(Listed<Entry>),
}

fn manage_changelog(app: &mut App, ctx: &Ctx, ask: ManageChangelog) -> Result<Envelope<History>> {
    let (parent_type, parent_id) = (ask.parent_type, ask.parent_id);
    Ok(Envelope::new(match ask.operation {
        ChangelogOperation::Append => {
            refuse_unused(
                "append",
                &[("limit", ask.limit.is_some()), ("offset", ask.offset.is_some())],
            )?;
            let new = Append {
                parent_type,
                parent_id,
                task_id: needed("taskId", "append", ask.task_id)?,
                summary: needed("summary", "append", ask.summary)?,
            };
            History::Entry(app.write(ctx, |tx| knowledge::append(tx, &new))?)
        }
        ChangelogOperation::Search => {
            refuse_unused(
                "search",
                &[("taskId", ask.task_id.is_some()), ("summary", ask.summary.is_some())],
            )?;
            let search = SearchChangelog {
                parent_type,
                parent_id,
                limit: ask.limit.unwrap_or(PAGE),
                offset: ask.offset.unwrap_or(0),
            };
            History::Listed(app.read(ctx, |tx| knowledge::search_changelog(tx, &search))?)
        }
    }))
}

fn needed<T>(field: &str, by: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| Fault::invalid(field, format!("is missing; {by} needs it")).into())
}

/// Refuses the first field that was given and is of no use.
fn refuse_unused(by: &str, fields: &[(&str, bool)]) -> Result<()> {
    match fields.iter().find(|(_, given)| *given) {
        Some((field, _)) => Err(Fault::invalid(field, format!("is not used by {by}")).into()),
        None => Ok(()),
    }
}
