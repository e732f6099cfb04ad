//! `graph kb rollback CHANGESET`: the inverse of a changeset, as a new one.

use clap::Args;

use super::super::{
    Shell, completions,
    format::number,
    output::{Done, NEXT, Outcome, STRONG, plain, styled},
};
use crate::kb;

/// Which changeset.
#[derive(Debug, Args)]
pub struct Rollback {
    /// The changeset's id, such as cs_0123456789
    #[arg(add = completions::changesets())]
    pub changeset: String,
    /// The branch that it was applied to [default: the active one]
    #[arg(long, value_name = "NAME", add = completions::branches())]
    pub branch: Option<String>,
}

/// Takes the changeset back; refused where later changes touch the same facts.
pub fn run(ask: &Rollback, shell: &mut Shell) -> Outcome {
    super::check_there(shell)?;
    let setting = shell.app.kb(ask.branch.as_deref())?;
    let id = ask.changeset.trim();
    let done = shell.app.kb_write(&shell.ctx, &setting, |tx| kb::rollback(tx, &setting, id))?;
    let out = &mut shell.out;
    if out.json {
        out.object(&done)?;
        return Ok(Done::Ok);
    }
    out.line(format_args!(
        "{} rolled back on {}: {} and {}",
        styled(STRONG, plain(&done.reverts)),
        plain(&done.branch),
        number(done.entities.len(), "entity"),
        number(done.relationships, "link"),
    ))?;
    let again = super::command(&format!("rollback {}", done.changeset), ask.branch.as_deref());
    out.line(format_args!("have it again: {}", styled(NEXT, out.command(&again))))?;
    Ok(Done::Ok)
}
