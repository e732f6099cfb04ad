//! `graph brief [PATH…|--diff [REV]]`: what an agent should know before it touches these files.

use clap::{Args, ValueHint, builder::RangedU64ValueParser};

use super::{
    Shell, completions,
    context::{bound, named},
    format::{freshness, number, when},
    output::{
        BAD, Done, Failure, GOOD, NEXT, Outcome, Output, QUIET, STRONG, WARN, block, brief, plain,
        styled,
    },
};
use crate::{
    base::Domain,
    base::hint::{cmd, hint},
    compose::{self, BriefAtom, BriefMolecule, Briefing, LastChange, LeftOut},
    kb::Violation,
};

/// The default revision that changes are counted from.
const HEAD: &str = "HEAD";

/// About which files.
#[derive(Debug, Args)]
pub struct Brief {
    /// Files or directories, relative to where you are [default: what differs from HEAD]
    #[arg(conflicts_with_all = ["diff", "node"], value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,
    /// The files that differ from this commit, staged or not, and new ones
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = HEAD, conflicts_with = "node")]
    pub diff: Option<String>,
    /// The files of this node, its own and those of what it is part of
    #[arg(long, value_name = "ID", add = completions::things_of(&[Domain::Work]))]
    pub node: Option<String>,
    /// Only what this project knows and plans
    #[arg(long, value_name = "NAME", add = completions::projects())]
    pub project: Option<String>,
    /// How long the answer may be, at four characters a token [default: 1500]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(200..=10_000))]
    pub max_tokens: Option<usize>,
}

/// Shows what to know about the files.
pub fn run(ask: &Brief, shell: &mut Shell) -> Outcome {
    let mut wanted = compose::Brief {
        paths: None,
        node_id: ask.node.clone(),
        project: ask.project.clone(),
        max_tokens: ask.max_tokens,
    };
    if ask.node.is_none() {
        let mut files = match ask.paths.is_empty() {
            true => changed(ask.diff.as_deref().unwrap_or(HEAD), shell)?,
            false => named(&ask.paths, shell)?,
        };
        bound(&mut files, shell)?;
        if files.is_empty() {
            let nothing = "no files to tell about: nothing has changed, or the directory is empty";
            if shell.out.json {
                shell
                    .out
                    .object(&Briefing { note: Some(nothing.to_owned()), ..Briefing::default() })?;
            } else {
                shell.out.line(nothing)?;
            }
            return Ok(Done::Ok);
        }
        wanted.paths = Some(files);
    }
    let briefing = shell.joined(|tx, around| compose::brief(tx, around, &wanted))?;
    if shell.out.json {
        shell.out.object(&briefing)?;
    } else {
        print(&briefing, &mut shell.out)?;
    }
    Ok(Done::Ok)
}

/// The files that differ from a commit.
fn changed(revision: &str, shell: &Shell) -> Result<Vec<String>, Failure> {
    shell.app.changed_files(revision)?.ok_or_else(|| Failure::Usage {
        message:
            "no files are named, and this is not a git repository: cannot tell which files changed"
                .to_owned(),
        hint: hint!["name them: ", cmd("graph brief PATH…")],
    })
}

fn print(briefing: &Briefing, out: &mut Output) -> std::io::Result<()> {
    if let Some(node) = &briefing.node {
        let holder = node.claimed_by.as_deref().map(|by| format!("  claimed by {}", plain(by)));
        let holder = styled(WARN, holder.unwrap_or_default());
        out.line(format_args!("{}  {}{holder}", styled(NEXT, &node.id), brief(&node.summary)))?;
    }
    for each in &briefing.atoms {
        atom(each, out)?;
    }
    for each in &briefing.molecules {
        molecule(each, out)?;
    }
    for each in &briefing.failing {
        violation(each, out)?;
    }
    for each in &briefing.kb {
        super::context::requirement(&each.thing, out)?;
    }
    for each in &briefing.work {
        super::context::open_work(&each.thing, out)?;
    }
    let mut begun = briefing.node.is_some()
        || !(briefing.atoms.is_empty()
            && briefing.molecules.is_empty()
            && briefing.failing.is_empty())
        || !(briefing.kb.is_empty() && briefing.work.is_empty());
    section("last changes", briefing.changes.len(), &mut begun, out)?;
    for each in &briefing.changes {
        change(each, out)?;
    }
    section("nothing is known about", briefing.unknown.len(), &mut begun, out)?;
    for path in &briefing.unknown {
        out.line(format_args!("  {}", plain(path)))?;
    }
    if begun {
        out.gap()?;
    }
    if let Some(note) = &briefing.note {
        out.line(plain(note))?;
    }
    if let Some(left_out) = &briefing.left_out {
        let counts = counts(left_out);
        if !counts.is_empty() {
            let more = styled(NEXT, "--max-tokens");
            out.line(format_args!("left out: {counts}; {more} makes room"))?;
        }
        if left_out.older > 0 {
            let older = number(left_out.older, "resolved node");
            out.line(styled(QUIET, format_args!("not looked at: {older} of longer ago")))?;
        }
    }
    let files = number(briefing.files, "file");
    out.line(styled(QUIET, format_args!("{files}, {} tokens", briefing.used_tokens)))
}

