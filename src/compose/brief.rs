//! `graph_brief`: what to know before files are touched, in one response of a given size.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;

mod changes;
mod fit;
mod room;
mod shape;

pub use changes::LastChange;
pub use shape::{BriefAtom, BriefMolecule, BriefNode, Briefing, LeftOut, Placed};

use super::{
    Around,
    expand::{Expanded, expand},
};
use crate::{
    base::{Domain, Fault, Result},
    db::Read,
    kb::{self, Check, Touching, Violation},
    knowledge::{self, ContextAtom, ContextMolecule, Surroundings},
    work::{self, OpenWork},
};
use changes::{Concerned, last_changes};

/// Tokens of the response where the caller does not say.
const TOKENS: usize = 1_500;
/// Open nodes that are read, so that claimed ones can come first.
const OPEN: usize = 200;
/// Paths that each item lists at most.
const PATHS: usize = 5;

/// A call of `graph_brief`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Brief {
    #[schemars(extend("format" = "csv"))]
    pub paths: Option<Vec<String>>,
    /// Its files instead
    pub node_id: Option<String>,
    pub project: Option<String>,
    /// Default 1500
    #[schemars(range(min = 200, max = 10_000))]
    pub max_tokens: Option<usize>,
}

/// Returns what to know about files, or about those of a node.
pub fn brief(tx: &Read<'_>, around: &Around<'_>, ask: &Brief) -> Result<Briefing> {
    let mut briefing = Briefing { note: around.note(), ..Briefing::default() };
    let files = match (&ask.paths, &ask.node_id) {
        (Some(paths), None) if paths.is_empty() => {
            return Err(Fault::invalid(
                "paths",
                "is empty: list the files that you are going to change",
            )
            .into());
        }
        (Some(paths), None) => knowledge::normalised(tx, paths)?,
        (None, Some(id)) => {
            let subject = work::subject(tx, around.settings, id)?;
            let files = super::files::files(tx, &subject.links);
            if files.is_empty() {
                briefing.note = Some(format!(
                    "neither {} nor its ancestors name a file: add some with graph_update add_context_links",
                    subject.id
                ));
            }
            let work::Subject { id, summary, claimed_by, .. } = subject;
            briefing.node = Some(BriefNode { id, summary, claimed_by });
            files
        }
        (Some(_), Some(_)) => {
            let problem = "cannot be combined with `paths`: leave out one of them";
            return Err(Fault::invalid("node_id", problem).into());
        }
        (None, None) => {
            let problem =
                "is missing: list the files that you are going to change, or a node by `node_id`";
            return Err(Fault::invalid("paths", problem).into());
        }
    };
    let project = ask.project.as_deref().map(|name| work::project_id(tx, "project", Some(name)));
    let project = project.transpose()?;
    let Expanded { files: mut asked, note } = expand(tx, files);
    briefing.note = briefing.note.or(note);
    // Two spellings of a path are one file.
    let mut seen = BTreeSet::new();
    asked.retain(|(_, path)| seen.insert(path.clone()));
    briefing.files = asked.len();
    let gathered = gather(tx, around, project.as_deref(), &asked, briefing.node.as_ref())?;
    gathered.fit(briefing, ask.max_tokens.unwrap_or(TOKENS))
}

/// Everything that was found, the most useful of each kind first, and what was not read.
#[derive(Debug, Default)]
struct Gathered {
    atoms: Vec<BriefAtom>,
    molecules: Vec<BriefMolecule>,
    failing: Vec<Violation>,
    kb: Vec<Placed<Touching>>,
    work: Vec<Placed<OpenWork>>,
    changes: Vec<LastChange>,
    unknown: Vec<String>,
    left_out: LeftOut,
}

