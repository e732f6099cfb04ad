//! `graph kb diff [BRANCH]`: what is different from the default branch.

use clap::Args;

use super::super::{
    Shell, completions,
    format::change,
    output::{BAD, Done, GOOD, Outcome, Output, QUIET, STRONG, WARN, brief, plain, styled},
};
use crate::kb::{self, NamedEntity};

/// Of which branch.
#[derive(Debug, Args)]
pub struct Diff {
    /// The branch [default: the active one]
    #[arg(add = completions::branches())]
    pub branch: Option<String>,
    /// Exit code 1 where something differs
    #[arg(long)]
    pub exit_code: bool,
}

/// Shows what differs.
pub fn run(ask: &Diff, shell: &mut Shell) -> Outcome {
    let diff = super::read(shell, ask.branch.as_deref(), kb::diff_from_default)?;
    let out = &mut shell.out;
    match out.json {
        true => out.object(&diff)?,
        false => print(&diff, out)?,
    }
    Ok(if ask.exit_code && !diff.is_empty() { Done::Violations } else { Done::Ok })
}

fn print(diff: &kb::Diff, out: &mut Output) -> std::io::Result<()> {
    let (branch, against) = (plain(&diff.branch), plain(&diff.against));
    if diff.branch == diff.against {
        return out.line(format_args!("{branch} is the default branch: name another one"));
    }
    if diff.empty {
        let note = format!("{against} has no store yet: all that {branch} says is new");
        out.line(styled(QUIET, note))?;
    }
    if diff.is_empty() {
        return out.line(format_args!("{branch} says the same as {against}"));
    }
    out.line(styled(QUIET, format_args!("{branch}, seen from {against}")))?;
    let (added, removed) = (styled(GOOD, "+").to_string(), styled(BAD, "-").to_string());
    let (entities, links) = (&diff.entities, &diff.relationships);
    for (mark, list) in [(&added, &entities.added), (&removed, &entities.removed)] {
        for NamedEntity { id, r#type, title } in list {
            let (id, kind) = (styled(STRONG, plain(id)), styled(QUIET, plain(r#type)));
            out.line(format_args!("{mark} {id}  {kind}  {}", brief(title)))?;
        }
    }
    for changed in &entities.changed {
        out.line(format_args!("{} {}", styled(WARN, "~"), styled(STRONG, plain(&changed.id))))?;
        for one in &changed.changes {
            out.line(format_args!("    {}", change(one)))?;
        }
    }
    for (mark, list) in [(&added, &links.added), (&removed, &links.removed)] {
        for link in list {
            out.line(format_args!("{mark} {}", plain(link)))?;
        }
    }
    for changed in &links.changed {
        out.line(format_args!("{} {}", styled(WARN, "~"), plain(&changed.link)))?;
        for one in &changed.changes {
            out.line(format_args!("    {}", change(one)))?;
        }
    }
    Ok(())
}
