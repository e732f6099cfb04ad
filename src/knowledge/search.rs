//! `query_graph search`: a list of atoms or molecules, filtered and paged.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    store::{
        atoms, molecules,
        select::{self, Filter, Page},
    },
    types::{Atom, EntityType, Molecule},
    validate,
    view::View,
};
use crate::{
    base::{
        Fault, Result,
        page::{self, Budget},
        wire::is_zero,
    },
    db::{Needle, Read},
};

/// Characters of names and patterns on a page.
pub(super) const HEADS: usize = 30_000;
/// Characters of an atom besides [`head`]: its keys, its times and its freshness.
pub(super) const FRAME: usize = 350;

#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Name or root id; the only project if left out.
    pub project: Option<String>,
    /// A substring of name or knowledge.
    pub query: Option<String>,
    /// Members of this molecule only.
    pub molecule: Option<String>,
    /// Atoms without molecule only.
    pub orphans_only: bool,
    /// Changelog entries of each.
    pub changelog: usize,
    pub limit: usize,
    pub offset: usize,
}

/// A page of atoms or of molecules, by name.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listed<T> {
    /// By name, then id.
    pub items: Vec<T>,
    pub total: usize,
    pub limit: usize,
    pub offset: usize,
    /// The next offset, if the page ends early because the response is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Texts and relations that did not fit; each can be read by its id.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Item {
    Atom(Atom),
    Molecule(Molecule),
}

/// A page of atoms or molecules that match.
pub fn search(tx: &Read<'_>, kind: EntityType, ask: &Search) -> Result<Listed<Item>> {
    Ok(match kind {
        EntityType::Atom => search_atoms(tx, ask)?.map(Item::Atom),
        EntityType::Molecule => search_molecules(tx, ask)?.map(Item::Molecule),
    })
}

/// A page of atoms that match.
pub fn search_atoms(tx: &Read<'_>, ask: &Search) -> Result<Listed<Atom>> {
    if ask.orphans_only && ask.molecule.is_some() {
        let problem = "contradicts `moleculeId`: an orphan is in no molecule";
        return Err(Fault::invalid("orphansOnly", problem).into());
    }
    let mut filter = filter(tx, ask)?;
    filter.orphans = ask.orphans_only;
    if let Some(molecule) = &ask.molecule {
        let molecule = molecules::get(tx, "moleculeId", molecule)?;
        validate::same_project(&molecule, &filter.project)?;
        filter.molecule = Some(molecule.id);
    }
    let (mut records, total) = select::atoms(tx, &filter, ask.page())?;
    let mut heads = Budget::framed(HEADS, FRAME);
    let full = end_of_page(&records, |atom| heads.admit(&head(atom)))?;
    records.truncate(full);
    let mut view = View::new(tx, ask.changelog, texts(records.len()));
    let items = records.into_iter().map(|record| view.atom(record)).collect::<Result<_>>()?;
    Ok(ask.listed(items, total, &view))
}

/// A page of molecules that match.
pub fn search_molecules(tx: &Read<'_>, ask: &Search) -> Result<Listed<Molecule>> {
    let (mut records, total) = select::molecules(tx, &filter(tx, ask)?, ask.page())?;
    let mut heads = Budget::framed(HEADS, FRAME);
    let full = end_of_page(&records, |molecule| heads.admit(&(&molecule.id, &molecule.name)))?;
    records.truncate(full);
    let mut view = View::new(tx, ask.changelog, texts(records.len()));
    let items = records.into_iter().map(|record| view.molecule(record)).collect::<Result<_>>()?;
    Ok(ask.listed(items, total, &view))
}

/// Characters of texts on a page: a single one is complete.
fn texts(items: usize) -> usize {
    if items == 1 { page::MAX_CHARS } else { page::DEFAULT_CHARS }
}

/// The name and the patterns of an atom, which have priority over its knowledge in a list.
pub(super) fn head(atom: &atoms::Record) -> impl Serialize {
    (&atom.id, &atom.project, &atom.molecule, &atom.name, &atom.paths, &atom.last_task)
}

/// How many of the records fit into a response.
pub(super) fn end_of_page<T>(
    records: &[T],
    mut fits: impl FnMut(&T) -> Result<bool>,
) -> Result<usize> {
    for (at, record) in records.iter().enumerate() {
        if !fits(record)? {
            return Ok(at);
        }
    }
    Ok(records.len())
}

/// How many atoms and molecules a project has.
pub fn count(tx: &Read<'_>, project: &str) -> Result<(usize, usize)> {
    select::count(tx, project)
}

fn filter(tx: &Read<'_>, ask: &Search) -> Result<Filter> {
    let project = validate::project(tx, ask.project.as_deref())?;
    let text = ask.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    let text = text.map(|text| Needle::new("query", text)).transpose()?;
    Ok(Filter { project, text, ..Filter::default() })
}

impl Search {
    fn page(&self) -> Page {
        Page { limit: self.limit, offset: self.offset }
    }

    fn listed<T>(&self, items: Vec<T>, total: usize, view: &View<'_, '_>) -> Listed<T> {
        let end = self.offset.saturating_add(items.len());
        let next_offset = (items.len() < self.limit && end < total).then_some(end);
        let Search { limit, offset, .. } = *self;
        Listed { items, total, limit, offset, next_offset, left_out: view.left_out() }
    }
}

impl<T> Listed<T> {
    fn map<U>(self, f: impl FnMut(T) -> U) -> Listed<U> {
        Listed {
            items: self.items.into_iter().map(f).collect(),
            total: self.total,
            limit: self.limit,
            offset: self.offset,
            next_offset: self.next_offset,
            left_out: self.left_out,
        }
    }
}
