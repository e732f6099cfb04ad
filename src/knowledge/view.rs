//! How stored atoms and molecules are returned: with names for ids, and within the size of a response.

use serde::Serialize;

use super::{
    store::{atoms, changelog, molecules},
    types::{
        Atom, AtomRelation, EntityType, Entry, Knowledge, Molecule, MoleculeRelation, RelatedAtom,
        RelatedMolecule,
    },
};
use crate::{
    base::{
        Result,
        page::{self, Budget},
    },
    db::Read,
    fresh::{About, Freshness, Marks},
};

/// Builds the parts of one response; texts and relations that do not fit are counted.
pub(super) struct View<'a, 'c> {
    tx: &'a Read<'c>,
    marks: Marks<'a, 'c>,
    changelog: usize,
    room: Budget,
    whole: bool,
    left_out: usize,
}

impl<'a, 'c> View<'a, 'c> {
    /// A response with `changelog` entries of each thing and at most `chars` characters of texts and relations.
    pub(super) fn new(tx: &'a Read<'c>, changelog: usize, chars: usize) -> Self {
        let (marks, room) = (Marks::new(tx), Budget::new(chars).strict());
        View { tx, marks, changelog, room, whole: false, left_out: 0 }
    }

    /// A response with one thing that was requested by its id: only its changelog may be shortened.
    pub(super) fn of_one(tx: &'a Read<'c>, changelog: usize) -> Self {
        View { whole: true, ..View::new(tx, changelog, page::MAX_CHARS) }
    }

    /// What did not fit.
    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    pub(super) fn knowledge(&mut self, text: String) -> Result<Knowledge> {
        Ok(if self.room.admit(&text)? || self.whole {
            Knowledge { knowledge: Some(text), knowledge_bytes: 0 }
        } else {
            self.left_out += 1;
            Knowledge { knowledge: None, knowledge_bytes: text.len() }
        })
    }

    pub(super) fn changelog(&mut self, of: EntityType, id: &str) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        if self.changelog > 0 {
            let latest = changelog::latest(self.tx, of, id, self.changelog, 0)?;
            let there = latest.len();
            for entry in latest {
                if !self.room.admit(&entry)? {
                    // An older one is not shown in its place.
                    break;
                }
                entries.push(Entry { id: None, ..entry });
            }
            self.left_out += there - entries.len();
        }
        Ok(entries)
    }

    pub(super) fn related_atoms(&mut self, of: &[AtomRelation]) -> Result<Vec<RelatedAtom>> {
        let mut related = Vec::with_capacity(of.len());
        for relation in of {
            let name = atoms::name(self.tx, &relation.atom_id)?;
            let one = RelatedAtom {
                atom_id: relation.atom_id.clone(),
                missing: name.is_none(),
                name,
                reason: relation.reason.clone(),
            };
            if self.has_room(&one)? {
                related.push(one);
            }
        }
        Ok(related)
    }

    pub(super) fn related_molecules(
        &mut self,
        of: &[MoleculeRelation],
    ) -> Result<Vec<RelatedMolecule>> {
        let mut related = Vec::with_capacity(of.len());
        for relation in of {
            let name = molecules::name(self.tx, &relation.molecule_id)?;
            let one = RelatedMolecule {
                molecule_id: relation.molecule_id.clone(),
                missing: name.is_none(),
                name,
                reason: relation.reason.clone(),
            };
            if self.has_room(&one)? {
                related.push(one);
            }
        }
        Ok(related)
    }

    /// Whether a relation is shown; a thing that was requested by its id has all.
    fn has_room(&mut self, relation: &impl Serialize) -> Result<bool> {
        let fits = self.room.admit(relation)? || self.whole;
        self.left_out += usize::from(!fits);
        Ok(fits)
    }

    pub(super) fn freshness(&mut self, of: &atoms::Record) -> Result<Option<Freshness>> {
        let confirmed = atoms::confirmed(self.tx, &of.id)?;
        self.marks.of(confirmed, About::Patterns(&of.paths))
    }

    pub(super) fn atom(&mut self, record: atoms::Record) -> Result<Atom> {
        Ok(Atom {
            freshness: self.freshness(&record)?,
            knowledge: self.knowledge(record.knowledge)?,
            related_atoms: self.related_atoms(&record.related)?,
            changelog: self.changelog(EntityType::Atom, &record.id)?,
            id: record.id,
            project_id: record.project,
            molecule_id: record.molecule,
            name: record.name,
            paths: record.paths,
            created_by_task_id: record.created_by_task,
            last_task_id: record.last_task,
            version: record.version,
            created_at: record.created_at,
            updated_at: record.updated_at,
        })
    }

    pub(super) fn molecule(&mut self, record: molecules::Record) -> Result<Molecule> {
        Ok(Molecule {
            knowledge: self.knowledge(record.knowledge)?,
            related_molecules: self.related_molecules(&record.related)?,
            changelog: self.changelog(EntityType::Molecule, &record.id)?,
            id: record.id,
            project_id: record.project,
            name: record.name,
            created_by_task_id: record.created_by_task,
            last_task_id: record.last_task,
            version: record.version,
            created_at: record.created_at,
            updated_at: record.updated_at,
            atoms: None,
        })
    }
}
