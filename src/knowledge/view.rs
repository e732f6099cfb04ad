//! How stored atoms and molecules are shown: with names for ids, and within an answer's room.

use super::{
    store::{atoms, changelog, molecules},
    types::{Atom, EntityType, Entry, Knowledge, Molecule, RelatedAtom, RelatedMolecule},
};
use crate::{
    base::{Result, page::Budget},
    db::Read,
};

/// Makes the parts of one answer; texts that no longer fit are counted.
pub(super) struct View<'a, 'c> {
    tx: &'a Read<'c>,
    changelog: usize,
    room: Budget,
    left_out: usize,
}

impl<'a, 'c> View<'a, 'c> {
    /// An answer with `changelog` entries of each thing and at most `chars` characters of texts.
    pub(super) fn new(tx: &'a Read<'c>, changelog: usize, chars: usize) -> Self {
        View { tx, changelog, room: Budget::new(chars), left_out: 0 }
    }

    /// Texts that there was no room for.
    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    pub(super) fn knowledge(&mut self, text: String) -> Result<Knowledge> {
        Ok(if self.room.admit(&text)? {
            Knowledge { knowledge: Some(text), knowledge_bytes: 0 }
        } else {
            self.left_out += 1;
            Knowledge { knowledge: None, knowledge_bytes: text.len() }
        })
    }

    pub(super) fn changelog(&mut self, of: EntityType, id: &str) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        if self.changelog > 0 {
            for entry in changelog::latest(self.tx, of, id, self.changelog, 0)? {
                if !self.room.admit(&entry)? {
                    self.left_out += 1;
                    break;
                }
                entries.push(Entry { id: None, ..entry });
            }
        }
        Ok(entries)
    }

    pub(super) fn related_atoms(&self, of: &atoms::Record) -> Result<Vec<RelatedAtom>> {
        let one = |relation: &super::AtomRelation| {
            let name = atoms::name(self.tx, &relation.atom_id)?;
            Ok(RelatedAtom {
                atom_id: relation.atom_id.clone(),
                missing: name.is_none(),
                name,
                reason: relation.reason.clone(),
            })
        };
        of.related.iter().map(one).collect()
    }

    pub(super) fn related_molecules(&self, of: &molecules::Record) -> Result<Vec<RelatedMolecule>> {
        let one = |relation: &super::MoleculeRelation| {
            let name = molecules::name(self.tx, &relation.molecule_id)?;
            Ok(RelatedMolecule {
                molecule_id: relation.molecule_id.clone(),
                missing: name.is_none(),
                name,
                reason: relation.reason.clone(),
            })
        };
        of.related.iter().map(one).collect()
    }

    pub(super) fn atom(&mut self, record: atoms::Record) -> Result<Atom> {
        Ok(Atom {
            related_atoms: self.related_atoms(&record)?,
            knowledge: self.knowledge(record.knowledge)?,
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
            related_molecules: self.related_molecules(&record)?,
            knowledge: self.knowledge(record.knowledge)?,
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
