//! `manage_graph`: one flat call for six commands, each with the fields that it has a use for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{needed, refuse_unused};
use crate::{
    app::App,
    base::{
        Ctx, Fault, Result,
        wire::{Envelope, present},
    },
    knowledge::{
        self, AtomRelation, AtomUpdate, Changes, Delete, Deleted, EntityType, KnowledgeMode,
        MoleculeRelation, MoleculeUpdate, NewAtom, NewMolecule, Written,
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ManageOperation {
    Create,
    Update,
    Delete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Overwrite,
    Append,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ManageGraph {
    operation: ManageOperation,
    entity_type: EntityType,
    id: Option<String>,
    /// As you have seen it
    #[schemars(range(min = 1))]
    version: Option<i64>,
    project_id: Option<String>,
    name: Option<String>,
    paths: Option<Vec<Glob>>,
    knowledge: Option<String>,
    knowledge_mode: Option<Mode>,
    /// null takes it out
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("nullable" = true))]
    molecule_id: Option<Option<String>>,
    related_atoms: Option<Vec<AtomRelation>>,
    related_molecules: Option<Vec<MoleculeRelation>>,
    created_by_task_id: Option<String>,
    last_task_id: Option<String>,
    /// Still true
    confirm: Option<bool>,
    /// Delete its atoms too
    cascade: Option<bool>,
}

/// A text that is never read as JSON.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Glob(#[schemars(extend("format" = "glob"))] String);

/// The response of a write, under the name of the type that was written.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Wrote {
    Atom(Written),
    Molecule(Written),
    #[serde(untagged)]
    Deleted(Deleted),
}

pub(super) fn manage_graph(app: &mut App, ctx: &Ctx, ask: ManageGraph) -> Result<Envelope<Wrote>> {
    ask.check_fields()?;
    let wrote = match (ask.operation, ask.entity_type) {
        (ManageOperation::Create, EntityType::Atom) => {
            let new = ask.into_atom()?;
            Wrote::Atom(app.write(ctx, |tx| knowledge::create_atom(tx, &new))?)
        }
        (ManageOperation::Create, EntityType::Molecule) => {
            let new = ask.into_molecule()?;
            Wrote::Molecule(app.write(ctx, |tx| knowledge::create_molecule(tx, &new))?)
        }
        (ManageOperation::Update, EntityType::Atom) => {
            let update = ask.into_atom_update()?;
            Wrote::Atom(app.write(ctx, |tx| knowledge::update_atom(tx, &update))?)
        }
        (ManageOperation::Update, EntityType::Molecule) => {
            let update = ask.into_molecule_update()?;
            Wrote::Molecule(app.write(ctx, |tx| knowledge::update_molecule(tx, &update))?)
        }
        (ManageOperation::Delete, _) => {
            let delete = ask.into_delete()?;
            Wrote::Deleted(app.write(ctx, |tx| knowledge::delete(tx, &delete))?)
        }
    };
    Ok(Envelope::new(wrote))
}

impl ManageGraph {
    /// Refuses what the operation or the kind has no use for.
    fn check_fields(&self) -> Result<()> {
        let (create, update, delete) = (
            self.operation == ManageOperation::Create,
            self.operation == ManageOperation::Update,
            self.operation == ManageOperation::Delete,
        );
        let (atom, molecule) =
            (self.entity_type == EntityType::Atom, self.entity_type == EntityType::Molecule);
        let operation = match self.operation {
            ManageOperation::Create => "create",
            ManageOperation::Update => "update",
            ManageOperation::Delete => "delete",
        };
        refuse_unused(
            &format!("{operation} of {}", if atom { "an atom" } else { "a molecule" }),
            &[
                ("id", create && self.id.is_some()),
                ("version", create && self.version.is_some()),
                ("projectId", delete && self.project_id.is_some()),
                ("name", delete && self.name.is_some()),
                ("paths", (delete || molecule) && self.paths.is_some()),
                ("knowledge", delete && self.knowledge.is_some()),
                ("knowledgeMode", !update && self.knowledge_mode.is_some()),
                ("moleculeId", (delete || molecule) && self.molecule_id.is_some()),
                ("relatedAtoms", (delete || molecule) && self.related_atoms.is_some()),
                ("relatedMolecules", (delete || atom) && self.related_molecules.is_some()),
                ("createdByTaskId", !create && self.created_by_task_id.is_some()),
                ("lastTaskId", create && self.last_task_id.is_some()),
                ("confirm", (!update || molecule) && self.confirm.is_some()),
                ("cascade", (!delete || atom) && self.cascade == Some(true)),
            ],
        )?;
        if self.knowledge_mode.is_some() && self.knowledge.is_none() {
            let problem = "needs `knowledge`, which is missing";
            return Err(Fault::invalid("knowledgeMode", problem).into());
        }
        Ok(())
    }

    fn into_atom(self) -> Result<NewAtom> {
        Ok(NewAtom {
            project: self.project_id,
            molecule: self.molecule_id.flatten(),
            name: needed("name", "create", self.name)?,
            paths: globs(needed("paths", "create of an atom", self.paths)?),
            knowledge: self.knowledge.unwrap_or_default(),
            related: self.related_atoms.unwrap_or_default(),
            task: self.created_by_task_id,
        })
    }

    fn into_molecule(self) -> Result<NewMolecule> {
        Ok(NewMolecule {
            project: self.project_id,
            name: needed("name", "create", self.name)?,
            knowledge: self.knowledge.unwrap_or_default(),
            related: self.related_molecules.unwrap_or_default(),
            task: self.created_by_task_id,
        })
    }

    fn into_atom_update(mut self) -> Result<AtomUpdate> {
        Ok(AtomUpdate {
            paths: self.paths.take().map(globs),
            molecule: self.molecule_id.take(),
            related: self.related_atoms.take(),
            confirm: self.confirm == Some(true),
            changes: self.into_changes()?,
        })
    }

    fn into_molecule_update(mut self) -> Result<MoleculeUpdate> {
        Ok(MoleculeUpdate { related: self.related_molecules.take(), changes: self.into_changes()? })
    }

    fn into_changes(self) -> Result<Changes> {
        let mode = match self.knowledge_mode {
            Some(Mode::Append) => KnowledgeMode::Append,
            Some(Mode::Overwrite) | None => KnowledgeMode::Overwrite,
        };
        Ok(Changes {
            id: needed("id", "update", self.id)?,
            version: needed("version", "update", self.version)?,
            project: self.project_id,
            name: self.name,
            knowledge: self.knowledge.map(|knowledge| (knowledge, mode)),
            task: self.last_task_id,
        })
    }

    fn into_delete(self) -> Result<Delete> {
        Ok(Delete {
            entity_type: self.entity_type,
            id: needed("id", "delete", self.id)?,
            version: needed("version", "delete", self.version)?,
            cascade: self.cascade.unwrap_or(false),
            task: self.last_task_id,
        })
    }
}

fn globs(globs: Vec<Glob>) -> Vec<String> {
    globs.into_iter().map(|glob| glob.0).collect()
}
