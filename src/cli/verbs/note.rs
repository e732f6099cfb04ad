//! `graph note`, `graph set`, `graph priority` and `graph tag`: what is written on a node.

use clap::Args;
use serde_json::{Value, json};

use super::{
    super::{Shell, completions, output::Outcome},
    add::value,
    target::{text, usage},
    update,
};
use crate::{
    base::{Domain, props::Properties},
    work::{self, NewEvidence, NodeUpdate},
};

/// What to note, and where.
#[derive(Debug, Args)]
pub struct Note {
    /// The node
    #[arg(value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub id: String,
    /// The note, or - for standard input
    #[arg(required = true)]
    pub text: Vec<String>,
    /// Mark it as advice for the next actor who works on the node
    #[arg(long)]
    pub hint: bool,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// What to set, and where.
#[derive(Debug, Args)]
pub struct Set {
    /// The node
    #[arg(value_name = "ID|PROJECT", add = completions::projects_and_nodes())]
    pub id: String,
    /// Properties, such as area=api; `summary=` and `state=` set those, and KEY= clears
    #[arg(required = true, value_name = "KEY=VALUE")]
    pub values: Vec<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// Which rank, for which nodes.
#[derive(Debug, Args)]
#[command(override_usage = "graph priority [OPTIONS] <ID>... <PRIORITY>")]
pub struct Priority {
    /// The node
    #[arg(value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub id: String,
    /// Further nodes, and then the priority: a number, higher first; or high, medium, low, p0 to p4
    #[arg(required = true, value_name = "PRIORITY", add = completions::things_of(&[Domain::Work]))]
    pub more: Vec<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// Which tags, for which node.
#[derive(Debug, Args)]
pub struct Tag {
    /// The node
    #[arg(value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub id: String,
    /// The tags: each becomes a property that is true
    #[arg(required = true)]
    pub tags: Vec<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

pub fn note(ask: &Note, shell: &mut Shell) -> Outcome {
    let kind = if ask.hint { "hint" } else { "note" };
    let note = NewEvidence { r#type: kind.to_owned(), r#ref: text(&ask.text.join(" "), shell)? };
    update("noted on", std::slice::from_ref(&ask.id), ask.dry_run, shell, |_, _| {
        Ok(NodeUpdate { add_evidence: vec![note.clone()], ..NodeUpdate::default() })
    })
}

pub fn set(ask: &Set, shell: &mut Shell) -> Outcome {
    let mut change = NodeUpdate::default();
    for pair in &ask.values {
        let Some((key, typed)) = pair.split_once('=') else {
            return Err(usage(
                &format!("`{pair}` has no `=`"),
                "write KEY=VALUE, or KEY= to clear",
            ));
        };
        match key.trim() {
            "summary" => change.summary = Some(typed.to_owned()),
            "state" if typed.is_empty() => change.state = Some(Value::Null),
            "state" => change.state = Some(value(typed)),
            work::PRIORITY if !typed.is_empty() => {
                change.properties.insert(work::PRIORITY.to_owned(), rank(typed));
            }
            key => {
                let held = if typed.is_empty() { Value::Null } else { value(typed) };
                change.properties.insert(key.to_owned(), held);
            }
        }
    }
    update("set", std::slice::from_ref(&ask.id), ask.dry_run, shell, |_, _| Ok(change.clone()))
}

pub fn priority(ask: &Priority, shell: &mut Shell) -> Outcome {
    let mut ids = vec![ask.id.clone()];
    ids.extend(ask.more.iter().cloned());
    let typed = ids.pop().unwrap_or_default();
    let mut properties = Properties::new();
    properties.insert(work::PRIORITY.to_owned(), rank(&typed));
    update("ranked", &ids, ask.dry_run, shell, |_, _| {
        Ok(NodeUpdate { properties: properties.clone(), ..NodeUpdate::default() })
    })
}

pub fn tag(ask: &Tag, shell: &mut Shell) -> Outcome {
    let properties: Properties =
        ask.tags.iter().map(|tag| (tag.trim_start_matches('#').to_owned(), json!(true))).collect();
    update("tagged", std::slice::from_ref(&ask.id), ask.dry_run, shell, |_, _| {
        Ok(NodeUpdate { properties: properties.clone(), ..NodeUpdate::default() })
    })
}

/// A priority in the notation of other trackers: `p0` is the highest of five.
pub(super) fn rank(typed: &str) -> Value {
    match typed.to_ascii_lowercase().as_str() {
        "p0" => json!(4),
        "p1" | "high" => json!(3),
        "p2" | "medium" => json!(2),
        "p3" | "low" => json!(1),
        "p4" => json!(0),
        _ => value(typed),
    }
}
