//! `graph doctor`: is the file sound, which settings are in force and why, where are we in git.

use clap::Args;
use serde_json::{Value, json};

use self::sections::{database, field, kb_state, repository, rows, settings};
use super::{
    Shell,
    format::number,
    output::{BAD, Done, Failure, GOOD, NEXT, Outcome, Output, QUIET, STRONG, WARN, plain, styled},
};
use crate::{
    app::{GitState, Health},
    base::{
        Error, Fault, Hint,
        hint::{cmd, hint, tool},
    },
    config::Config,
    kb::KbState,
    knowledge::IdlePattern,
};

mod sections;

/// Patterns without a file that are listed.
const IDLE: usize = 20;

/// Something that is wrong, and what to do about it.
#[derive(Debug)]
struct Problem {
    what: String,
    advice: Hint,
}

/// Whether to repair.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Repair what follows from something else: counters, the text index, rows kept for finding things
    #[arg(long)]
    pub fix: bool,
}

/// Looks everything over; exit code 1 when something is wrong, or was left wrong.
pub fn run(ask: &Doctor, shell: &mut Shell) -> Outcome {
    let config = shell.app.config().clone();
    let git = GitState::of(&config.directory);
    let (mut health, mut problems) = match shell.is_new() {
        true => (None, Vec::new()),
        false => examine(shell)?,
    };
    let mut repaired = Vec::new();
    if ask.fix && health.is_some() {
        let done = shell.app.repair(&shell.ctx, &mut repaired);
        (health, problems) = examine(shell)?;
        match done {
            Ok(()) => {}
            Err(Error::Fault(fault)) => problems.push(Problem::from(*fault)),
            Err(error) => return Err(error.into()),
        }
    }
    // What a file that cannot be read knows cannot be compared with anything.
    let idle = match health {
        Some(_) if problems.is_empty() => shell.app.idle_patterns(&shell.ctx)?,
        _ => Vec::new(),
    };
    let kb = match health {
        Some(_) if problems.is_empty() => {
            let state = shell.app.kb_state(&shell.ctx);
            told(state, &mut problems)?.flatten()
        }
        _ => None,
    };
    let stale = match kb {
        Some(_) => {
            let stale = shell.app.stale_branches(&shell.ctx);
            told(stale, &mut problems)?.unwrap_or_default()
        }
        None => Vec::new(),
    };
    problems.extend(GitState::broken(&config.directory).map(|dot_git| Problem {
        what: format!("{} leads to no repository", dot_git.display()),
        advice: "git status shows more; git worktree repair mends links".into(),
    }));
    if shell.out.json {
        let mut object = object(&config, git.as_ref(), health.as_ref(), &problems);
        object["idle_patterns"] = json!(idle);
        object["kb"] = json!(kb);
        object["stale_branches"] = json!(stale);
        if ask.fix {
            object["repaired"] = json!(repaired);
        }
        shell.out.object(&object)?;
    } else {
        let out = &mut shell.out;
        let binary = std::env::current_exe().map(|path| path.display().to_string());
        let binary = binary.unwrap_or_else(|_| "unknown path".to_owned());
        out.line(format_args!("{} {}", styled(STRONG, "graph"), env!("CARGO_PKG_VERSION")))?;
        field(out, "binary", plain(&binary))?;
        database(&config, health.as_ref(), out)?;
        settings(&config, out)?;
        repository(git.as_ref(), out)?;
        let about_kb = kb.as_ref().map(|state| kb_remarks(state, &stale)).unwrap_or_default();
        kb.as_ref().map_or(Ok(()), |state| kb_state(state, &about_kb, &config, out))?;
        remarks(&idle, out)?;
        repairs(&repaired, out)?;
        verdict(&problems, idle.is_empty() && about_kb.is_empty(), out)?;
    }
    Ok(if problems.is_empty() { Done::Ok } else { Done::Violations })
}

/// The file's health and everything wrong with it; a file that cannot be opened is a finding, not a failure.
fn examine(shell: &mut Shell) -> Result<(Option<Health>, Vec<Problem>), Failure> {
    let health = match shell.app.health(&shell.ctx) {
        Ok(health) => health,
        Err(Error::Fault(fault)) => return Ok((None, vec![Problem::from(*fault)])),
        Err(error) => return Err(error.into()),
    };
    let mut problems: Vec<Problem> = Vec::new();
    let mut found = |what: String, advice: Hint| problems.push(Problem { what, advice });
    for problem in &health.file.problems {
        found(
            format!("the file is damaged: {problem}"),
            "stop every server on it and restore a copy; `sqlite3 graph.db .recover` reads out what is left".into(),
        );
    }
    for miscount in &health.miscounts {
        found(format!("a counter is wrong: {miscount}"), advice(miscount));
    }
    if let Some(ahead) = health.ahead {
        found(
            format!(
                "the newest event is dated {ahead}, which is in the future: a clock was or is wrong"
            ),
            "correct the clock; new events keep that date until it is reached, their order and claims do not depend on it".into(),
        );
    }
    if health.file.journal_mode != "wal" {
        found(
            format!("the journal mode is {}, not wal", health.file.journal_mode),
            "move the file to a local disk: network file systems cannot share it between processes"
                .into(),
        );
    }
    Ok((Some(health), problems))
}

