//! `query_graph context`: what to know about these files.

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

/// Characters of atoms without their texts, which have the rest of the answer and whatever of this is left.
const HEADS: usize = 24_000;
/// Those of an atom beside its id, its name and its first path.
const FRAME: usize = 200;
/// Characters of paths that nothing covers.
const UNMATCHED: usize = 4_000;

/// Which files.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// Name or root id; the only project if left out.
    pub project: Option<String>,
    /// As the caller spells them, each with the path that it means.
    pub paths: Vec<(String, String)>,
    /// Changelog entries of each atom and molecule.
    pub changelog: usize,
}

/// What is known about the files that were asked about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Surroundings {
    /// By name.
    pub molecules: Vec<ContextMolecule>,
    /// Atoms without molecule, by name.
    pub orphan_atoms: Vec<ContextAtom>,
    /// Paths that no atom covers, in the order asked.
    pub unmatched_paths: Vec<String>,
    /// Texts and relations that there was no room for; `get` reads each by its id.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// Atoms that matched and that there was no room for at all: ask about fewer paths.
    #[serde(skip_serializing_if = "is_zero")]
    pub atoms_omitted: usize,
    /// Paths without an atom that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub unmatched_omitted: usize,
    /// Why it is not about all that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A molecule that has an atom that matched.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextMolecule {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What to know about the whole of it.
    #[serde(flatten)]
    pub knowledge: Knowledge,
    /// For an update.
    pub version: i64,
    /// What it has to do with other molecules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_molecules: Vec<RelatedMolecule>,
    /// The latest entries, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<Entry>,
    /// Its atoms that matched, by name.
    pub atoms: Vec<ContextAtom>,
}

/// An atom that matched.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextAtom {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What to know about it.
    #[serde(flatten)]
    pub knowledge: Knowledge,
    /// For an update.
    pub version: i64,
    /// Whether its files are those that it was last confirmed of; absent outside git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// Which of the paths matched, in the order and spelling asked.
    pub matched_paths: Vec<String>,
    /// Paths that matched and are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub matched_omitted: usize,
    /// Which of its patterns matched; people see them, models save their tokens.
    #[serde(skip)]
    pub matched_patterns: Vec<String>,
    /// What it has to do with other atoms.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_atoms: Vec<RelatedAtom>,
    /// The latest entries, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<Entry>,
}

/// Returns everything that is known about the paths.
pub fn context(tx: &Read<'_>, ask: &Context) -> Result<Surroundings> {
    let project = validate::project(tx, ask.project.as_deref())?;
    let asked = &ask.paths;
    let paths: Vec<&str> = asked.iter().map(|(_, path)| path.as_str()).collect();
    let mut matched = matching::matches(tx, &project, &paths)?;

    let covered: BTreeSet<usize> = matched.values().flat_map(|one| &one.paths).copied().collect();
    let mut answer = Surroundings::default();
    let mut heads = Budget::framed(HEADS, FRAME);
    let ids: Vec<&str> = matched.keys().map(String::as_str).collect();
    let mut records = atoms::among(tx, &ids)?;
    // Which atoms there are comes before all that they cover, and that before what they say.
    let named = records.len();
    let first = |atom: &atoms::Record| matched.get(&atom.id).and_then(|one| one.paths.first());
    let fit = end_of_page(&records, |atom| {
        heads.admit(&(&atom.id, &atom.name, first(atom).map(|at| &asked[*at].0)))
    })?;
    records.truncate(fit);
    answer.atoms_omitted = named - fit;
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
        answer.molecules.push(ContextMolecule {
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
        answer.orphan_atoms.push(context_atom(&mut view, atom, &mut matched, asked)?);
    }
    let unmatched = asked.iter().enumerate().filter(|(at, _)| !covered.contains(at));
    answer.unmatched_paths = unmatched.map(|(_, (spelling, _))| spelling.clone()).collect();
    answer.unmatched_omitted = page::cut(&mut answer.unmatched_paths, UNMATCHED)?;
    answer.left_out = view.left_out();
    Ok(answer)
}

impl Matched {
    /// Keeps all paths where there is room for them, else the first.
    fn fit(&mut self, room: &mut Budget, asked: &[(String, String)]) -> Result<()> {
        let rest: Vec<&str> = self.paths.iter().skip(1).map(|at| asked[*at].0.as_str()).collect();
        if !rest.is_empty() && !room.admit(&rest)? {
            self.omitted = rest.len();
            self.paths.truncate(1);
        }
        Ok(())
    }
}

/// Each spelling of the argument `paths` once, with the path that it means.
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