/// A heading, apart from what has begun before it; none over nothing.
fn section(title: &str, things: usize, begun: &mut bool, out: &mut Output) -> std::io::Result<()> {
    if things == 0 {
        return Ok(());
    }
    if std::mem::replace(begun, true) {
        out.gap()?;
    }
    out.line(styled(STRONG, title))
}

fn atom(atom: &BriefAtom, out: &mut Output) -> std::io::Result<()> {
    let group = atom.molecule.as_deref().map(|name| format!("  in {}", brief(name)));
    let project = atom.project.as_deref().map(|name| format!("  of {}", brief(name)));
    let where_from =
        format!("{}{}  {}", group.unwrap_or_default(), project.unwrap_or_default(), atom.id);
    let name = styled(STRONG, brief(&atom.name));
    let mark = freshness(atom.freshness.as_ref());
    out.line(format_args!("{} {name}{}{mark}", styled(GOOD, "●"), styled(QUIET, where_from)))?;
    let more = if atom.paths_omitted > 0 {
        format!(" and {} more", atom.paths_omitted)
    } else {
        String::new()
    };
    out.line(format_args!("    {}", styled(QUIET, plain(&atom.paths.join(", ")) + &more)))?;
    knowledge(atom.knowledge.as_deref(), atom.knowledge_bytes, out)
}

fn molecule(molecule: &BriefMolecule, out: &mut Output) -> std::io::Result<()> {
    let id = styled(QUIET, &molecule.id);
    out.line(format_args!(
        "{} {}  {id}",
        styled(GOOD, "◎"),
        styled(STRONG, brief(&molecule.name))
    ))?;
    knowledge(molecule.knowledge.as_deref(), molecule.knowledge_bytes, out)
}

fn knowledge(text: Option<&str>, bytes: usize, out: &mut Output) -> std::io::Result<()> {
    match text {
        Some("") => Ok(()),
        Some(text) => out.line(format_args!("    {}", block(text, "    "))),
        None => out.line(styled(QUIET, format_args!("    ({bytes} bytes not shown)"))),
    }
}

fn violation(violation: &Violation, out: &mut Output) -> std::io::Result<()> {
    let Violation { severity, entity, message, suggestion, .. } = violation;
    let style = if severity == "error" { BAD } else { WARN };
    let entity = styled(NEXT, plain(entity));
    out.line(format_args!("{} {entity}  {}", styled(style, "✗"), plain(message)))?;
    out.line(format_args!("    {} {}", styled(NEXT, "→"), plain(suggestion)))
}

fn change(change: &LastChange, out: &mut Output) -> std::io::Result<()> {
    let LastChange { at, by, kind, id, title, action, fields, note } = change;
    let what = match fields.is_empty() {
        true => plain(action),
        false => plain(&format!("{action} {}", fields.join(", "))),
    };
    let note = note.as_deref().map(|note| format!(" — {}", brief(note)));
    let at = styled(QUIET, when(*at));
    out.line(format_args!(
        "  {at}  {}  {what}: {} {}  {}{}",
        plain(by),
        plain(kind),
        styled(NEXT, plain(id)),
        brief(title),
        note.unwrap_or_default()
    ))
}

/// `2 atoms, 1 change`
fn counts(left_out: &LeftOut) -> String {
    let counts = [
        (left_out.knowledge, "text"),
        (left_out.atoms, "atom"),
        (left_out.molecules, "molecule"),
        (left_out.failing, "failing check"),
        (left_out.kb, "entity"),
        (left_out.work, "node"),
        (left_out.changes, "change"),
        (left_out.unknown, "path"),
    ];
    let some = counts.iter().filter(|(count, _)| *count > 0);
    some.map(|(count, noun)| number(*count, noun)).collect::<Vec<_>>().join(", ")
}