/// What was asked for; a fault is a finding, such as settings of the KB that cannot be used.
fn told<T>(
    answer: crate::base::Result<T>,
    problems: &mut Vec<Problem>,
) -> Result<Option<T>, Failure> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Error::Fault(fault)) => {
            problems.push(Problem::from(*fault));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        let advice = match &fault.hint {
            // This is that command.
            Some(hint) => hint
                .without("graph doctor")
                .unwrap_or_else(|| "keep a copy of the file as it is, and restore a backup".into()),
            None => "choose another file with --db".into(),
        };
        Problem { what: format!("{} ({})", fault.message, fault.code), advice }
    }
}

/// What is no error in the KB, but should be known.
fn kb_remarks(state: &KbState, stale: &[String]) -> Vec<Hint> {
    let counted = [
        (state.unsynced, "file", "to sync: ", "graph kb sync", ""),
        (state.unreadable, "file", "with problems: ", "graph kb sync", " shows them"),
        (stale.len(), "store", "of deleted branches: ", "graph kb gc", " lists them"),
    ];
    let counted = counted.into_iter().filter(|(count, ..)| *count > 0);
    let counted = counted.map(|(count, noun, what, run, does)| {
        hint![format!("{} {what}", number(count, noun)), cmd(run), does]
    });
    let mut remarks: Vec<_> = counted.collect();
    if state.default_missing {
        remarks.push("git has no branch of the default's name: \"defaultBranch\" in .kb/config.json names another".into());
    }
    if !state.configured {
        remarks.push(hint![
            "there is no .kb/config.json here: ",
            cmd("graph kb init"),
            " makes one"
        ]);
    }
    remarks
}

/// What to do about something that is kept twice and does not agree.
fn advice(miscount: &str) -> Hint {
    let lost = ["contents of a memory", "no text"];
    match lost.iter().any(|what| miscount.contains(what)) {
        true => "keep a copy of the file and report this; restore a backup to repair it".into(),
        false => {
            hint!["keep a copy of the file with ", cmd("graph backup"); cmd("graph doctor --fix"), " repairs it"]
        }
    }
}

/// What was put right.
fn repairs(repaired: &[String], out: &mut Output) -> std::io::Result<()> {
    if repaired.is_empty() {
        return Ok(());
    }
    out.heading("repaired")?;
    repaired
        .iter()
        .try_for_each(|done| out.line(format_args!("  {} {}", styled(GOOD, "✓"), plain(done))))
}

/// No errors: patterns that match no file any more, because files were moved or deleted.
fn remarks(idle: &[IdlePattern], out: &mut Output) -> std::io::Result<()> {
    if idle.is_empty() {
        return Ok(());
    }
    out.heading("knowledge")?;
    for IdlePattern { atom, name, pattern } in idle.iter().take(IDLE) {
        let (pattern, name) = (plain(pattern), plain(name));
        let atom = styled(QUIET, atom);
        out.line(format_args!(
            "  {} {pattern} matches no file of the repository: {name}  {atom}",
            styled(WARN, "!")
        ))?;
    }
    if idle.len() > IDLE {
        out.line(styled(QUIET, format_args!("  … and {} more", idle.len() - IDLE)))?;
    }
    let advice = out.hint(&hint![tool("manage_graph"), " update gives an atom other paths"]);
    out.line(format_args!("  {} {advice}", styled(NEXT, "→")))
}

fn verdict(problems: &[Problem], quiet: bool, out: &mut Output) -> std::io::Result<()> {
    out.gap()?;
    if problems.is_empty() {
        let well = if quiet { "no problems found" } else { "no errors; see the lines with !" };
        return out.line(styled(GOOD, well));
    }
    for problem in problems {
        out.line(format_args!("{} {}", styled(BAD, "✗"), plain(&problem.what)))?;
        let advice = out.hint(&problem.advice);
        out.line(format_args!("  {} {}", styled(NEXT, "→"), plain(&advice)))?;
    }
    Ok(())
}

fn object(
    config: &Config,
    git: Option<&GitState>,
    health: Option<&Health>,
    problems: &[Problem],
) -> Value {
    let settings: serde_json::Map<_, _> = rows(config)
        .into_iter()
        .map(|row| (row.key.to_owned(), json!({ "value": row.value, "source": row.source })))
        .collect();
    let git = git.map(|git| {
        json!({
            "root": git.root.display().to_string(),
            "main_root": git.main_root.display().to_string(),
            "branch": git.branch,
            "head": git.head,
            "linked_worktree": git.linked_worktree,
        })
    });
    let problems: Vec<_> = problems
        .iter()
        .map(|problem| json!({ "problem": problem.what, "advice": problem.advice }))
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "database": health,
        "settings": settings,
        "git": git,
        "problems": problems,
    })
}
