//! `graph next [PROJECT]`: what to work on now.

use clap::{Args, builder::RangedU64ValueParser};

use super::{
    Shell, completions,
    format::{ago, value},
    output::{Done, NEXT, Outcome, QUIET, STRONG, WARN, block, brief, plain, styled},
};
use crate::{
    base::Timestamp,
    work::{self, CLAIMED_AT, CLAIMED_BY, NextNode},
};

/// Of which project, how many, and whether to take them.
#[derive(Debug, Args)]
pub struct Next {
    /// The project's name; may be left out when there is only one
    #[arg(add = completions::projects())]
    pub project: Option<String>,
    /// Take what is shown, so that others are given something else
    #[arg(long)]
    pub claim: bool,
    /// How many to show
    #[arg(long, value_name = "N", default_value = "1", value_parser = RangedU64ValueParser::<usize>::new().range(1..=50))]
    pub count: usize,
}

/// Shows the best nodes, and takes them where that is asked for.
pub fn run(ask: &Next, shell: &mut Shell) -> Outcome {
    let settings = shell.app.work();
    let wanted = work::Next {
        project: ask.project.clone(),
        count: Some(ask.count),
        claim: ask.claim,
        ..work::Next::default()
    };
    let found = if ask.claim {
        shell.write(|tx| work::next_claimed(tx, &settings, &wanted))?
    } else {
        shell.read(|tx| work::next(tx, &settings, &wanted))?
    };
    if shell.out.json {
        shell.out.object(&found)?;
        return Ok(Done::Ok);
    }
    for (index, next) in found.nodes.iter().enumerate() {
        if index > 0 {
            shell.out.gap()?;
        }
        print(next, shell)?;
    }
    if let Some(note) = &found.note {
        shell.out.line(format_args!("nothing to do now: {}", plain(note)))?;
        return Ok(Done::Ok);
    }
    if found.omitted > 0 {
        shell.out.gap()?;
        shell.out.line(styled(QUIET, format_args!("… and {} more", found.omitted)))?;
    }
    shell.out.gap()?;
    what_now(ask, &found.nodes, shell)
}

fn print(next: &NextNode, shell: &mut Shell) -> Result<(), std::io::Error> {
    let now = shell.ctx.clock.now();
    let out = &mut shell.out;
    let node = &next.node;
    out.line(format_args!(
        "{}  {}",
        styled(NEXT, &node.id),
        styled(STRONG, block(&node.summary, "    "))
    ))?;
    let mut field = |name: &str, text: String| {
        out.line(format_args!("  {}  {text}", styled(QUIET, format_args!("{name:<9}"))))
    };
    if !next.ancestors.is_empty() {
        let path: Vec<_> = next.ancestors.iter().map(|ancestor| brief(&ancestor.summary)).collect();
        field("in", path.join(" › "))?;
    }
    if let Some(by) = node.properties.get(CLAIMED_BY).and_then(|by| by.as_str()) {
        let at = node.properties.get(CLAIMED_AT).and_then(|at| at.as_str());
        let since = at.and_then(|at| at.parse::<Timestamp>().ok());
        let since = since.map(|at| format!(", {}", ago(at, now))).unwrap_or_default();
        field("claimed", styled(WARN, format_args!("by {}{since}", plain(by))).to_string())?;
    }
    for (key, held) in &node.properties {
        if key != CLAIMED_BY && key != CLAIMED_AT {
            field(&plain(key), value(held))?;
        }
    }
    let inherited = next.context_links.inherited.iter().flat_map(|from| &from.links);
    for link in next.context_links.own.iter().chain(inherited) {
        field("see", plain(link))?;
    }
    for done in &next.resolved_deps {
        let evidence = done
            .evidence
            .last()
            .map(|it| format!(" — {}: {}", plain(&it.r#type), brief(&it.r#ref)));
        field(
            "builds on",
            format!("{}  {}{}", done.id, brief(&done.summary), evidence.unwrap_or_default()),
        )?;
    }
    Ok(())
}

/// The next thing to type.
fn what_now(ask: &Next, nodes: &[NextNode], shell: &mut Shell) -> Outcome {
    // A node that the actor holds already is offered again, and needs no second claim.
    let is_taken = |first: &&NextNode| {
        let by = first.node.properties.get(CLAIMED_BY).and_then(|by| by.as_str());
        ask.claim || by == Some(shell.ctx.actor.as_str())
    };
    let (label, command) = match nodes.first().filter(is_taken) {
        Some(first) => ("when done", format!("graph done {}", first.node.id)),
        None => {
            let project =
                ask.project.as_deref().map(|name| format!(" {}", quoted(name))).unwrap_or_default();
            ("take it", format!("graph next{project} --claim"))
        }
    };
    let command = shell.out.command(&command);
    shell.out.line(format_args!("{label}: {}", styled(NEXT, command)))?;
    Ok(Done::Ok)
}

/// A name as a shell takes it.
pub fn quoted(name: &str) -> String {
    let bare =
        name.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c)) && !name.starts_with('-');
    if bare && !name.is_empty() {
        name.to_owned()
    } else {
        format!("'{}'", plain(name).replace('\'', "'\\''"))
    }
}
