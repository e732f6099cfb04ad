//! Filtered lists of atoms and molecules, by name.

use rusqlite::{Row, types::Value};

use super::{atoms, molecules};
use crate::{
    base::{Domain, Result},
    db::{self, IndexedText, Names, Needle, Read, Source, subjects_sql},
    knowledge::{complete::Named, types::EntityType},
};

#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// The project's root.
    pub project: String,
    /// A text that the name or the knowledge contains.
    pub text: Option<Needle>,
    /// Members of this molecule only.
    pub molecule: Option<String>,
    /// Atoms without molecule only.
    pub orphans: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Page {
    pub limit: usize,
    pub offset: usize,
}

impl Filter {
    /// The condition, and the values bound in it.
    fn sql(&self) -> (String, Vec<Value>) {
        // The text index returns few rows: because of the plus, no index of the project is used instead.
        let mut sql = match &self.text {
            Some(Needle::Phrase(_)) => "+project_id = ?1".to_owned(),
            _ => "project_id = ?1".to_owned(),
        };
        let mut bound = vec![Value::from(self.project.clone())];
        match &self.text {
            Some(Needle::Phrase(phrase)) => {
                bound.push(phrase.clone().into());
                sql += &format!(" AND id IN ({})", subjects_sql(Domain::Knowledge, bound.len()));
            }
            Some(Needle::Short(text)) => {
                bound.push(text.clone().into());
                let at = bound.len();
                sql += &format!(" AND (instr(fold(name), ?{at}) OR instr(fold(knowledge), ?{at}))");
            }
            None => {}
        }
        if let Some(molecule) = &self.molecule {
            bound.push(molecule.clone().into());
            sql += &format!(" AND molecule_id = ?{}", bound.len());
        }
        if self.orphans {
            sql += " AND molecule_id IS NULL";
        }
        (sql, bound)
    }
}

/// A page of atoms, and the total.
pub fn atoms(tx: &Read<'_>, filter: &Filter, page: Page) -> Result<(Vec<atoms::Record>, usize)> {
    list(tx, "graph_atoms", atoms::COLUMNS, filter, page, atoms::from_row)
}

/// A page of molecules, and the total.
pub fn molecules(
    tx: &Read<'_>,
    filter: &Filter,
    page: Page,
) -> Result<(Vec<molecules::Record>, usize)> {
    list(tx, "graph_molecules", molecules::COLUMNS, filter, page, molecules::from_row)
}

/// How many atoms and molecules a project has.
pub fn count(tx: &Read<'_>, project: &str) -> Result<(usize, usize)> {
    let count = tx.one(
        "SELECT (SELECT count(*) FROM graph_atoms WHERE project_id = ?1),
                (SELECT count(*) FROM graph_molecules WHERE project_id = ?1)",
        [project],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(count.unwrap_or_default())
}

/// The name and the knowledge of an atom or a molecule.
pub fn title_and_text(tx: &Read<'_>, id: &str) -> Result<Option<IndexedText>> {
    tx.one(
        "SELECT 'atom', name, knowledge FROM graph_atoms WHERE id = ?1
          UNION ALL SELECT 'molecule', name, knowledge FROM graph_molecules WHERE id = ?1",
        [id],
        |row| {
            Ok(IndexedText {
                id: id.to_owned(),
                kind: row.get(0)?,
                title: row.get(1)?,
                text: row.get(2)?,
            })
        },
    )
}

/// The atoms and molecules of all projects whose name or knowledge contains a folded text, by name. Reads them all.
pub fn with_text(tx: &Read<'_>, folded: &str, limit: usize) -> Result<Vec<String>> {
    tx.all(
        "SELECT id, name FROM graph_atoms WHERE instr(fold(name), ?1) > 0 OR instr(fold(knowledge), ?1) > 0
          UNION ALL
         SELECT id, name FROM graph_molecules WHERE instr(fold(name), ?1) > 0 OR instr(fold(knowledge), ?1) > 0
          ORDER BY name, id LIMIT ?2",
        (folded, limit),
        |row| row.get(0),
    )
}

fn list<T>(
    tx: &Read<'_>,
    table: &str,
    columns: &str,
    filter: &Filter,
    page: Page,
    from_row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<(Vec<T>, usize)> {
    let (condition, mut bound) = filter.sql();
    let total = tx.one(
        &format!("SELECT count(*) FROM {table} WHERE {condition}"),
        rusqlite::params_from_iter(&bound),
        |row| row.get(0),
    )?;
    bound.extend([number(page.limit), number(page.offset)]);
    let at = bound.len();
    let sql = format!(
        "SELECT {columns} FROM {table} WHERE {condition} ORDER BY name, id LIMIT ?{} OFFSET ?{at}",
        at - 1
    );
    let rows = tx.all(&sql, rusqlite::params_from_iter(&bound), from_row)?;
    Ok((rows, total.unwrap_or(0)))
}

fn number(count: usize) -> Value {
    Value::from(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Ids that begin with `prefix`.
pub fn beginning(tx: &Read<'_>, of: EntityType, prefix: &str, limit: usize) -> Result<Names> {
    let source = Source { table: table(of), column: "id", within: None };
    db::beginning(tx, source, prefix, limit)
}

/// The first of a project, by name.
pub fn names(tx: &Read<'_>, of: EntityType, project: &str, limit: usize) -> Result<Vec<Named>> {
    tx.all(
        &format!(
            "SELECT id, name FROM {} WHERE project_id = ?1 ORDER BY name, id LIMIT ?2",
            table(of)
        ),
        (project, limit),
        |row| Ok(Named { id: row.get(0)?, name: row.get(1)? }),
    )
}

fn table(of: EntityType) -> &'static str {
    match of {
        EntityType::Atom => "graph_atoms",
        EntityType::Molecule => "graph_molecules",
    }
}
