//! `graph kb branch [NAME]`: the stores of all branches, or the first use of one.

use clap::Args;
use serde_json::json;

use super::super::{
    Shell, completions,
    format::count,
    output::{Done, GOOD, NEXT, Outcome, Output, QUIET, STRONG, WARN, plain, styled},
};
use crate::kb::{BranchInfo, Branches, Ensured};

/// Which branch.
#[derive(Debug, Args)]
pub struct Branch {
    /// Make sure that this branch has a store
    pub name: Option<String>,
    /// Give it the store of this branch, which is gone: it was renamed, and git has forgotten it
    #[arg(long, value_name = "OLD", requires = "name", add = completions::branches())]
    pub take: Option<String>,
}

/// Lists the stores, or creates one.
pub fn run(ask: &Branch, shell: &mut Shell) -> Outcome {
    let Some(name) = &ask.name else {
        super::check_there(shell)?;
        let branches = shell.app.kb_branches(&shell.ctx)?;
        let out = &mut shell.out;
        match out.json {
            true => out.object(&branches)?,
            false => print(&branches, out)?,
        }
        return Ok(Done::Ok);
    };
    let done = shell.app.kb_ensure(&shell.ctx, name, ask.take.as_deref())?;
    let out = &mut shell.out;
    if out.json {
        out.object(&json!({ "branch": name, "store": words(done) }))?;
        return Ok(Done::Ok);
    }
    let outcome = match done {
        Ensured::Present => "is there",
        Ensured::Made => "made, empty",
        Ensured::Copied => "made as a copy of the default branch's",
        Ensured::Renamed => "taken along from its former name",
    };
    out.line(format_args!("{} store of {} {outcome}", styled(GOOD, "✓"), plain(name)))?;
    Ok(Done::Ok)
}

fn print(branches: &Branches, out: &mut Output) -> std::io::Result<()> {
    let Branches { active, default, default_missing: missing, stores, heir } = branches;
    for store in stores {
        let info = &store.info;
        let mark = if info.name == *active { "*" } else { " " };
        let mut notes = vec![holds(info)];
        if info.name == *default {
            notes.push("default".to_owned());
        }
        if let Some(from) = &info.copied_from {
            notes.push(format!("copied from {}", plain(from)));
        }
        let gone = if store.gone { "  gone" } else { "" };
        out.line(format_args!(
            "{} {}  {}{}",
            styled(GOOD, mark),
            styled(STRONG, plain(&info.name)),
            styled(QUIET, notes.join(", ")),
            styled(WARN, gone)
        ))?;
    }
    if !stores.iter().any(|store| store.info.name == *active) {
        let note = match heir {
            Some(heir) => format!("its first use takes along the store of {}", plain(heir)),
            None => "no store yet: its first use creates it".to_owned(),
        };
        let note = styled(QUIET, note);
        out.line(format_args!("{} {}  {note}", styled(GOOD, "*"), plain(active)))?;
    }
    if *missing && !active.starts_with('@') {
        out.gap()?;
        default_missing(default, active, out)?;
    }
    if stores.iter().any(|store| store.gone) {
        out.gap()?;
        out.line(format_args!("stores without a branch: {}", styled(NEXT, "graph kb gc")))?;
    }
    Ok(())
}

/// Points out that new branches begin as a copy of a branch that git does not have.
pub fn default_missing(default: &str, active: &str, out: &mut Output) -> std::io::Result<()> {
    let (default, active) = (plain(default), plain(active));
    out.line(format_args!(
        "{} git has no branch {default}, and new branches begin as a copy of its store",
        styled(WARN, "!")
    ))?;
    let setting = format!("\"defaultBranch\": \"{active}\" in .kb/config.json");
    out.line(format_args!("  {} if {active} is the default here: {setting}", styled(NEXT, "→")))
}

/// `3 entities, 2 links`
pub fn holds(info: &BranchInfo) -> String {
    format!("{}, {}", count(info.entities, "entity"), count(info.relationships, "link"))
}

/// What a first use did, as one word.
pub fn words(done: Ensured) -> &'static str {
    match done {
        Ensured::Present => "present",
        Ensured::Made => "made",
        Ensured::Copied => "copied",
        Ensured::Renamed => "renamed",
    }
}