fn gather(
    tx: &Read<'_>,
    around: &Around<'_>,
    project: Option<&str>,
    asked: &[(String, String)],
    node: Option<&BriefNode>,
) -> Result<Gathered> {
    let mut gathered = Gathered::default();
    let mut unknown = asked.to_vec();
    let mut known = Vec::new();
    let with_knowledge = around.has(Domain::Knowledge);
    if with_knowledge {
        let projects = match project {
            Some(project) => vec![project.to_owned()],
            None => knowledge::projects(tx)?,
        };
        for project in projects {
            let ask = knowledge::Context {
                project: Some(project.clone()),
                paths: asked.to_vec(),
                changelog: 0,
            };
            let found = knowledge::context(tx, &ask)?;
            unknown = knowledge::uncovered(tx, &project, unknown)?;
            gathered.left_out.atoms += found.atoms_omitted;
            known.push((project, found));
        }
    }
    let atoms = gathered.add_known(tx, known)?;

    let (mut open, omitted) = work::open_on(tx, around.settings, project, asked, OPEN)?;
    open.retain(|work| node.is_none_or(|node| node.id != work.id));
    open.sort_by_key(|work| work.claimed_by.is_none());
    gathered.left_out.work = omitted;

    let (mut facts, mut failing) = (Vec::new(), Vec::new());
    if let Some(setting) = around.kb {
        (facts, gathered.left_out.kb) = kb::touching(tx, setting, asked)?;
        unknown.retain(|(path, _)| !facts.iter().any(|fact| fact.paths.contains(path)));
        if !facts.is_empty() {
            let ids = facts.iter().map(|fact| fact.id.clone()).collect();
            failing = kb::check(tx, setting, &Check { ids, ..Check::default() })?.violations;
            failing.sort_by_key(|violation| violation.severity != "error");
        }
        let errors = failing.iter().filter(|it| it.severity == "error");
        let wrong: BTreeSet<&str> = errors.map(|it| it.entity.as_str()).collect();
        facts.sort_by_key(|fact| {
            let kind = ["req", "adr"].iter().position(|kind| *kind == fact.r#type);
            (!wrong.contains(fact.id.as_str()), kind.unwrap_or(2))
        });
    }
    let paths: Vec<&str> = asked.iter().map(|(_, path)| path.as_str()).collect();
    let concerned = Concerned { atoms: &atoms, work: &open, kb: &facts, paths: &paths };
    let last = last_changes(tx, around, project, &concerned)?;
    (gathered.left_out.changes, gathered.left_out.older) = (last.omitted, last.older);
    gathered.changes = last.changes;
    gathered.failing = failing;
    let facts = facts.into_iter();
    gathered.kb = facts.map(|fact| Placed::of(fact, PATHS, |fact| &mut fact.paths)).collect();
    let open = open.into_iter();
    gathered.work = open.map(|open| Placed::of(open, PATHS, |open| &mut open.paths)).collect();
    if with_knowledge {
        gathered.unknown = unknown.into_iter().map(|(spelling, _)| spelling).collect();
    }
    Ok(gathered)
}

impl Gathered {
    /// Adds what is known, the most useful first, and returns the atoms.
    fn add_known(
        &mut self,
        tx: &Read<'_>,
        known: Vec<(String, Surroundings)>,
    ) -> Result<Vec<ContextAtom>> {
        let several = known.iter().filter(|(_, found)| !is_empty(found)).count() > 1;
        let mut atoms: Vec<(ContextAtom, Option<String>, Option<String>)> = Vec::new();
        for (project, found) in known {
            let project = match several {
                true => Some(work::project_name(tx, &project)?),
                false => None,
            };
            for molecule in found.molecules {
                let ContextMolecule { id, name, knowledge, atoms: members, .. } = molecule;
                atoms.extend(
                    members.into_iter().map(|atom| (atom, project.clone(), Some(name.clone()))),
                );
                if knowledge.knowledge.as_deref() != Some("") {
                    let (text, bytes) = (knowledge.knowledge, knowledge.knowledge_bytes);
                    self.molecules.push(BriefMolecule {
                        id,
                        name,
                        knowledge: text,
                        knowledge_bytes: bytes,
                    });
                }
            }
            let orphans = found.orphan_atoms.into_iter();
            atoms.extend(orphans.map(|atom| (atom, project.clone(), None)));
        }
        atoms.sort_by_cached_key(|(atom, ..)| {
            let covered = atom.matched_paths.len() + atom.matched_omitted;
            let narrow = atom.matched_patterns.iter().map(|pattern| narrowness(pattern)).max();
            (std::cmp::Reverse((covered, narrow)), atom.name.clone(), atom.id.clone())
        });
        for (atom, project, molecule) in &atoms {
            let mut paths = atom.matched_paths.clone();
            let paths_omitted = atom.matched_omitted + paths.len().saturating_sub(PATHS);
            paths.truncate(PATHS);
            self.atoms.push(BriefAtom {
                id: atom.id.clone(),
                name: atom.name.clone(),
                project: project.clone(),
                molecule: molecule.clone(),
                knowledge: atom.knowledge.knowledge.clone(),
                knowledge_bytes: atom.knowledge.knowledge_bytes,
                freshness: atom.freshness.clone(),
                paths,
                paths_omitted,
            });
        }
        Ok(atoms.into_iter().map(|(atom, ..)| atom).collect())
    }
}

fn is_empty(found: &Surroundings) -> bool {
    found.molecules.is_empty() && found.orphan_atoms.is_empty()
}

/// The bytes of a pattern before its first wildcard.
fn narrowness(pattern: &str) -> usize {
    pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len())
}
