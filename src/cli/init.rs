//! `graph init`: everything that a repository needs, as far as it is not there; a second run changes nothing.

use std::{io, path::Path};

use clap::Args;
use serde_json::{Value, json};

use super::{
    Shell,
    format::number,
    kb,
    next::quoted,
    output::{Done, Failure, GOOD, NEXT, Outcome, Output, QUIET, STRONG, WARN, plain, styled},
};
use crate::{
    app::{Act, Launch, MCP_FILE, Setup, Step, Undo},
    kb::CONFIG_FILE as KB_FILE,
};

/// What to set up beside the settings, the server's entry and what git ignores.
#[derive(Debug, Args)]
pub struct Init {
    /// Set the KB up too: requirements, decisions and tests by git branch, with git hooks
    #[arg(long)]
    pub kb: bool,
    /// Write skills for Claude Code too: discovery, planning, execution
    #[arg(long)]
    pub skills: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Ask nothing; the KB and the skills only where an option names them
    #[arg(long, short)]
    pub yes: bool,
}

/// Sets up, says each thing that was done and how to take it back.
pub fn run(ask: &Init, shell: &mut Shell) -> Outcome {
    let (kb, skills) = parts(ask, shell)?;
    let binary = std::env::current_exe().ok();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let setup = shell.app.setup(&Launch::of(binary.as_deref(), &path), skills)?;
    if !shell.out.json {
        let root = plain(&setup.root.display().to_string());
        let place = if setup.git { "" } else { "  (not a git repository)" };
        shell.out.line(format_args!("{}{place}", styled(STRONG, root)))?;
    }
    let here = shell.app.config().directory == setup.root;
    for step in &setup.steps {
        // Printed at once: what was done stays on the screen if the next step fails.
        if !ask.dry_run {
            setup.apply(step)?;
        }
        if !shell.out.json {
            tell(step, &setup, ask.dry_run, here, &mut shell.out)?;
        }
    }
    let kb = match kb {
        true => Some(kb::set_up(ask.dry_run, shell)?),
        false => None,
    };
    let left = setup.steps.iter().any(|step| matches!(step.act, Act::Left(_)));
    let failed = left || kb.as_ref().is_some_and(kb::SetUp::failed);
    if shell.out.json {
        shell.out.object(&object(&setup, kb.as_ref(), ask.dry_run))?;
    } else {
        let changed = setup.steps.iter().filter(|step| step.changes()).count()
            + kb.as_ref().map_or(0, kb::SetUp::changes);
        ending(ask, changed, &setup, failed, shell)?;
    }
    Ok(if failed { Done::Violations } else { Done::Ok })
}

/// Whether the KB and the skills are wanted: by option, or by an answer at the terminal.
fn parts(ask: &Init, shell: &mut Shell) -> Result<(bool, bool), Failure> {
    let may_ask = !ask.yes && !ask.dry_run && !shell.out.json && shell.out.can_ask();
    let has_kb = shell.app.config().root.join(KB_FILE).exists();
    let has_skills = shell.app.has_skills();
    let mut wanted = |option: bool, there: bool, question: &str| match option || there || !may_ask {
        true => Ok(option),
        false => shell.out.ask(question),
    };
    let kb = "keep requirements and decisions by git branch (.kb, docs/ directories, git hooks)?";
    let skills = "write skills for Claude Code (.claude/skills: discovery, planning, execution)?";
    Ok((wanted(ask.kb, has_kb, kb)?, wanted(ask.skills, has_skills, skills)?))
}

/// One step, as it was taken or would be.
fn tell(step: &Step, setup: &Setup, dry_run: bool, here: bool, out: &mut Output) -> io::Result<()> {
    let width = setup.steps.iter().map(|step| step.path.chars().count()).max().unwrap_or(0);
    let path = plain(&step.path);
    let did = format!("{:<12}", did(&step.act, dry_run));
    let (mark, about) = match &step.act {
        Act::Create(_) | Act::Extend(_) if dry_run => (styled(NEXT, "+"), step.about),
        Act::Left(problem) => (styled(WARN, "!"), problem.as_str()),
        Act::Unneeded(why) => (styled(QUIET, "-"), *why),
        _ => (styled(GOOD, "✓"), step.about),
    };
    let about = styled(QUIET, plain(about));
    out.line(format_args!("{mark} {did}  {path:<width$}  {about}"))?;
    if let Some(note) = &step.note {
        out.line(format_args!("  {:<12}  {}", "", styled(WARN, plain(note))))?;
    }
    let undo = step.undo.as_ref().map(|undo| undone(undo, &setup.root, here));
    match undo {
        Some(undo) => out.line(format_args!("  {:<12}  {}", "", styled(QUIET, plain(&undo)))),
        None => Ok(()),
    }
}

