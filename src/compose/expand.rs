//! Replaces the directories that a caller names by their files.

use std::collections::BTreeSet;

use crate::{
    db::Read,
    fresh::{Stands, stands_for},
    knowledge,
};

/// The files that a call is about.
#[derive(Debug, Default)]
pub(super) struct Expanded {
    /// Each spelling with the path that it means, at most as many as one call may name.
    pub files: Vec<(String, String)>,
    /// What is left out.
    pub note: Option<String>,
}

/// Replaces each directory by all its files. A directory without files, one behind a symbolic link, and one with too many
/// files stay as they are.
pub(super) fn expand(tx: &Read<'_>, named: Vec<(String, String)>) -> Expanded {
    let Some(root) = tx.root() else {
        return Expanded { files: named, note: None };
    };
    let mut expanded = Expanded::default();
    let mut note = |note: String| {
        expanded.note.get_or_insert(note);
    };
    let (mut seen, mut below) = (BTreeSet::new(), BTreeSet::new());
    for (spelling, path) in named {
        match stands_for(root, &path) {
            Stands::Files(files) => {
                let files = files.into_iter().filter(|file| !seen.contains(file));
                let files: Vec<String> = files.filter(|file| below.insert(file.clone())).collect();
                expanded.files.extend(files.into_iter().map(|file| (file.clone(), file)));
                continue;
            }
            Stands::TooMany => {
                note(format!("`{path}` has too many files to read all of them: name some of them"));
            }
            Stands::Itself => {}
        }
        if !below.contains(&path) {
            seen.insert(path.clone());
            expanded.files.push((spelling, path));
        }
    }
    let (all, most) = (expanded.files.len(), knowledge::limits::PATHS);
    if all > most {
        note(format!("the paths are {all} files; this is about the first {most} of them"));
        expanded.files.truncate(most);
    }
    expanded
}
