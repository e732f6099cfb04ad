//! `graph search TEXT`: one question to all domains.

use clap::{Args, ValueEnum, builder::RangedU64ValueParser};

use super::{
    Shell,
    format::number,
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, brief, plain, styled},
};
use crate::compose::{self, Searched};

/// What to look for, and where.
#[derive(Debug, Args)]
pub struct Search {
    /// What to look for: the whole counts most, then all words, then some
    #[arg(required = true)]
    pub text: Vec<String>,
    /// Only in this domain; again for several
    #[arg(long, value_enum, value_name = "NAME")]
    pub domain: Vec<Domain>,
    /// How many to show [default: 10]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=50))]
    pub limit: Option<usize>,
}

/// Where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Domain {
    /// Nodes of the work graph
    Work,
    /// Atoms and molecules
    Knowledge,
    /// What is remembered
    Memory,
    /// Requirements, decisions and more
    Kb,
}

impl From<Domain> for compose::Domain {
    fn from(domain: Domain) -> Self {
        match domain {
            Domain::Work => compose::Domain::Work,
            Domain::Knowledge => compose::Domain::Knowledge,
            Domain::Memory => compose::Domain::Memory,
            Domain::Kb => compose::Domain::Kb,
        }
    }
}

/// Shows what fits best.
pub fn run(ask: &Search, shell: &mut Shell) -> Outcome {
    let domains =
        (!ask.domain.is_empty()).then(|| ask.domain.iter().map(|&it| it.into()).collect());
    let wanted = compose::Search { query: ask.text.join(" "), domains, limit: ask.limit };
    let found = shell.joined(|tx, around| compose::search(tx, around, &wanted))?;
    if shell.out.json {
        shell.out.object(&found)?;
    } else {
        print(&found, ask.limit, &mut shell.out)?;
    }
    Ok(Done::Ok)
}

fn print(found: &Searched, limit: Option<usize>, out: &mut Output) -> std::io::Result<()> {
    for hit in &found.hits {
        let place = format!("{} {}", hit.domain.as_str(), plain(&hit.kind));
        let id = styled(NEXT, plain(&hit.id));
        out.line(format_args!(
            "{id}  {}  {}",
            styled(QUIET, place),
            styled(STRONG, brief(&hit.title))
        ))?;
        if let Some(snippet) = &hit.snippet {
            out.line(format_args!("    {}", plain(snippet)))?;
        }
    }
    if let Some(note) = &found.note {
        out.line(plain(note))?;
    }
    if found.hits.is_empty() {
        return out.line("nothing has this text");
    }
    if found.omitted > 0 {
        out.gap()?;
        let least = if found.more { "at least " } else { "" };
        let more = format!("{least}{}", number(found.omitted, "more hit"));
        let wider = match limit.is_none_or(|limit| limit < 50) && !found.more {
            true => "--limit 50 shows more",
            false => "another word or --domain narrows it",
        };
        out.line(format_args!("{more}; {}", styled(NEXT, wider)))?;
    }
    Ok(())
}
