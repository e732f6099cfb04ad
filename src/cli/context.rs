//! `graph context PATH…`: what an agent should know about these files.

use std::path::{Component, Path, PathBuf};

use clap::{Args, ValueHint};

use super::{
    Shell,
    format::freshness,
    output::{
        Done, Failure, NEXT, Outcome, Output, QUIET, STRONG, WARN, block, brief, plain, styled,
    },
    tree::mark,
};
use crate::{
    base::{Error, Fault, text::shorten, wire::Envelope},
    compose::{self, AskContext, Include},
    kb::Touching,
    knowledge::{self, ContextAtom, Entry, Knowledge},
    work::OpenWork,
};

/// About which files.
#[derive(Debug, Args)]
pub struct Context {
    /// Files or directories, relative to where you are
    #[arg(required = true, value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,
    /// The project's name; may be left out when there is only one
    #[arg(long, value_name = "NAME", add = super::completions::projects())]
    pub project: Option<String>,
    /// Changelog entries to show of each
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub changelog: u8,
}

/// Shows what is known about the files, and what is being done there.
pub fn run(ask: &Context, shell: &mut Shell) -> Outcome {
    shell.out.enveloped = true;
    shell.out.fields = super::knowledge::OPTIONS;
    let mut paths = named(&ask.paths, shell)?;
    bound(&mut paths, shell)?;
    let wanted = AskContext {
        project: ask.project.clone(),
        paths,
        changelog: ask.changelog.into(),
        include: vec![Include::Work, Include::Kb],
    };
    let settings = shell.app.work();
    // What is known about the files is shown even where the KB cannot be read.
    let kb = match shell.app.kb(None) {
        Ok(setting) => Some(setting),
        Err(Error::Fault(fault)) => {
            shell.out.note(format_args!("nothing from the KB: {}", plain(&fault.message)))?;
            None
        }
        Err(error) => return Err(error.into()),
    };
    let found = shell.read(|tx| compose::context(tx, &settings, &wanted, kb.as_ref()))?;
    if shell.out.json {
        shell.out.object(&Envelope::new(found))?;
        return Ok(Done::Ok);
    }
    print(&found, &mut shell.out)?;
    Ok(Done::Ok)
}

/// The files and directories that were named, as seen from the root; all that is in it where that is one of them.
pub(super) fn named(paths: &[String], shell: &Shell) -> Result<Vec<String>, Failure> {
    let (directory, root) = (&shell.app.config().directory, &shell.app.config().root);
    // A symbolic link may have led here: the root is then that of the real place.
    let here = match directory.starts_with(root) {
        true => directory.clone(),
        false => directory.canonicalize().map_err(Failure::Io)?,
    };
    let mut files = Vec::new();
    for path in paths {
        match whole_path(&here, path) == *root {
            true => files.extend(shell.app.top()),
            false => files.push(from_root(root, &here, path)?),
        }
    }
    Ok(files)
}

/// No more files than one question takes, and a word about it where there are more.
pub(super) fn bound(files: &mut Vec<String>, shell: &mut Shell) -> std::io::Result<()> {
    let (all, most) = (files.len(), knowledge::limits::PATHS);
    if all > most {
        shell.out.note(format_args!("{all} files; these are the first {most} of them"))?;
        files.truncate(most);
    }
    Ok(())
}

/// The absolute path, without `.` and `..`: in a shell, paths are relative to the working directory.
fn whole_path(here: &Path, path: &str) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in here.join(path).components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    whole
}

/// The path as it is seen from the root, below which it must lie.
fn from_root(root: &Path, here: &Path, path: &str) -> Result<String, Failure> {
    let whole = whole_path(here, path);
    match whole.strip_prefix(root).map(Path::to_str) {
        Ok(Some(inside)) if !inside.is_empty() => Ok(inside.to_owned()),
        // What is no text, or names the root itself, is refused like any other.
        Ok(_) => Ok(path.to_owned()),
        Err(_) => {
            let problem = format!("has `{}`, which is outside of {}", path, root.display());
            let hint = "give a path inside of it, absolute or relative to the current directory";
            Err(Fault::invalid("paths", problem).hint(hint).into())
        }
    }
}

