//! `graph atoms` and `graph molecules`: what is known, by name.

use clap::{Args, builder::RangedU64ValueParser};

use super::{
    Shell,
    format::{freshness, number},
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, brief, plain, styled},
};
use crate::{
    base::wire::Envelope,
    knowledge::{self, Knowledge, Listed, Search},
};

/// Characters of the text of each in the list.
const TEXT: usize = 100;

/// What these commands call otherwise than the tools do.
pub const OPTIONS: &[(&str, &str)] = &[("projectId", "--project"), ("moleculeId", "--molecule")];

/// Which atoms.
#[derive(Debug, Args)]
pub struct Atoms {
    /// Only those with this text in name or knowledge
    pub text: Option<String>,
    /// Only those of this molecule, by id
    #[arg(long, value_name = "ID", add = super::completions::molecules())]
    pub molecule: Option<String>,
    /// Only those without a molecule
    #[arg(long, conflicts_with = "molecule")]
    pub orphans: bool,
    /// Which page of them
    #[command(flatten)]
    pub page: Page,
}

/// Which molecules.
#[derive(Debug, Args)]
pub struct Molecules {
    /// Only those with this text in name or knowledge
    pub text: Option<String>,
    /// Which page of them
    #[command(flatten)]
    pub page: Page,
}

/// Of which project, and how much.
#[derive(Debug, Args)]
pub struct Page {
    /// The project's name; may be left out when there is only one
    #[arg(long, value_name = "NAME", add = super::completions::projects())]
    pub project: Option<String>,
    /// How many to show
    #[arg(long, value_name = "N", default_value = "20", value_parser = RangedU64ValueParser::<usize>::new().range(1..=100))]
    pub limit: usize,
    /// How many to pass over
    #[arg(long, value_name = "N", default_value = "0")]
    pub offset: usize,
}

impl Page {
    fn search(&self, query: Option<&String>) -> Search {
        Search {
            project: self.project.clone(),
            query: query.cloned(),
            limit: self.limit,
            offset: self.offset,
            ..Search::default()
        }
    }
}

/// Lists atoms with their patterns.
pub fn atoms(ask: &Atoms, shell: &mut Shell) -> Outcome {
    shell.out.enveloped = true;
    shell.out.fields = OPTIONS;
    let search = Search {
        molecule: ask.molecule.clone(),
        orphans_only: ask.orphans,
        ..ask.page.search(ask.text.as_ref())
    };
    let found = shell.read(|tx| knowledge::search_atoms(tx, &search))?;
    list(shell, found, "atom", |out, atom| {
        let mark = freshness(atom.freshness.as_ref());
        head(out, &atom.name, atom.version, &atom.id, &mark)?;
        out.line(format_args!("  {}", styled(NEXT, plain(&atom.paths.join("  ")))))?;
        text(out, &atom.knowledge)
    })
}

/// Lists molecules.
pub fn molecules(ask: &Molecules, shell: &mut Shell) -> Outcome {
    shell.out.enveloped = true;
    shell.out.fields = OPTIONS;
    let search = ask.page.search(ask.text.as_ref());
    let found = shell.read(|tx| knowledge::search_molecules(tx, &search))?;
    list(shell, found, "molecule", |out, molecule| {
        head(out, &molecule.name, molecule.version, &molecule.id, "")?;
        text(out, &molecule.knowledge)
    })
}

fn list<T: serde::Serialize>(
    shell: &mut Shell,
    found: Listed<T>,
    noun: &str,
    mut print: impl FnMut(&mut Output, &T) -> std::io::Result<()>,
) -> Outcome {
    let out = &mut shell.out;
    if out.json {
        out.object(&Envelope::new(found))?;
        return Ok(Done::Ok);
    }
    if found.total == 0 {
        out.line(format_args!("no {noun} fits; an agent makes one with manage_graph"))?;
        return Ok(Done::Ok);
    }
    for item in &found.items {
        print(out, item)?;
    }
    let total = number(found.total, noun);
    if found.items.is_empty() {
        out.line(format_args!("{total}, and --offset {} is past the last", found.offset))?;
        return Ok(Done::Ok);
    }
    let shown = found.offset + found.items.len();
    if shown < found.total {
        out.gap()?;
        let next = styled(NEXT, format!("--offset {shown}"));
        out.line(format_args!("{shown} of {total}: {next}"))?;
    }
    Ok(Done::Ok)
}

fn head(out: &mut Output, name: &str, version: i64, id: &str, mark: &str) -> std::io::Result<()> {
    let version = styled(QUIET, format!("v{version}  {id}"));
    out.line(format_args!("{}  {version}{mark}", styled(STRONG, brief(name))))
}

/// The beginning of the text; `graph context` has all of it.
fn text(out: &mut Output, knowledge: &Knowledge) -> std::io::Result<()> {
    let shown = match &knowledge.knowledge {
        Some(text) if text.is_empty() => return Ok(()),
        Some(text) => plain(&crate::base::text::shorten(text, TEXT)),
        None => format!("({} bytes)", knowledge.knowledge_bytes),
    };
    out.line(format_args!("  {shown}"))
}
