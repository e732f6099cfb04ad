//! `graph kb init`: everything that a repository needs for the KB, as far as it is not there.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use serde_json::{Value, json};

use super::super::{
    Shell,
    output::{Done, Failure, GOOD, NEXT, Outcome, Output, QUIET, STRONG, WARN, plain, styled},
};
use crate::{
    app::Setup,
    base::{Error, Fault},
    kb::{Ensured, HookDirectory, HookOutcome as Did, HookReport, Initialised},
};

/// What to leave out.
#[derive(Debug, Args)]
pub struct Init {
    /// Leave the git hooks out
    #[arg(long)]
    pub no_hooks: bool,
    /// Put the hooks there and let git run them from there (core.hooksPath), relative to the root
    #[arg(long, value_name = "PATH", value_hint = ValueHint::DirPath, conflicts_with = "no_hooks")]
    pub hooks_path: Option<String>,
    /// Only take the hooks out again
    #[arg(long, conflicts_with_all = ["no_hooks", "hooks_path"])]
    pub uninstall_hooks: bool,
}

/// What was set up, or would be.
#[derive(Debug)]
pub struct SetUp {
    made: Made,
    /// None where they are not wanted or there is no git; a fault where they cannot be had.
    hooks: Option<Result<HookDirectory, Fault>>,
    ignored: Setup,
}

#[derive(Debug)]
enum Made {
    Now(Initialised),
    /// What would be created.
    Later(Vec<String>),
}

impl SetUp {
    /// Whether a part of it could not be had.
    pub fn failed(&self) -> bool {
        matches!(self.hooks, Some(Err(_)))
    }

    /// How many things it changed, or would.
    pub fn changes(&self) -> usize {
        let files = match &self.made {
            Made::Now(made) => made.created.len() + usize::from(made.seeded != Ensured::Present),
            Made::Later(missing) => missing.len(),
        };
        let directory = self.hooks.as_ref().and_then(|hooks| hooks.as_ref().ok());
        let changed = |report: &&HookReport| {
            matches!(report.outcome, Did::Created | Did::Added | Did::Updated)
        };
        files + directory.map_or(0, |directory| directory.hooks.iter().filter(changed).count())
    }

    /// The object for machines.
    pub fn object(&self) -> Value {
        let mut object = match &self.made {
            Made::Now(made) => json!({
                "root": made.root.display().to_string(),
                "created": made.created,
                "default_branch": made.default,
                "store": super::branch::words(made.seeded),
            }),
            Made::Later(missing) => json!({ "would_create": missing }),
        };
        if matches!(&self.made, Made::Now(made) if made.instead.is_some()) {
            object["default_missing"] = true.into();
        }
        match &self.hooks {
            Some(Ok(directory)) => object["hooks"] = json!([directory_object(directory)]),
            Some(Err(fault)) => object["hooks_error"] = json!(fault),
            None => {}
        }
        object
    }
}

/// Sets up, and says each thing that was done.
pub fn run(ask: &Init, shell: &mut Shell) -> Outcome {
    if ask.uninstall_hooks {
        return uninstall(shell);
    }
    let made = make(ask, false, shell)?;
    let out = &mut shell.out;
    if out.json {
        out.object(&made.object())?;
    } else {
        for step in made.ignored.steps.iter().filter(|step| step.changes()) {
            out.line(format_args!("{} {}: {}", styled(GOOD, "✓"), step.path, step.about))?;
        }
        print(&made, ask, out)?;
        out.gap()?;
        let sync = styled(NEXT, "graph kb sync");
        out.line(format_args!("write documents into the directories, then {sync}"))?;
    }
    Ok(if made.failed() { Done::Violations } else { Done::Ok })
}

/// Sets up as a part of `graph init`, or with `dry_run` only reports what would be done.
pub fn set_up(dry_run: bool, shell: &mut Shell) -> Result<SetUp, Failure> {
    let ask = Init { no_hooks: false, hooks_path: None, uninstall_hooks: false };
    let made = make(&ask, dry_run, shell)?;
    if !shell.out.json {
        print(&made, &ask, &mut shell.out)?;
        if made.changes() > 0 {
            let undo = "  undo: graph kb init --uninstall-hooks, then remove .kb and the empty directories";
            shell.out.line(styled(QUIET, undo))?;
        }
    }
    Ok(made)
}

fn make(ask: &Init, dry_run: bool, shell: &mut Shell) -> Result<SetUp, Failure> {
    let (made, git) = if dry_run {
        let (missing, git) = shell.app.kb_missing()?;
        (Made::Later(missing), git)
    } else {
        let made = shell.app.kb_init(&shell.ctx)?;
        let git = made.git;
        (Made::Now(made), git)
    };
    let hooks = match (ask.no_hooks, git || ask.hooks_path.is_some()) {
        (false, true) => Some(install(ask, dry_run, shell)?),
        _ => None,
    };
    let ignored = shell.app.ignore_step()?;
    if !dry_run {
        ignored.steps.iter().try_for_each(|step| ignored.apply(step))?;
    }
    Ok(SetUp { made, hooks, ignored })
}

