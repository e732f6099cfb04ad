//! `graph claim`, `graph assign` and `graph release`: who works on what.

use clap::Args;
use serde_json::Value;

use super::{
    super::{Shell, completions, output::Outcome},
    done::check_holder,
    update,
};
use crate::{
    base::{Domain, props::Properties},
    work::{CLAIMED_AT, CLAIMED_BY, NodeUpdate},
};

/// Which nodes, for whom.
#[derive(Debug, Args)]
pub struct Claim {
    /// The nodes, or - for standard input
    #[arg(required = true, value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub ids: Vec<String>,
    /// Who is to hold them [default: you]
    #[arg(long = "for", value_name = "NAME")]
    pub holder: Option<String>,
    /// Also claim what another actor has claimed
    #[arg(long)]
    pub anyway: bool,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// Which node, for whom.
#[derive(Debug, Args)]
pub struct Assign {
    /// The node
    #[arg(value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub id: String,
    /// Who is to hold it
    #[arg(value_name = "NAME")]
    pub holder: String,
    /// Also claim what another actor has claimed
    #[arg(long)]
    pub anyway: bool,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// Which nodes.
#[derive(Debug, Args)]
pub struct Release {
    /// The nodes, or - for standard input
    #[arg(required = true, value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub ids: Vec<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

pub fn claim(ask: &Claim, shell: &mut Shell) -> Outcome {
    hold(&ask.ids, ask.holder.as_deref(), ask.anyway, ask.dry_run, shell)
}

pub fn assign(ask: &Assign, shell: &mut Shell) -> Outcome {
    let ids = std::slice::from_ref(&ask.id);
    hold(ids, Some(&ask.holder), ask.anyway, ask.dry_run, shell)
}

pub fn release(ask: &Release, shell: &mut Shell) -> Outcome {
    let nobody = [CLAIMED_BY, CLAIMED_AT].map(|key| (key.to_owned(), Value::Null));
    let properties: Properties = nobody.into_iter().collect();
    update("released", &ask.ids, ask.dry_run, shell, |_, _| {
        Ok(NodeUpdate { properties: properties.clone(), ..NodeUpdate::default() })
    })
}

fn hold(
    ids: &[String],
    holder: Option<&str>,
    anyway: bool,
    dry_run: bool,
    shell: &mut Shell,
) -> Outcome {
    let actor = shell.ctx.actor.clone();
    let now = shell.ctx.clock.now();
    let holder = holder.unwrap_or(&actor);
    let mut properties = Properties::new();
    properties.insert(CLAIMED_BY.to_owned(), holder.into());
    properties.insert(CLAIMED_AT.to_owned(), now.to_string().into());
    update("claimed", ids, dry_run, shell, |_, node| {
        check_holder(node, holder, anyway)?;
        Ok(NodeUpdate { properties: properties.clone(), ..NodeUpdate::default() })
    })
}
