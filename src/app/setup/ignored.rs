//! `.gitignore`: a database belongs to one machine, and is not committed.

use std::path::Path;

use super::{Act, Step, Undo, line_end, resolve, text_of};
use crate::{
    base::Result,
    os::{
        files::{Ruled, ruled},
        git::Repository,
    },
};

const FILE: &str = ".gitignore";
const ABOUT: &str = "keeps the database out of git";
/// The line above the patterns, by which people find them to remove them.
const HEADING: &str = "# graph: the database, its WAL and its backups";

/// What a pattern adds to the name of the database, and examples of what it matches.
const ENDINGS: [(&str, &[&str]); 3] =
    [("", &[""]), ("-*", &["-wal", "-shm"]), (".*", &[".v1.bak"])];

/// Plans to add the missing patterns to the file of the working tree.
pub fn step(repository: Option<&Repository>, root: &Path, db: &Path) -> Result<Step> {
    let unneeded = |why| Ok(Step::new(FILE, ABOUT, Act::Unneeded(why)));
    let Some(repository) = repository else {
        return unneeded("this is not a git repository");
    };
    // By default the database is in the main working tree, also for linked ones.
    let inside = db.strip_prefix(root).or_else(|_| db.strip_prefix(&repository.main_root));
    let Some(path) = inside.ok().and_then(Path::to_str) else {
        return unneeded("the database is outside of the repository");
    };
    let path = path.replace('\\', "/");
    let text = match text_of(root, FILE)? {
        Ok(text) => text,
        Err(problem) => return Ok(Step::new(FILE, ABOUT, Act::Left(problem))),
    };
    let rules = [repository.exclude_file(), resolve(root, FILE)?];
    let says = |ending: &&str| ruled(root, &rules, &format!("{path}{ending}"));
    let mut missing = Vec::new();
    for (pattern, examples) in ENDINGS {
        let said: Vec<Ruled> = examples.iter().map(says).collect();
        if said.contains(&Ruled::Kept) {
            let reason = format!("a rule with `!` keeps {path}{pattern} in git");
            return Ok(Step::new(FILE, ABOUT, Act::Left(reason)));
        }
        if said.contains(&Ruled::Not) {
            missing.push(format!("/{}{pattern}", literal(&path)));
        }
    }
    if missing.is_empty() {
        return Ok(Step::new(FILE, ABOUT, Act::Present));
    }
    Ok(match text {
        None => {
            let text = format!("{HEADING}\n{}\n", missing.join("\n"));
            Step::new(FILE, ABOUT, Act::Create(text)).undo(Undo::Remove(FILE.to_owned()))
        }
        Some(text) => {
            let undo = Undo::Words(undo_words(!text.is_empty(), missing.len()));
            Step::new(FILE, ABOUT, Act::Extend(extended(&text, &missing))).undo(undo)
        }
    })
}

/// How to undo what [`extended`] adds.
fn undo_words(apart: bool, patterns: usize) -> String {
    let above = if apart { ", the blank line above it" } else { "" };
    let below = match patterns {
        1 => "the line below it".to_owned(),
        _ => format!("the {patterns} lines below it"),
    };
    format!("remove the line `{HEADING}`{above} and {below}")
}

/// The text with the patterns at its end, and with the line end that it uses.
fn extended(text: &str, patterns: &[String]) -> String {
    let end = line_end(text);
    let mut extended = text.to_owned();
    if !text.is_empty() {
        if !text.ends_with('\n') {
            extended.push_str(end);
        }
        extended.push_str(end);
    }
    for line in [HEADING].into_iter().chain(patterns.iter().map(String::as_str)) {
        extended.push_str(line);
        extended.push_str(end);
    }
    extended
}

/// A pattern that matches only this path.
fn literal(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for character in path.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '\\' | ' ' | '!' | '#') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_present_text_and_its_line_ends_are_kept() {
        let patterns = ["/graph.db".to_owned()];
        for (text, expected) in [
            ("", format!("{HEADING}\n/graph.db\n")),
            ("a\n", format!("a\n\n{HEADING}\n/graph.db\n")),
            ("a", format!("a\n\n{HEADING}\n/graph.db\n")),
            ("a\r\nb", format!("a\r\nb\r\n\r\n{HEADING}\r\n/graph.db\r\n")),
        ] {
            assert_eq!(extended(text, &patterns), expected, "{text:?}");
        }
    }

    #[test]
    fn special_characters_of_a_name_are_escaped() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(FILE);
        for name in ["graph.db", "a b/[x]*.db", "!odd#.db", "tail .db"] {
            std::fs::write(&file, format!("/{}\n", literal(name))).unwrap();
            let says = |path: &str| ruled(directory.path(), std::slice::from_ref(&file), path);
            assert_eq!(says(name), Ruled::Ignored, "{name}");
            assert_eq!(says(&format!("{name}x")), Ruled::Not, "{name}");
            assert_eq!(says("a b/x1.db"), Ruled::Not, "{name}");
        }
    }
}
