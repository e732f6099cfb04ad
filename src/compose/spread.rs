//! A question about a directory is one about its files.

use std::collections::BTreeSet;

use crate::{
    db::Read,
    fresh::{Stands, stands_for},
    knowledge,
};

/// The files that a question is about.
#[derive(Debug, Default)]
pub(super) struct Spread {
    /// Each with the path that it means, no more than one question takes.
    pub files: Vec<(String, String)>,
    /// What is too much.
    pub note: Option<String>,
}

/// What the caller named, with all files of a directory in its place. A directory without any, one behind a link, and one that
/// has too many stand for themselves.
pub(super) fn spread(tx: &Read<'_>, asked: Vec<(String, String)>) -> Spread {
    let Some(root) = tx.root() else {
        return Spread { files: asked, note: None };
    };
    let mut spread = Spread::default();
    let mut say = |note: String| {
        spread.note.get_or_insert(note);
    };
    let (mut named, mut below) = (BTreeSet::new(), BTreeSet::new());
    for (spelling, path) in asked {
        match stands_for(root, &path) {
            Stands::Files(files) => {
                let files = files.into_iter().filter(|file| !named.contains(file));
                let files: Vec<String> = files.filter(|file| below.insert(file.clone())).collect();
                spread.files.extend(files.into_iter().map(|file| (file.clone(), file)));
                continue;
            }
            Stands::TooMany => {
                say(format!("`{path}` has too many files to be looked at: name some of them"));
            }
            Stands::Itself => {}
        }
        if !below.contains(&path) {
            named.insert(path.clone());
            spread.files.push((spelling, path));
        }
    }
    let (all, most) = (spread.files.len(), knowledge::limits::PATHS);
    if all > most {
        say(format!("these are {all} files, and this is about the first {most} of them"));
        spread.files.truncate(most);
    }
    spread
}