/// The hooks, or why there are none: the rest is set up all the same.
fn install(
    ask: &Init,
    dry_run: bool,
    shell: &Shell,
) -> Result<Result<HookDirectory, Fault>, Failure> {
    let binary = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("graph"));
    match shell.app.kb_install_hooks(ask.hooks_path.as_deref(), &binary, dry_run) {
        Ok(directory) => Ok(Ok(directory)),
        Err(Error::Fault(fault)) => Ok(Err(*fault)),
        Err(error) => Err(error.into()),
    }
}

fn uninstall(shell: &mut Shell) -> Outcome {
    let (directories, released) = shell.app.kb_uninstall_hooks()?;
    let out = &mut shell.out;
    if out.json {
        let directories: Vec<_> = directories.iter().map(directory_object).collect();
        out.object(&json!({ "hooks": directories, "hooks_path_unset": released }))?;
        return Ok(Done::Ok);
    }
    for directory in &directories {
        hooks(directory, out)?;
    }
    if released {
        out.line(format_args!("{} core.hooksPath is no longer set", styled(GOOD, "✓")))?;
    }
    Ok(Done::Ok)
}

fn print(made: &SetUp, ask: &Init, out: &mut Output) -> std::io::Result<()> {
    match &made.made {
        Made::Now(made) => created(made, out)?,
        Made::Later(missing) => {
            for path in missing {
                out.line(format_args!("{} would create {}", styled(NEXT, "+"), plain(path)))?;
            }
            if missing.is_empty() {
                out.line(format_args!("{} .kb and the directories are there", styled(GOOD, "✓")))?;
            }
        }
    }
    match &made.hooks {
        Some(Ok(directory)) => {
            if let Made::Later(_) = made.made {
                let note = "hooks as they would be; none was written";
                out.line(styled(QUIET, note))?;
            }
            hooks(directory, out)
        }
        Some(Err(fault)) => {
            out.line(format_args!("{} no hooks: {}", styled(WARN, "!"), plain(&fault.message)))?;
            match &fault.hint {
                Some(hint) => {
                    let hint = plain(&out.hint(hint));
                    out.line(format_args!("  {} {hint}", styled(NEXT, "→")))
                }
                None => Ok(()),
            }
        }
        None if ask.no_hooks => out.line("- no hooks, as asked for"),
        None => out.line("- no hooks: not a git repository"),
    }
}

fn created(made: &Initialised, out: &mut Output) -> std::io::Result<()> {
    for path in &made.created {
        out.line(format_args!("{} created {}", styled(GOOD, "✓"), plain(path)))?;
    }
    if made.created.is_empty() {
        let root = plain(&made.root.display().to_string());
        out.line(format_args!("{} .kb and the directories are there: {root}", styled(GOOD, "✓")))?;
    }
    let default = plain(&made.default);
    let store = match made.seeded {
        Ensured::Present => "is there",
        _ => "made",
    };
    out.line(format_args!("{} store of {default} {store}", styled(GOOD, "✓")))?;
    match &made.instead {
        Some(active) => super::branch::default_missing(&made.default, active, out),
        None => Ok(()),
    }
}

fn hooks(directory: &HookDirectory, out: &mut Output) -> std::io::Result<()> {
    let place = plain(&directory.path.display().to_string());
    out.line(format_args!("{} {place}", styled(STRONG, "hooks in")))?;
    if directory.shared {
        let note =
            "  other repositories use this directory too: nothing happens where there is no .kb";
        out.line(styled(QUIET, note))?;
    }
    for HookReport { hook, outcome, .. } in &directory.hooks {
        let (mark, did) = match outcome {
            Did::Left { reason, .. } => (styled(WARN, "!"), format!("left as it is: {reason}")),
            other => (styled(GOOD, "✓"), words(other).to_owned()),
        };
        out.line(format_args!("{mark} {hook:<13}  {}", plain(&did)))?;
        if let Did::Left { line, .. } = outcome {
            let line = styled(NEXT, plain(line));
            out.line(format_args!("  {} see to it by hand: {line}", styled(NEXT, "→")))?;
        }
    }
    Ok(())
}

/// What was done, in a word or two.
fn words(outcome: &Did) -> &'static str {
    match outcome {
        Did::Created => "created",
        Did::Added => "added to what is there",
        Did::Updated => "updated",
        Did::Unchanged => "unchanged",
        Did::Removed => "taken out",
        Did::Deleted => "deleted",
        Did::Absent => "nothing of ours",
        Did::Left { .. } => "left",
    }
}

fn directory_object(directory: &HookDirectory) -> Value {
    let hooks = directory.hooks.iter().map(|report| {
        let mut object = json!({ "hook": report.hook, "outcome": words(&report.outcome) });
        if let Did::Left { reason, line } = &report.outcome {
            object["reason"] = json!(reason);
            object["line"] = json!(line);
        }
        object
    });
    let hooks: Vec<Value> = hooks.collect();
    json!({ "path": directory.path.display().to_string(), "shared": directory.shared, "hooks": hooks })
}
