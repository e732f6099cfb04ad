//! `graph search TEXT`: one question to all domains.

use clap::{Args, builder::RangedU64ValueParser};

use super::{
    Shell,
    args::domain,
    format::number,
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, brief, plain, styled},
};
use crate::{
    base::Domain,
    compose::{self, Searched},
};

/// What to look for, and where.
#[derive(Debug, Args)]
pub struct Search {
    /// What to look for: the whole counts most, then all words, then some
    #[arg(required = true)]
    pub text: Vec<String>,
    /// Only in this domain; again for several
    #[arg(long, value_name = "NAME", value_parser = domain())]
    pub domain: Vec<Domain>,
    /// How many to show [default: 10]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=50))]
    pub limit: Option<usize>,
}

/// Shows what fits best.
pub fn run(ask: &Search, shell: &mut Shell) -> Outcome {
    let domains = Some(ask.domain.clone()).filter(|named| !named.is_empty());
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
