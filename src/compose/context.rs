//! `query_graph context`: what is known about files, with the open work and the KB entities that name them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Placed,
    expand::{Expanded, expand},
};
use crate::{
    base::{Result, wire::is_zero},
    db::Read,
    kb::{self, Touching},
    knowledge::{self, Surroundings},
    work::{self, Settings},
};

/// Paths that a node and an entity list at most.
const PATHS: usize = 20;

/// What else to return about files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Include {
    /// Open work whose context links name them.
    Work,
    /// Requirements, decisions and more of the KB that are about them.
    Kb,
}

/// The files that a call is about, and what to include.
#[derive(Debug, Clone, Default)]
pub struct AskContext {
    /// Name or root id; the only project if left out.
    pub project: Option<String>,
    /// Files and directories, as the caller spells them.
    pub paths: Vec<String>,
    /// Changelog entries of each atom and molecule.
    pub changelog: usize,
    pub include: Vec<Include>,
}

/// What is known about files, and the work and requirements that concern them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    #[serde(flatten)]
    pub known: Surroundings,
    /// Open work on these files, oldest first, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<Vec<Placed<work::OpenWork>>>,
    /// Open work that is not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub work_omitted: usize,
    /// What the KB says about these files on the active branch, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kb: Option<Vec<Placed<Touching>>>,
    /// Entities of the KB that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub kb_omitted: usize,
}

/// Returns what is known about files; the KB is included only where the caller passes its setting.
pub fn context(
    tx: &Read<'_>,
    settings: &Settings,
    ask: &AskContext,
    kb: Option<&kb::Setting>,
) -> Result<Context> {
    let AskContext { project, paths, changelog, include } = ask;
    let Expanded { files: paths, note } = expand(tx, knowledge::normalised(tx, paths)?);
    let ask = knowledge::Context { project: project.clone(), paths, changelog: *changelog };
    let known = Surroundings { note, ..knowledge::context(tx, &ask)? };
    let paths = ask.paths;
    let mut context = Context { known, work: None, work_omitted: 0, kb: None, kb_omitted: 0 };
    if include.contains(&Include::Work) {
        let project = work::project_id(tx, "projectId", project.as_deref())?;
        let (open, omitted) = work::open_on(tx, settings, Some(&project), &paths, work::LISTED)?;
        let open = open.into_iter();
        let open = open.map(|open| Placed::of(open, PATHS, |open| &mut open.paths));
        (context.work, context.work_omitted) = (Some(open.collect()), omitted);
    }
    if let Some(setting) = kb.filter(|_| include.contains(&Include::Kb)) {
        let (touching, omitted) = kb::touching(tx, setting, &paths)?;
        let touching = touching.into_iter();
        let touching = touching.map(|fact| Placed::of(fact, PATHS, |fact| &mut fact.paths));
        (context.kb, context.kb_omitted) = (Some(touching.collect()), omitted);
    }
    Ok(context)
}
