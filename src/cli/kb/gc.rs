//! `graph kb gc`: the stores of branches that no longer exist.

use clap::Args;
use serde_json::json;

use super::super::{
    Shell,
    output::{Done, NEXT, Outcome, STRONG, plain, styled},
};

/// Whether to delete.
#[derive(Debug, Args)]
pub struct Gc {
    /// Delete them; the log of what was applied stays
    #[arg(long)]
    pub force: bool,
}

/// Lists the stores, or deletes them; never one of a branch that is checked out anywhere, or of the default one.
pub fn run(ask: &Gc, shell: &mut Shell) -> Outcome {
    super::check_there(shell)?;
    let stores = shell.app.kb_gc(&shell.ctx, ask.force)?;
    let out = &mut shell.out;
    if out.json {
        out.object(&json!({ "deleted": ask.force, "stores": stores }))?;
        return Ok(Done::Ok);
    }
    if stores.is_empty() {
        out.line("every store belongs to a branch that exists")?;
        return Ok(Done::Ok);
    }
    for info in &stores {
        let verb = if ask.force { "deleted" } else { "gone" };
        let holds = super::branch::holds(info);
        out.line(format_args!("{verb}  {}  {holds}", styled(STRONG, plain(&info.name))))?;
    }
    if !ask.force {
        out.gap()?;
        out.line(format_args!("delete them: {}", styled(NEXT, "graph kb gc --force")))?;
    }
    Ok(Done::Ok)
}
