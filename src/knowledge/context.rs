//! `query_graph context`: the knowledge about given files.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    matching::{self, Matched},
    search::end_of_page,
    store::{atoms, molecules},
    types::{EntityType, Entry, Knowledge, RelatedAtom, RelatedMolecule, limits},
    validate,
    view::View,
};
use crate::{
    base::{
        Result,
        page::{self, Budget},
        text,
        wire::is_zero,
    },
    db::Read,
    fresh::Freshness,
};

/// Characters of atoms without their texts. The texts have the rest of the response, with what is left of this.
const HEADS: usize = 24_000;
/// Characters of an atom besides its id, its name and its first path.
const FRAME: usize = 200;
/// Characters of the paths that no atom covers.
const UNMATCHED: usize = 4_000;

#[derive(Debug, Clone, Default)]
pub struct Context {
    /// Name or root id; the only project if left out.
    pub project: Option<String>,
    /// The arguments as the caller wrote them, each with its normalised path.
    pub paths: Vec<(String, String)>,
    /// Changelog entries of each atom and molecule.
    pub changelog: usize,
}

/// The knowledge about the requested files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Surroundings {
    pub molecules: Vec<ContextMolecule>,
    /// Atoms without molecule, by name.
    pub orphan_atoms: Vec<ContextAtom>,
    /// Paths that no atom covers, in the requested order.
    pub unmatched_paths: Vec<String>,
    /// Texts and relations that did not fit; `get` reads each by its id.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// Matching atoms that did not fit at all: request fewer paths.
    #[serde(skip_serializing_if = "is_zero")]
    pub atoms_omitted: usize,
    /// Paths without an atom that did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub unmatched_omitted: usize,
    /// Why it is not about everything that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A molecule with a matching atom.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextMolecule {
    pub id: String,
    pub name: String,
    #[serde(flatten)]
    pub knowledge: Knowledge,
    pub version: i64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_molecules: Vec<RelatedMolecule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<Entry>,
    /// Its matching atoms, by name.
    pub atoms: Vec<ContextAtom>,
}

/// A matching atom.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextAtom {
    pub id: String,
    pub name: String,
    #[serde(flatten)]
    pub knowledge: Knowledge,
    pub version: i64,
    /// Whether its files changed since it was last confirmed; absent outside git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// The matching paths, in the order and spelling of the request.
    pub matched_paths: Vec<String>,
    /// Matching paths that did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub matched_omitted: usize,
    /// Its matching patterns: shown on the command line, left out by the tool to save tokens.
    #[serde(skip)]
    pub matched_patterns: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_atoms: Vec<RelatedAtom>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<Entry>,
}

/// Returns the knowledge about the paths.
pub fn context(tx: &Read<'_>, ask: &Context) -> Result<Surroundings> {
    let project = validate::project(tx, ask.project.as_deref())?;
    let asked = &ask.paths;
    let paths: Vec<&str> = asked.iter().map(|(_, path)| path.as_str()).collect();
    let mut matched = matching::matches(tx, &project, &paths)?;

    let covered: BTreeSet<usize> = matched.values().flat_map(|one| &one.paths).copied().collect();
    let mut found = Surroundings::default();
    let mut heads = Budget::framed(HEADS, FRAME);
    let ids: Vec<&str> = matched.keys().map(String::as_str).collect();
    let mut records = atoms::among(tx, &ids)?;
    // The list of atoms has priority over the paths that they cover, and those over their texts.
    let named = records.len();
    let first = |atom: &atoms::Record| matched.get(&atom.id).and_then(|one| one.paths.first());
    let fit = end_of_page(&records, |atom| {
        heads.admit(&(&atom.id, &atom.name, first(atom).map(|at| &asked[*at].0)))
    })?;
    records.truncate(fit);
    found.atoms_omitted = named - fit;
    for atom in &records {
        if let Some(matched) = matched.get_mut(&atom.id) {
            matched.fit(&mut heads, asked)?;
        }
    }
    let groups: BTreeSet<&str> =
        records.iter().filter_map(|atom| atom.molecule.as_deref()).collect();
    let groups: Vec<&str> = groups.into_iter().collect();
    let groups = molecules::among(tx, &groups)?;

    let mut members: BTreeMap<Option<String>, Vec<atoms::Record>> = BTreeMap::new();
    for record in records {
        members.entry(record.molecule.clone()).or_default().push(record);
    }
    let mut view = View::new(tx, ask.changelog, page::MAX_CHARS - HEADS - UNMATCHED + heads.left());
    for molecule in groups {
        let atoms = members.remove(&Some(molecule.id.clone())).unwrap_or_default();
        found.molecules.push(ContextMolecule {
            knowledge: view.knowledge(molecule.knowledge)?,
            related_molecules: view.related_molecules(&molecule.related)?,
            changelog: view.changelog(EntityType::Molecule, &molecule.id)?,
            atoms: atoms
                .into_iter()
                .map(|atom| context_atom(&mut view, atom, &mut matched, asked))
                .collect::<Result<_>>()?,
            id: molecule.id,
            name: molecule.name,
            version: molecule.version,
        });
    }
    for atom in members.into_values().flatten() {
        found.orphan_atoms.push(context_atom(&mut view, atom, &mut matched, asked)?);
    }
    let unmatched = asked.iter().enumerate().filter(|(at, _)| !covered.contains(at));
    found.unmatched_paths = unmatched.map(|(_, (spelling, _))| spelling.clone()).collect();
    found.unmatched_omitted = page::cut(&mut found.unmatched_paths, UNMATCHED)?;
    found.left_out = view.left_out();
    Ok(found)
}

impl Matched {
    /// Keeps all paths if they fit, else the first.
    fn fit(&mut self, room: &mut Budget, asked: &[(String, String)]) -> Result<()> {
        let rest: Vec<&str> = self.paths.iter().skip(1).map(|at| asked[*at].0.as_str()).collect();
        if !rest.is_empty() && !room.admit(&rest)? {
            self.omitted = rest.len();
            self.paths.truncate(1);
        }
        Ok(())
    }
}

/// The argument `paths` without duplicates, each spelling with its normalised path.
pub fn normalised(tx: &Read<'_>, spellings: &[String]) -> Result<Vec<(String, String)>> {
    text::check_count("paths", spellings.len(), limits::PATHS)?;
    let mut seen = BTreeSet::new();
    let mut asked = Vec::with_capacity(spellings.len());
    for (index, spelling) in spellings.iter().enumerate() {
        let field = format!("paths[{index}]");
        text::check_size(&field, spelling.len(), limits::PATH)?;
        if seen.insert(spelling) {
            asked.push((spelling.clone(), tx.path(&field, spelling)?));
        }
    }
    Ok(asked)
}

fn context_atom(
    view: &mut View<'_, '_>,
    atom: atoms::Record,
    matched: &mut BTreeMap<String, Matched>,
    asked: &[(String, String)],
) -> Result<ContextAtom> {
    let Matched { paths, patterns, omitted } = matched.remove(&atom.id).unwrap_or_default();
    Ok(ContextAtom {
        freshness: view.freshness(&atom)?,
        knowledge: view.knowledge(atom.knowledge)?,
        related_atoms: view.related_atoms(&atom.related)?,
        changelog: view.changelog(EntityType::Atom, &atom.id)?,
        matched_paths: paths.into_iter().map(|at| asked[at].0.clone()).collect(),
        matched_omitted: omitted,
        matched_patterns: patterns,
        id: atom.id,
        name: atom.name,
        version: atom.version,
    })
}