/// What is done, in a word or two.
fn did(act: &Act, dry_run: bool) -> &'static str {
    match (act, dry_run) {
        (Act::Create(_), false) => "created",
        (Act::Create(_), true) => "would create",
        (Act::Extend(_), false) => "added to",
        (Act::Extend(_), true) => "would add to",
        (Act::Present, _) => "is there",
        (Act::Left(_), _) => "left alone",
        (Act::Unneeded(_), _) => "skipped",
    }
}

/// How to take a step back, as a command where there is one.
fn undone(undo: &Undo, root: &Path, here: bool) -> String {
    match undo {
        Undo::Remove(path) => {
            let full = root.join(path).display().to_string();
            let what = quoted(if here { path } else { &full });
            let option =
                if root.join(path).is_dir() || path.starts_with(".claude/") { "-r " } else { "" };
            format!("undo: rm {option}{what}")
        }
        Undo::Words(words) => format!("undo: {words}"),
    }
}

fn ending(
    ask: &Init,
    changed: usize,
    setup: &Setup,
    failed: bool,
    shell: &mut Shell,
) -> io::Result<()> {
    let has_kb = ask.kb || shell.app.config().root.join(KB_FILE).exists();
    let has_skills = ask.skills || shell.app.has_skills();
    let out = &mut shell.out;
    out.gap()?;
    match (changed, ask.dry_run) {
        (0, _) if failed => out.line("nothing was changed")?,
        (0, _) => out.line(styled(GOOD, "nothing to do: everything exists already"))?,
        (changed, true) => {
            let changes = number(changed, "change");
            out.line(format_args!("{changes} to make; nothing was written"))?;
        }
        (changed, false) => {
            out.line(styled(GOOD, format_args!("set up: {}", number(changed, "change"))))?;
        }
    }
    let left: Vec<&Step> =
        setup.steps.iter().filter(|step| matches!(step.act, Act::Left(_))).collect();
    if !left.is_empty() {
        let files = left.iter().map(|step| plain(&step.path)).collect::<Vec<_>>().join(", ");
        out.line(styled(WARN, format_args!("left alone, for the reason above: {files}")))?;
    }
    let again = [
        "graph init",
        if ask.kb { " --kb" } else { "" },
        if ask.skills { " --skills" } else { "" },
    ];
    let again = again.concat();
    let mut next = vec![match left.iter().any(|step| step.path == MCP_FILE) {
        _ if ask.dry_run && changed > 0 => (again.as_str(), "does it"),
        true => ("claude mcp add graph -- graph serve", "starts the server for you alone"),
        false => ("claude", "a new session has the tools; ask it to plan something"),
    }];
    next.push(("graph demo", "shows what it does, in a directory of its own"));
    if !has_skills {
        next.push(("graph init --skills", "skills for Claude Code"));
    }
    if !has_kb {
        next.push(("graph init --kb", "requirements and decisions by git branch"));
    }
    for (command, about) in next {
        let command = styled(NEXT, format!("{:<20}", out.command(command)));
        out.line(format_args!("  {command}  {}", styled(QUIET, about)))?;
    }
    Ok(())
}

fn object(setup: &Setup, kb: Option<&kb::SetUp>, dry_run: bool) -> Value {
    let step = |step: &Step| {
        let mut object = json!({ "path": step.path, "did": did(&step.act, dry_run) });
        match &step.act {
            Act::Left(reason) => object["reason"] = json!(reason),
            Act::Unneeded(reason) => object["reason"] = json!(reason),
            _ => {}
        }
        if let Some(undo) = &step.undo {
            object["undo"] = json!(undone(undo, &setup.root, false));
        }
        if let Some(note) = &step.note {
            object["note"] = json!(note);
        }
        object
    };
    let steps: Vec<Value> = setup.steps.iter().map(step).collect();
    let mut object = json!({
        "root": setup.root.display().to_string(),
        "git": setup.git,
        "dry_run": dry_run,
        "steps": steps,
    });
    if let Some(kb) = kb {
        object["kb"] = kb.object();
    }
    object
}
