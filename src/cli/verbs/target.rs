//! What a command is about: ids, their beginnings, and text that may come from standard input.

use super::super::{Shell, output::Failure};
use crate::{
    app::Read,
    base::{ErrorCode, Fault, Result, hint::Hint},
    knowledge::{self, EntityType},
    memory, work,
};

/// Ids that an ambiguous beginning names.
const CANDIDATES: usize = 10;
/// Atoms of a project that are searched for a name.
pub const ATOMS: usize = 100_000;

/// A text that was given, or standard input for `-`.
pub fn text(given: &str, shell: &Shell) -> std::result::Result<String, Failure> {
    match given {
        "-" => Ok(shell.standard_input()?.trim_end().to_owned()),
        given => Ok(given.to_owned()),
    }
}

/// The ids that were given; `-` means the first word of each line of standard input.
pub fn listed(given: &[String], shell: &Shell) -> std::result::Result<Vec<String>, Failure> {
    let mut ids = Vec::with_capacity(given.len());
    for id in given {
        if id == "-" {
            let input = shell.standard_input()?;
            let words = input.lines().filter_map(|line| line.split_whitespace().next());
            ids.extend(words.map(str::to_owned));
        } else {
            ids.push(id.trim().to_owned());
        }
    }
    if ids.is_empty() {
        return Err(usage("no id was given", "name at least one"));
    }
    Ok(ids)
}

/// A command line that does not make sense.
pub fn usage(message: &str, hint: impl Into<Hint>) -> Failure {
    Failure::Usage { message: message.to_owned(), hint: hint.into() }
}

/// The nodes that are meant, each once.
pub fn nodes(tx: &Read<'_>, field: &str, given: &[String]) -> Result<Vec<String>> {
    let mut ids: Vec<String> = Vec::with_capacity(given.len());
    for id in given {
        let id = node(tx, field, id)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// The node that is meant: its id, the name of its project, or a unique beginning of the id.
pub fn node(tx: &Read<'_>, field: &str, given: &str) -> Result<String> {
    if let Some(opened) = work::find_project(tx, given)?
        && let Some(root) = opened.root
    {
        return Ok(root.id);
    }
    let beginning = given.len() > work::ID_PREFIX.len() && given.starts_with(work::ID_PREFIX);
    let found = match beginning {
        true => work::complete_nodes(tx, given, CANDIDATES)?.values,
        false => Vec::new(),
    };
    // What is not found is reported as everywhere else, with the nearest id.
    unique(field, given, found)?.map_or_else(|| work::node_id(tx, field, given), Ok)
}

/// The atom that is meant: its id, a unique beginning of the id, or its name.
pub fn atom(tx: &Read<'_>, given: &str) -> Result<String> {
    let found = knowledge::complete(tx, EntityType::Atom, given, CANDIDATES)?;
    if let Some(id) = unique("ATOM", given, found.values)? {
        return Ok(id);
    }
    let mut named = Vec::new();
    for project in knowledge::projects(tx)? {
        let atoms = knowledge::names(tx, EntityType::Atom, &project, ATOMS)?;
        named.extend(atoms.into_iter().filter(|atom| atom.name == given).map(|atom| atom.id));
    }
    Ok(unique("ATOM", given, named)?.unwrap_or_else(|| given.to_owned()))
}

/// The memory that is meant: its id, or a unique beginning of the id.
pub fn memory(tx: &Read<'_>, given: &str) -> Result<String> {
    let found = match given.is_empty() {
        true => Vec::new(),
        false => memory::complete(tx, given, CANDIDATES)?.values,
    };
    Ok(unique("ID", given, found)?.unwrap_or_else(|| given.to_owned()))
}

/// The only one of the ids, or none where there is none.
fn unique(field: &str, given: &str, mut ids: Vec<String>) -> Result<Option<String>> {
    if let Some(exact) = ids.iter().position(|id| id == given) {
        return Ok(Some(ids.swap_remove(exact)));
    }
    match ids.len() {
        0 | 1 => Ok(ids.pop()),
        _ => {
            let message = format!("{field}: `{given}` may be {}", ids.join(" or "));
            Err(Fault::new(ErrorCode::ValidationError, message).hint("type more of the id").into())
        }
    }
}
