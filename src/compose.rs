//! Answers that join two domains, where neither may know the other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    base::{Domain, Result, wire::is_zero},
    db::{Read, Write},
    kb::{self, Touching},
    knowledge::{self, Surroundings},
    work::{self, Advance, Advanced, Settings, Update, Updated},
};

mod brief;
mod onboard;
mod prompts;
mod search;
mod spread;

pub use brief::{
    Brief, BriefAtom, BriefMolecule, BriefNode, Briefing, LastChange, LeftOut, Placed, brief,
};
pub use onboard::{KnowledgeState, MemoryState, Oriented, onboard};
pub use prompts::{Subject, discovery, execution, planning};
pub use search::{FoundText, Search, Searched, search};

use spread::{Spread, spread};

/// Where a joined answer is asked for, and which domains may be in it.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Settings of the work graph.
    pub settings: &'a Settings,
    /// The domains that are on.
    pub on: &'a [Domain],
    /// The KB, where it is on, in use and readable.
    pub kb: Option<&'a kb::Setting>,
    /// Why it cannot be read.
    pub kb_problem: Option<&'a str>,
}

impl Around<'_> {
    /// What an answer says about a KB that cannot be read.
    fn note(&self) -> Option<String> {
        self.kb_problem.map(|problem| format!("nothing from the KB: {problem}"))
    }

    fn has(&self, domain: Domain) -> bool {
        self.on.contains(&domain)
    }
}

/// Changelog entries of each atom where knowledge is an addition to an answer.
const CHANGELOG: usize = 2;
/// Paths that open work and a requirement name, each.
const PLACES: usize = 20;
/// Atoms that a hint names.
const HINTED: usize = 20;

/// A call of a work tool that may ask for the knowledge of the node's files.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Ask<T> {
    #[serde(flatten)]
    pub ask: T,
    #[serde(default)]
    pub include_knowledge: bool,
}

/// An answer, and what is known about the files it is about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Informed<T> {
    /// The answer itself.
    #[serde(flatten)]
    pub answer: T,
    /// Absent where it was not asked for, or no file is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<Surroundings>,
}

impl<T> Informed<T> {
    /// The answer alone.
    pub fn plain(answer: T) -> Self {
        Informed { answer, knowledge: None }
    }
}

/// `graph_next` with the knowledge of the nodes' own files.
pub fn next_with_knowledge(
    tx: &Read<'_>,
    answer: work::NextNodes,
) -> Result<Informed<work::NextNodes>> {
    let links = answer.nodes.iter().flat_map(|next| &next.context_links.own);
    let links: Vec<String> = links.cloned().collect();
    let knowledge = match answer.nodes.first() {
        Some(first) => {
            let (project, _) = work::links_of(tx, &first.node.id)?;
            known(tx, &project, &links)?
        }
        None => None,
    };
    Ok(Informed { answer, knowledge })
}

/// `graph_context` with the knowledge of the node's own files.
pub fn context_with_knowledge(
    tx: &Read<'_>,
    ask: &work::Context,
) -> Result<Informed<work::Neighbourhood>> {
    let (project, links) = work::links_of(tx, &ask.node_id)?;
    let knowledge = known(tx, &project, &links)?;
    Ok(Informed { answer: work::context(tx, ask)?, knowledge })
}

/// A call of `query_container`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryContainer {
    #[serde(flatten)]
    pub ask: work::QueryContainer,
    /// Knowledge of its files
    #[serde(default)]
    pub include_graph_context: bool,
}

/// A container, and what is known about its Context Files.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContainerWithContext {
    /// The container itself.
    #[serde(flatten)]
    pub container: work::ContainerData,
    /// Absent where it was not asked for, or the task has no paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_context: Option<Surroundings>,
}

/// `query_container`, with the knowledge of its Context Files where that is asked for.
pub fn query_container(
    tx: &Read<'_>,
    settings: &Settings,
    ask: &QueryContainer,
) -> Result<ContainerWithContext> {
    let container = work::query_container(tx, settings, &ask.ask)?.data;
    let graph_context = match ask.include_graph_context {
        true => {
            let (project, links) = work::links_of(tx, &container.task.id)?;
            known(tx, &project, &links)?
        }
        false => None,
    };
    Ok(ContainerWithContext { container, graph_context })
}

