//! `graph tree [PROJECT|ID]`: the plan as a tree, each node with its state.

use clap::{Args, builder::RangedU64ValueParser};

use super::{
    Shell, completions,
    output::{Done, GOOD, NEXT, Outcome, QUIET, STRONG, WARN, brief, plain, styled},
};
use crate::work::{self, OutlineNode, Standing};

/// Lines without `--all`: as much as one cares to scroll.
const LINES: usize = 500;

/// Of what, and how much of it.
#[derive(Debug, Args)]
pub struct Tree {
    /// A project's name or a node's id; may be left out when there is only one project
    #[arg(value_name = "PROJECT|ID", add = completions::projects_and_nodes())]
    pub of: Option<String>,
    /// Levels to show
    #[arg(long, value_name = "N", default_value = "5", value_parser = RangedU64ValueParser::<usize>::new().range(1..=100))]
    pub depth: usize,
    /// Show what is done too, and however many lines it takes
    #[arg(long)]
    pub all: bool,
}

/// Shows the tree.
pub fn run(ask: &Tree, shell: &mut Shell) -> Outcome {
    let settings = shell.app.work();
    let wanted = work::Outline {
        of: ask.of.clone(),
        depth: ask.depth,
        with_done: ask.all,
        lines: if ask.all { usize::MAX } else { LINES },
    };
    let outlined = shell.read(|tx| work::outline(tx, &settings, &wanted))?;
    let out = &mut shell.out;
    if out.json {
        out.object(&outlined)?;
        return Ok(Done::Ok);
    }
    let branches = branches(&outlined.nodes);
    for (node, branch) in outlined.nodes.iter().zip(&branches) {
        out.line(format_args!("{}{}", styled(QUIET, &branch.before), line(node)))?;
        if let Some(hidden) = hidden(node) {
            out.line(styled(QUIET, format_args!("{}{hidden}", branch.below)))?;
        }
    }
    out.gap()?;
    if outlined.omitted > 0 {
        out.line(
            "… cut here; `graph tree ID` shows a part, --depth fewer levels, --all everything",
        )?;
    }
    out.line(format_args!(
        "{} done  {} ready  {} claimed  {} blocked  {} has open parts",
        styled(GOOD, "✓"),
        styled(NEXT, "▶"),
        styled(WARN, "◐"),
        styled(WARN, "✗"),
        "○"
    ))?;
    Ok(Done::Ok)
}

/// A node's mark, in its colour.
pub fn mark(standing: Standing, claimed: bool) -> String {
    let (style, mark) = match standing {
        Standing::Done => (GOOD, "✓"),
        Standing::Blocked => (WARN, "✗"),
        _ if claimed => (WARN, "◐"),
        Standing::Actionable => (NEXT, "▶"),
        Standing::Open => return "○".to_owned(),
    };
    styled(style, mark).to_string()
}

fn line(node: &OutlineNode) -> String {
    let summary = brief(&node.summary);
    let summary = match node.standing {
        Standing::Done => styled(QUIET, summary).to_string(),
        _ if node.level == 0 => styled(STRONG, summary).to_string(),
        _ => summary,
    };
    let mut line = format!("{} {summary}", mark(node.standing, node.claimed_by.is_some()));
    if node.children > 0 {
        line.push_str(&format!("  {}/{} done", node.children_done, node.children));
    }
    line.push_str(&format!("  {}", styled(QUIET, plain(&node.id))));
    if let Some(by) = &node.claimed_by {
        line.push_str(&format!("  {}", styled(WARN, format_args!("claimed by {}", plain(by)))));
    }
    if !node.waits_for.is_empty() {
        let mut blockers: Vec<&str> =
            node.waits_for.iter().map(|blocker| blocker.id.as_str()).collect();
        let more = format!("{} more", node.waits_for_omitted);
        if node.waits_for_omitted > 0 {
            blockers.push(&more);
        }
        line.push_str(&format!(
            "  {}",
            styled(WARN, format_args!("waits for {}", plain(&blockers.join(", "))))
        ));
    }
    line
}

/// What is not shown below a node, and how to see it.
fn hidden(node: &OutlineNode) -> Option<String> {
    match (node.done_hidden, node.deeper) {
        (0, 0) => None,
        (done, 0) => Some(format!("✓ {done} done, shown by --all")),
        (0, deeper) => Some(format!("… {deeper} deeper, shown by --depth")),
        (done, deeper) => Some(format!("✓ {done} done, … {deeper} deeper")),
    }
}

/// The beginning of the line of a node, and of a remark below it.
struct Branch {
    before: String,
    below: String,
}

/// Draws the lines between the nodes, which come parent before child.
fn branches(nodes: &[OutlineNode]) -> Vec<Branch> {
    // Whether another node of the same parent follows, seen from the end.
    let mut last = vec![true; nodes.len()];
    let mut open: Vec<bool> = Vec::new();
    for (index, node) in nodes.iter().enumerate().rev() {
        open.resize(node.level + 1, false);
        last[index] = !open[node.level];
        open[node.level] = true;
    }
    let mut path: Vec<bool> = Vec::new();
    let mut drawn = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        path.truncate(node.level);
        let above: String =
            path.iter().skip(1).map(|last| if *last { "   " } else { "│  " }).collect();
        let (branch, under) = match (node.level, last[index]) {
            (0, _) => ("", ""),
            (_, true) => ("└─ ", "   "),
            (_, false) => ("├─ ", "│  "),
        };
        path.push(last[index]);
        let has_children = nodes.get(index + 1).is_some_and(|next| next.level > node.level);
        let stem = if has_children { "│  " } else { "   " };
        drawn.push(Branch {
            before: format!("{above}{branch}"),
            below: format!("{above}{under}{stem}"),
        });
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(level: usize) -> OutlineNode {
        OutlineNode {
            level,
            id: String::new(),
            summary: String::new(),
            standing: Standing::Open,
            claimed_by: None,
            waits_for: Vec::new(),
            waits_for_omitted: 0,
            children: 0,
            children_done: 0,
            done_hidden: 0,
            deeper: 0,
        }
    }

    #[test]
    fn branches_join_what_belongs_together() {
        let nodes: Vec<_> = [0, 1, 2, 2, 3, 1, 2].into_iter().map(node).collect();
        let drawn: Vec<_> = branches(&nodes).into_iter().map(|branch| branch.before).collect();
        assert_eq!(drawn, ["", "├─ ", "│  ├─ ", "│  └─ ", "│     └─ ", "└─ ", "   └─ "]);
        let below: Vec<_> = branches(&nodes).into_iter().map(|branch| branch.below).collect();
        assert_eq!(below[0], "│  ");
        assert_eq!(below[3], "│     │  ");
        assert_eq!(below[4], "│           ");
        assert_eq!(below[6], "         ");
    }
}
