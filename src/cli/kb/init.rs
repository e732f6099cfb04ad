//! `graph kb init`: everything that a repository needs for the KB, as far as it is not there.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::super::{
    Shell,
    output::{Done, Failure, GOOD, NEXT, Outcome, Output, QUIET, STRONG, WARN, plain, styled},
};
use crate::{
    app::{HookFolder, Initialised},
    base::{Error, Fault},
    kb::{
        Ensured,
        hooks::{HookReport, Outcome as Did},
    },
};

/// What to leave out.
#[derive(Debug, Args)]
pub struct Init {
    /// Leave the git hooks out
    #[arg(long)]
    pub no_hooks: bool,
    /// Put the hooks there and let git run them from there (core.hooksPath), relative to the root
    #[arg(long, value_name = "PATH", conflicts_with = "no_hooks")]
    pub hooks_path: Option<String>,
    /// Only take the hooks out again
    #[arg(long, conflicts_with_all = ["no_hooks", "hooks_path"])]
    pub uninstall_hooks: bool,
}

/// Sets up, and says each thing that was done.
pub fn run(ask: &Init, shell: &mut Shell) -> Outcome {
    if ask.uninstall_hooks {
        return uninstall(shell);
    }
    let made = shell.app.kb_init(&shell.ctx)?;
    let hooks = match (ask.no_hooks, made.git || ask.hooks_path.is_some()) {
        (false, true) => Some(install(ask, shell)?),
        _ => None,
    };
    let out = &mut shell.out;
    let failed = matches!(hooks, Some(Err(_)));
    if out.json {
        out.object(&object(&made, hooks.as_ref()))?;
    } else {
        print(&made, hooks.as_ref(), ask, out)?;
    }
    Ok(if failed { Done::Violations } else { Done::Ok })
}

/// The hooks, or why there are none: the rest is set up all the same.
fn install(ask: &Init, shell: &Shell) -> Result<Result<HookFolder, Fault>, Failure> {
    let binary = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("graph"));
    match shell.app.kb_install_hooks(ask.hooks_path.as_deref(), &binary) {
        Ok(folder) => Ok(Ok(folder)),
        Err(Error::Fault(fault)) => Ok(Err(*fault)),
        Err(error) => Err(error.into()),
    }
}

fn uninstall(shell: &mut Shell) -> Outcome {
    let (folders, released) = shell.app.kb_uninstall_hooks()?;
    let out = &mut shell.out;
    if out.json {
        let folders: Vec<_> = folders.iter().map(folder_object).collect();
        out.object(&json!({ "hooks": folders, "hooks_path_unset": released }))?;
        return Ok(Done::Ok);
    }
    for folder in &folders {
        hooks(folder, out)?;
    }
    if released {
        out.line(format_args!("{} core.hooksPath is no longer set", styled(GOOD, "✓")))?;
    }
    Ok(Done::Ok)
}

fn print(
    made: &Initialised,
    installed: Option<&Result<HookFolder, Fault>>,
    ask: &Init,
    out: &mut Output,
) -> std::io::Result<()> {
    for path in &made.created {
        out.line(format_args!("{} created {}", styled(GOOD, "✓"), plain(path)))?;
    }
    if made.created.is_empty() {
        let root = plain(&made.root.display().to_string());
        out.line(format_args!("{} .kb and the folders are there: {root}", styled(GOOD, "✓")))?;
    }
    let default = plain(&made.default);
    let store = match made.seeded {
        Ensured::Present => "is there",
        _ => "made",
    };
    out.line(format_args!("{} store of {default} {store}", styled(GOOD, "✓")))?;
    match installed {
        Some(Ok(folder)) => hooks(folder, out)?,
        Some(Err(fault)) => {
            out.line(format_args!("{} no hooks: {}", styled(WARN, "!"), plain(&fault.message)))?;
            if let Some(hint) = &fault.hint {
                out.line(format_args!("  {} {}", styled(NEXT, "→"), plain(hint)))?;
            }
        }
        None if ask.no_hooks => out.line("- no hooks, as asked for")?,
        None => out.line("- no hooks: this is no git repository")?,
    }
    out.gap()?;
    out.line(format_args!(
        "write documents into the folders, then {}",
        styled(NEXT, "graph kb sync")
    ))
}

fn hooks(folder: &HookFolder, out: &mut Output) -> std::io::Result<()> {
    let place = plain(&folder.path.display().to_string());
    out.line(format_args!("{} {place}", styled(STRONG, "hooks in")))?;
    if folder.shared {
        let note =
            "  other repositories use this folder too: nothing happens where there is no .kb";
        out.line(styled(QUIET, note))?;
    }
    for HookReport { hook, outcome, .. } in &folder.hooks {
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

fn object(made: &Initialised, installed: Option<&Result<HookFolder, Fault>>) -> Value {
    let mut object = json!({
        "root": made.root.display().to_string(),
        "created": made.created,
        "default_branch": made.default,
        "store": super::branch::words(made.seeded),
    });
    match installed {
        Some(Ok(folder)) => object["hooks"] = json!([folder_object(folder)]),
        Some(Err(fault)) => object["hooks_error"] = json!(fault),
        None => {}
    }
    object
}

fn folder_object(folder: &HookFolder) -> Value {
    let hooks = folder.hooks.iter().map(|report| {
        let mut object = json!({ "hook": report.hook, "outcome": words(&report.outcome) });
        if let Did::Left { reason, line } = &report.outcome {
            object["reason"] = json!(reason);
            object["line"] = json!(line);
        }
        object
    });
    let hooks: Vec<Value> = hooks.collect();
    json!({ "path": folder.path.display().to_string(), "shared": folder.shared, "hooks": hooks })
}