fn print(found: &compose::Context, out: &mut Output) -> std::io::Result<()> {
    let known = &found.known;
    for molecule in &known.molecules {
        out.line(styled(STRONG, brief(&molecule.name)))?;
        text(out, "  ", &molecule.knowledge)?;
        changelog(out, "  ", &molecule.changelog)?;
        for (index, each) in molecule.atoms.iter().enumerate() {
            atom(out, each, index + 1 == molecule.atoms.len())?;
        }
        out.gap()?;
    }
    if !known.orphan_atoms.is_empty() {
        out.line(styled(QUIET, "(in no molecule)"))?;
        for (index, each) in known.orphan_atoms.iter().enumerate() {
            atom(out, each, index + 1 == known.orphan_atoms.len())?;
        }
        out.gap()?;
    }
    for open in found.work.iter().flatten() {
        open_work(&open.thing, out)?;
    }
    if found.work_omitted > 0 {
        out.line(styled(QUIET, format_args!("… and {} more nodes", found.work_omitted)))?;
    }
    for fact in found.kb.iter().flatten() {
        requirement(&fact.thing, out)?;
    }
    if found.kb_omitted > 0 {
        out.line(styled(QUIET, format_args!("… and {} more of the KB", found.kb_omitted)))?;
    }
    // A file without atoms may be known to the KB.
    let is_known =
        |path: &&String| found.kb.iter().flatten().any(|fact| fact.thing.paths.contains(path));
    let mut unknown = known.unmatched_paths.iter().filter(|path| !is_known(path)).peekable();
    if unknown.peek().is_some() {
        out.gap()?;
        out.line(styled(WARN, "nothing is known about"))?;
        for path in unknown {
            out.line(format_args!("  {}", plain(path)))?;
        }
    }
    if let Some(note) = &known.note {
        out.gap()?;
        out.line(plain(note))?;
    }
    Ok(())
}

/// Open work on the files, and who holds it.
pub(super) fn open_work(open: &OpenWork, out: &mut Output) -> std::io::Result<()> {
    let holder = open.claimed_by.as_deref().map(|by| format!("  claimed by {}", plain(by)));
    let holder = styled(WARN, holder.unwrap_or_default());
    out.line(format_args!(
        "{} {}  {}{holder}",
        mark(open.standing, open.claimed_by.is_some()),
        styled(NEXT, &open.id),
        brief(&open.summary)
    ))?;
    out.line(format_args!("    {}", styled(QUIET, plain(&open.paths.join(", ")))))
}

/// A requirement, a decision or what else is about the files.
pub(super) fn requirement(fact: &Touching, out: &mut Output) -> std::io::Result<()> {
    let Touching { id, r#type, title, status, paths, via, freshness: fresh } = fact;
    out.line(format_args!(
        "{} {}  {}  {}{}",
        styled(WARN, "§"),
        styled(NEXT, plain(id)),
        styled(QUIET, plain(&format!("{type} {status}"))),
        brief(title),
        freshness(fresh.as_ref())
    ))?;
    let why = via.as_ref().map_or_else(|| paths.join(", "), |via| format!("via {via}"));
    out.line(format_args!("    {}", styled(QUIET, plain(&why))))
}

fn atom(out: &mut Output, atom: &ContextAtom, last: bool) -> std::io::Result<()> {
    let (branch, stem) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
    let version = styled(QUIET, format!("v{}  {}", atom.version, atom.id));
    let mark = freshness(atom.freshness.as_ref());
    out.line(format_args!("{branch}{}  {version}{mark}", styled(STRONG, brief(&atom.name))))?;
    let patterns = plain(&atom.matched_patterns.join("  "));
    let paths = plain(&shorten(&atom.matched_paths.join(", "), 200));
    out.line(format_args!(
        "{stem}{} {} {paths}",
        styled(NEXT, patterns),
        styled(QUIET, "matches")
    ))?;
    text(out, stem, &atom.knowledge)?;
    for related in &atom.related_atoms {
        let name = related.name.as_deref().map_or("(gone)".to_owned(), brief);
        let reason = brief(&related.reason);
        out.line(format_args!("{stem}{} {name}: {reason}", styled(QUIET, "see also")))?;
    }
    changelog(out, stem, &atom.changelog)
}

fn text(out: &mut Output, stem: &str, knowledge: &Knowledge) -> std::io::Result<()> {
    match &knowledge.knowledge {
        Some(text) if text.is_empty() => Ok(()),
        Some(text) => out.line(format_args!("{stem}{}", block(text, stem))),
        None => {
            let bytes = knowledge.knowledge_bytes;
            let note = format!("({bytes} bytes not shown: too much at once)");
            out.line(format_args!("{stem}{}", styled(QUIET, note)))
        }
    }
}

fn changelog(out: &mut Output, stem: &str, entries: &[Entry]) -> std::io::Result<()> {
    for entry in entries {
        let at = super::format::when(entry.created_at);
        let head = styled(QUIET, format!("{at} {}", plain(&entry.task_id)));
        out.line(format_args!("{stem}{head} {}", brief(&entry.summary)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_where_one_stands() {
        let (root, here) = (Path::new("/repo"), Path::new("/repo/src"));
        for (path, expected) in [
            ("a.rs", "src/a.rs"),
            ("../README.md", "README.md"),
            ("./deep/../a.rs", "src/a.rs"),
            ("/repo/x", "x"),
        ] {
            assert_eq!(from_root(root, here, path).unwrap(), expected, "{path}");
        }
        for path in ["/etc/passwd", "../../x", "../../repository/x", "/"] {
            assert!(from_root(root, here, path).is_err(), "{path}");
        }
    }
}
