//! `graph add SUMMARY`: new nodes, one or an indented list of them.

use clap::{Args, ValueHint};
use serde_json::Value;

use super::{
    super::{
        Shell, completions,
        output::{Done, Failure, Outcome},
    },
    Report, note,
    target::{self, usage},
};
use crate::{
    app::Write,
    base::{Domain, Result, props::Properties},
    work::{self, Connect, DEPENDS_ON, EdgeChange, NodeUpdate, Plan, Planned, PlannedNode, Update},
};

/// What to add, and where.
#[derive(Debug, Args)]
pub struct Add {
    /// What is to be done; - reads one node a line from standard input, where indentation makes the tree
    #[arg(required = true)]
    pub summary: Vec<String>,
    /// The parent's id, or a project's name [default: the only project]
    #[arg(long = "in", value_name = "ID|PROJECT", add = completions::projects_and_nodes())]
    pub parent: Option<String>,
    /// A node that must be done before; again for several
    #[arg(long, value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub needs: Vec<String>,
    /// A node that must wait for this one; again for several
    #[arg(long, value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub before: Vec<String>,
    /// Its rank: a number, higher first; or high, medium, low, p0 to p4
    #[arg(long, value_name = "N")]
    pub priority: Option<String>,
    /// A file that it is about; again for several
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub file: Vec<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

pub fn run(ask: &Add, shell: &mut Shell) -> Outcome {
    let lines = match ask.summary.as_slice() {
        [dash] if dash == "-" => indented(&shell.standard_input()?)?,
        words => vec![Line { parent: None, summary: words.join(" "), done: false }],
    };
    let settings = shell.app.work();
    let (planned, report) = shell.change(ask.dry_run, |tx| {
        let planned = plan(tx, ask, &lines)?;
        let ids: Vec<String> = planned.created.iter().map(|node| node.id.clone()).collect();
        let mut warnings = planned.warnings.clone();
        warnings.extend(put_before(tx, &settings, ask, &lines, &ids)?);
        warnings.extend(finish_ticked(tx, &settings, &lines, &ids)?);
        Ok((planned, Report { warnings, ..Report::of(tx, &settings, &ids)? }))
    })?;
    if shell.out.json {
        shell.out.object(&planned)?;
        return Ok(Done::Ok);
    }
    report.print("added", shell)?;
    shell.end_of(ask.dry_run)
}

/// A node to be, below an earlier line or at the top.
#[derive(Debug, PartialEq)]
struct Line {
    parent: Option<usize>,
    summary: String,
    /// Whether its box is ticked.
    done: bool,
}

fn plan(tx: &Write<'_>, ask: &Add, lines: &[Line]) -> Result<Planned> {
    let parent = ask.parent.as_deref().map(|id| target::node(tx, "--in", id)).transpose()?;
    let needs = target::nodes(tx, "--needs", &ask.needs)?;
    let mut properties = Properties::new();
    if let Some(priority) = &ask.priority {
        properties.insert(work::PRIORITY.to_owned(), note::rank(priority));
    }
    let nodes = lines.iter().enumerate().map(|(index, line)| PlannedNode {
        r#ref: reference(index),
        parent_ref: line.parent.map(reference).or_else(|| parent.clone()),
        summary: line.summary.clone(),
        context_links: ask.file.clone(),
        depends_on: if line.parent.is_none() { needs.clone() } else { Vec::new() },
        properties: properties.clone(),
    });
    work::plan(tx, &Plan { project: None, nodes: nodes.collect() })
}

/// Makes the nodes of `--before` wait for the new ones at the top; returns warnings.
fn put_before(
    tx: &Write<'_>,
    settings: &work::Settings,
    ask: &Add,
    lines: &[Line],
    ids: &[String],
) -> Result<Vec<String>> {
    let mut edges = Vec::new();
    for waiting in target::nodes(tx, "--before", &ask.before)? {
        let tops = lines.iter().zip(ids).filter(|(line, _)| line.parent.is_none());
        edges.extend(tops.map(|(_, id)| EdgeChange {
            from: waiting.clone(),
            to: id.clone(),
            r#type: DEPENDS_ON.to_owned(),
            remove: false,
        }));
    }
    if edges.is_empty() {
        return Ok(Vec::new());
    }
    let connected = work::connect(tx, settings, &Connect { edges })?;
    super::connect::check(&connected)?;
    Ok(connected.warnings)
}

/// Finishes the nodes whose boxes are ticked; returns warnings.
fn finish_ticked(
    tx: &Write<'_>,
    settings: &work::Settings,
    lines: &[Line],
    ids: &[String],
) -> Result<Vec<String>> {
    let ticked = lines.iter().zip(ids).filter(|(line, _)| line.done);
    let updates: Vec<NodeUpdate> = ticked
        .map(|(_, id)| NodeUpdate {
            node_id: id.clone(),
            resolved: Some(true),
            ..NodeUpdate::default()
        })
        .collect();
    if updates.is_empty() {
        return Ok(Vec::new());
    }
    Ok(work::update(tx, settings, &Update { updates })?.warnings)
}

/// The name of a line within its batch.
fn reference(index: usize) -> String {
    format!("line {}", index + 1)
}

/// Lines as a tree: a line belongs to the nearest earlier one that is indented less. List markers are left out.
fn indented(text: &str) -> std::result::Result<Vec<Line>, Failure> {
    let mut lines: Vec<Line> = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let depth: usize = line
            .chars()
            .take_while(|c| c.is_whitespace())
            .map(|c| if c == '\t' { 4 } else { 1 })
            .sum();
        let bare = line.trim();
        let item = without_marker(bare);
        let ticked = ["[x] ", "[X] "].iter().find_map(|tick| item.strip_prefix(tick));
        let summary = ticked.or(item.strip_prefix("[ ] ")).unwrap_or(item);
        while path.last().is_some_and(|(above, _)| *above >= depth) {
            path.pop();
        }
        let parent = path.last().map(|(_, index)| *index);
        path.push((depth, lines.len()));
        lines.push(Line { parent, summary: summary.trim().to_owned(), done: ticked.is_some() });
    }
    if lines.is_empty() {
        return Err(usage("standard input has no line", "write one node on each line"));
    }
    Ok(lines)
}

/// The text behind `- `, `* ` or `1. `.
fn without_marker(line: &str) -> &str {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.strip_prefix(". ").filter(|_| number.len() < line.len());
    let item = ["- ", "* "].iter().find_map(|marker| line.strip_prefix(marker)).or(numbered);
    item.unwrap_or(line).trim_start()
}

/// A property's value as typed: JSON where it is, else text.
pub(super) fn value(typed: &str) -> Value {
    serde_json::from_str(typed).unwrap_or_else(|_| Value::String(typed.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_and_list_markers_make_a_tree() {
        let text = "1. Build the API\n  - [ ] Write the endpoints\n      [x] deeper\n\tTake payments\n\nDraw a logo\n";
        let lines = indented(text).unwrap();
        let shown: Vec<_> =
            lines.iter().map(|it| (it.parent, it.summary.as_str(), it.done)).collect();
        assert_eq!(
            shown,
            [
                (None, "Build the API", false),
                (Some(0), "Write the endpoints", false),
                (Some(1), "deeper", true),
                (Some(1), "Take payments", false),
                (None, "Draw a logo", false),
            ]
        );
        assert!(indented(" \n").is_err());
    }
}
