//! `graph done ID…` and `graph reopen ID…`.

use clap::Args;

use super::{
    super::{
        Shell, completions,
        format::when,
        output::{Outcome, plain},
    },
    target::text,
    update,
};
use crate::{
    app::Read,
    base::{
        Domain, ErrorCode, Fault, Result,
        hint::{Hint, cmd, hint},
    },
    work::{self, History, NewEvidence, NodeUpdate, OutlineNode, Standing},
};

/// Which nodes, and what came of them.
#[derive(Debug, Args)]
pub struct Done {
    /// The nodes, or - for standard input
    #[arg(required = true, value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub ids: Vec<String>,
    /// What was done, kept as evidence; - reads it from standard input
    #[arg(short = 'm', long = "message", value_name = "NOTE")]
    pub message: Option<String>,
    /// The commit that did it, kept as evidence [default: HEAD]
    #[arg(long, value_name = "REV", num_args = 0..=1, require_equals = true, default_missing_value = "HEAD")]
    pub commit: Option<String>,
    /// Also finish what another actor has claimed
    #[arg(long)]
    pub anyway: bool,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// Which nodes, and why.
#[derive(Debug, Args)]
pub struct Reopen {
    /// The nodes, or - for standard input
    #[arg(required = true, value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub ids: Vec<String>,
    /// Why, kept as evidence
    #[arg(short = 'm', long = "message", value_name = "WHY")]
    pub message: Option<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

pub fn done(ask: &Done, shell: &mut Shell) -> Outcome {
    let mut evidence = Vec::new();
    if let Some(message) = &ask.message {
        evidence.push(NewEvidence { r#type: "note".to_owned(), r#ref: text(message, shell)? });
    }
    if let Some(rev) = &ask.commit {
        evidence.push(NewEvidence { r#type: "git".to_owned(), r#ref: shell.app.commit(rev)? });
    }
    let actor = shell.ctx.actor.clone();
    update("done", &ask.ids, ask.dry_run, shell, |tx, node| {
        check_open(tx, node)?;
        check_holder(node, &actor, ask.anyway)?;
        Ok(NodeUpdate {
            resolved: Some(true),
            add_evidence: evidence.clone(),
            ..NodeUpdate::default()
        })
    })
}

pub fn reopen(ask: &Reopen, shell: &mut Shell) -> Outcome {
    let why = ask.message.as_deref().map(|given| text(given, shell)).transpose()?;
    let evidence = why.map(|why| NewEvidence { r#type: "note".to_owned(), r#ref: why });
    update("reopened", &ask.ids, ask.dry_run, shell, |_, node| {
        if node.standing != Standing::Done {
            return Err(refused(
                node,
                "is not done",
                hint![cmd("graph show"), " tells how it stands"],
            ));
        }
        Ok(NodeUpdate {
            resolved: Some(false),
            add_evidence: evidence.iter().cloned().collect(),
            ..NodeUpdate::default()
        })
    })
}

/// Refuses to finish what is finished, with who did it and when.
fn check_open(tx: &Read<'_>, node: &OutlineNode) -> Result<()> {
    if node.standing != Standing::Done {
        return Ok(());
    }
    let ask = History { node_id: node.id.clone(), limit: Some(100), cursor: None };
    let events = work::history(tx, &ask)?.events;
    let done = events.iter().find(|event| event.action == "resolved" || event.action == "dropped");
    let by = done.map_or_else(String::new, |event| {
        format!(": {} by {} on {}", event.action, plain(&event.agent), when(event.timestamp))
    });
    Err(refused(
        node,
        &format!("is already done{by}"),
        hint![cmd("graph note"), " adds to it, ", cmd("graph reopen"), " opens it again"],
    ))
}

/// Refuses to change what another actor has claimed.
pub(super) fn check_holder(node: &OutlineNode, actor: &str, anyway: bool) -> Result<()> {
    match &node.claimed_by {
        Some(holder) if holder != actor && !anyway => Err(refused(
            node,
            &format!("is claimed by {}", plain(holder)),
            "ask them first, or repeat the command with --anyway",
        )),
        _ => Ok(()),
    }
}

fn refused(node: &OutlineNode, why: &str, hint: impl Into<Hint>) -> crate::base::Error {
    Fault::new(ErrorCode::InvalidOperation, format!("{} {why}", node.id)).hint(hint).into()
}