/// What is known about the files that `links` name; none where they name no file.
fn known(tx: &Read<'_>, project: &str, links: &[String]) -> Result<Option<Surroundings>> {
    let paths = files(tx, links);
    if paths.is_empty() {
        return Ok(None);
    }
    let Spread { files: paths, note } = spread(tx, paths);
    let project = Some(project.to_owned());
    let ask = knowledge::Context { project, paths, changelog: CHANGELOG };
    Ok(Some(Surroundings { note, ..knowledge::context(tx, &ask)? }))
}

/// The files that links name, each spelling with its path; what is not a path inside the repository is skipped.
fn files(tx: &Read<'_>, links: &[String]) -> Vec<(String, String)> {
    let files = work::linked_paths(links).into_iter();
    files.filter_map(|file| tx.path("paths", &file).ok().map(|path| (file, path))).collect()
}

/// What was updated, and the atoms whose files that was about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UpdatedWithHints {
    /// The answer itself.
    #[serde(flatten)]
    pub updated: Updated,
    /// Present where a resolved node's files belong to atoms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_hints: Option<AtomHints>,
}

/// Atoms to look at again.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AtomHints {
    /// By name: does what they say still hold?
    pub atoms: Vec<String>,
    /// Atoms that are not named.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

/// `graph_update`; resolving names the atoms that cover the node's files.
pub fn update(tx: &Write<'_>, settings: &Settings, ask: &Update) -> Result<UpdatedWithHints> {
    let updated = work::update(tx, settings, ask)?;
    let mut names = Vec::new();
    for node in &updated.resolved {
        names.extend(covering(tx, node)?);
    }
    names.sort_unstable();
    names.dedup();
    let omitted = names.len().saturating_sub(HINTED);
    names.truncate(HINTED);
    let graph_hints = (!names.is_empty()).then_some(AtomHints { atoms: names, omitted });
    Ok(UpdatedWithHints { updated, graph_hints })
}

/// `advance`; closing names the atoms that cover the task's files.
pub fn advance(tx: &Write<'_>, settings: &Settings, ask: &Advance) -> Result<Advanced> {
    let mut advanced = work::advance(tx, settings, ask)?.data;
    if let Some(hints) = &mut advanced.graph_hints {
        hints.atoms = covering(tx, &ask.id)?;
        hints.atoms.truncate(HINTED);
    }
    Ok(advanced)
}

/// The atoms that cover a node's own files, by name.
fn covering(tx: &Read<'_>, node: &str) -> Result<Vec<String>> {
    if !knowledge::covers_anything(tx)? {
        return Ok(Vec::new());
    }
    let (project, links) = work::links_of(tx, node)?;
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let paths: Vec<String> = files(tx, &links).into_iter().map(|(_, path)| path).collect();
    knowledge::covering(tx, &project, &paths)
}

/// What else to tell about files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Include {
    /// Open work whose context links name them.
    Work,
    /// Requirements, decisions and more of the KB that are about them.
    Kb,
}

/// What is known about files, and what is going on there.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// What is known.
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

/// The files that `query_graph context` is about, and what to include.
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

/// `query_graph context`. Includes the KB only where the caller passes its setting.
pub fn context(
    tx: &Read<'_>,
    settings: &Settings,
    ask: &AskContext,
    kb: Option<&kb::Setting>,
) -> Result<Context> {
    let AskContext { project, paths, changelog, include } = ask;
    let Spread { files: paths, note } = spread(tx, knowledge::normalised(tx, paths)?);
    let ask = knowledge::Context { project: project.clone(), paths, changelog: *changelog };
    let known = Surroundings { note, ..knowledge::context(tx, &ask)? };
    let paths = ask.paths;
    let mut context = Context { known, work: None, work_omitted: 0, kb: None, kb_omitted: 0 };
    if include.contains(&Include::Work) {
        let project = work::project_id(tx, "projectId", project.as_deref())?;
        let (open, omitted) = work::open_on(tx, settings, Some(&project), &paths, work::LISTED)?;
        let open = open.into_iter();
        let open = open.map(|open| Placed::of(open, PLACES, |open| &mut open.paths));
        (context.work, context.work_omitted) = (Some(open.collect()), omitted);
    }
    if let Some(setting) = kb.filter(|_| include.contains(&Include::Kb)) {
        let (touching, omitted) = kb::touching(tx, setting, &paths)?;
        let touching = touching.into_iter();
        let touching = touching.map(|fact| Placed::of(fact, PLACES, |fact| &mut fact.paths));
        (context.kb, context.kb_omitted) = (Some(touching.collect()), omitted);
    }
    Ok(context)
}
