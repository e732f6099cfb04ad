//! `graph kb sync`: documents and manifests into the active branch.

use clap::Args;
use serde::Serialize;

use super::super::{
    Shell,
    format::number,
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, WARN, plain, styled},
};
use crate::{
    app::Patience,
    base::{
        Error, ErrorCode,
        hint::{cmd, hint},
    },
    kb::{FileProblem, Synced},
};

/// Ids of one kind that are shown; `--json` has them all.
const IDS: usize = 10;
/// Problems that a hook prints: it runs beside another command of the person.
const TOLD: usize = 5;

/// Whether to change anything, and for whom.
#[derive(Debug, Args)]
pub struct Sync {
    /// Change nothing; exit code 1 where the branch is out of date
    #[arg(long)]
    pub check: bool,
    /// As git hooks run it: silent while no problems found, never failing
    #[arg(long, conflicts_with = "check")]
    pub hook: bool,
}

/// The result of a sync as JSON.
#[derive(Debug, Serialize)]
struct SyncReport<'a> {
    /// Whether the branch has all content of the readable files.
    up_to_date: bool,
    #[serde(flatten)]
    synced: &'a Synced,
}

/// Syncs, or reports what would be done.
pub fn run(ask: &Sync, shell: &mut Shell) -> Outcome {
    if ask.hook {
        return hook(shell);
    }
    let mut bar = shell.out.progress("reading");
    let synced = shell.app.kb_sync(&shell.ctx, ask.check, |done, all| bar.show(done, all));
    bar.clear();
    let synced = synced?;
    let out = &mut shell.out;
    if out.json {
        // With --check being out of date and having problems both end with exit code 1.
        let up_to_date = !ask.check || synced.is_up_to_date();
        out.object(&SyncReport { up_to_date, synced: &synced })?;
    } else {
        print(&synced, ask.check, out)?;
    }
    let wrong = !synced.problems.is_empty() || ask.check && !synced.is_up_to_date();
    Ok(if wrong { Done::Violations } else { Done::Ok })
}

/// Prints a few lines whatever happens, and git continues.
fn hook(shell: &mut Shell) -> Outcome {
    let synced = shell
        .app
        .set_patience(Patience::Short)
        .and_then(|()| shell.app.kb_sync(&shell.ctx, false, |_, _| {}));
    let out = &mut shell.out;
    match synced {
        Ok(synced) => {
            for problem in synced.problems.iter().take(TOLD) {
                out.note(format_args!("graph kb: {}", place(problem)))?;
            }
            if synced.problems.len() > TOLD {
                let more = synced.problems.len() - TOLD;
                out.note(format_args!("graph kb: … and {more} more; `graph kb sync` shows all"))?;
            }
        }
        Err(Error::Fault(fault)) => {
            let next = match (fault.code, fault.hint) {
                (ErrorCode::Busy, _) | (_, None) => hint!["run ", cmd("graph kb sync"), " later"],
                (_, Some(hint)) => hint,
            };
            let (message, next) = (plain(&fault.message), plain(&out.hint(&next)));
            out.note(format_args!("graph kb: not synced: {message}; {next}"))?;
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Done::Ok)
}

fn print(synced: &Synced, check: bool, out: &mut Output) -> std::io::Result<()> {
    let branch = styled(STRONG, plain(&synced.branch));
    let files = number(synced.files, "file");
    if synced.is_up_to_date() {
        out.line(format_args!("{branch} is up to date  {}", styled(QUIET, files)))?;
    } else if check {
        out.line(format_args!("{branch} is out of date  {}", styled(QUIET, files)))?;
    } else {
        let changeset = synced.changeset.as_deref().unwrap_or_default();
        out.line(format_args!(
            "{branch} synced  {}",
            styled(QUIET, format_args!("{files}, {changeset}"))
        ))?;
    }
    let names = match check {
        true => ["would create", "would update", "would delete"],
        false => ["created", "updated", "deleted"],
    };
    for (name, ids) in names.iter().zip([&synced.created, &synced.updated, &synced.deleted]) {
        if !ids.is_empty() {
            let shown: Vec<_> = ids.iter().take(IDS).map(|id| plain(id)).collect();
            let more = match ids.len().saturating_sub(IDS) {
                0 => String::new(),
                more => format!(" … and {more} more"),
            };
            out.line(format_args!("  {name:<7}  {}{more}", shown.join(" ")))?;
        }
    }
    let links = &synced.relationships;
    let links = [(links.created, names[0]), (links.updated, names[1]), (links.deleted, names[2])];
    let links: Vec<_> = links
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{name} {count}"))
        .collect();
    if !links.is_empty() {
        out.line(format_args!("  {:<7}  {}", "links", links.join(", ")))?;
    }
    for problem in &synced.problems {
        out.line(format_args!("{} {}", styled(WARN, "!"), place(problem)))?;
    }
    if !synced.problems.is_empty() {
        let problems = number(synced.problems.len(), "problem");
        out.line(format_args!("{problems}: the rest counts, set these right and sync again"))?;
    }
    if check && !synced.is_up_to_date() {
        out.line(format_args!("bring it up to date: {}", styled(NEXT, "graph kb sync")))?;
    } else if synced.changeset.is_some() && synced.problems.is_empty() {
        out.line(format_args!("look it over: {}", styled(NEXT, "graph kb check")))?;
    }
    Ok(())
}

/// `docs/adr/1.md:3: why`
fn place(problem: &FileProblem) -> String {
    let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}: {}", plain(&problem.path), plain(&problem.reason))
}
