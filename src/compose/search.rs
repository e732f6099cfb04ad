//! `graph_search`: one question to all domains at once.

use std::{cmp::Reverse, collections::BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Around;
use crate::{
    base::{Domain, Fault, Result, text, wire::is_zero},
    db::{self, Fit, Hit, Question, Read, Told},
    domains,
};

/// Hits of an answer where the caller does not say.
const LIMIT: usize = 10;
/// Hits of an answer at the most.
const MOST: usize = 50;
/// How to see what was left out.
const WIDEN: &str = "limit up to 50 shows more";
const NARROW: &str = "another word, or domains, narrows it";
const UNSEEN: &str = "only the newest texts were looked at: another word, or domains, narrows it";
/// Texts that are looked at for each of the words, the newest first.
const LOOKED_AT: usize = 300;
/// Characters of a title, and of the text around a match.
const TITLE: usize = 120;
const SNIPPET: usize = 160;

/// What to look for, and where.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Search {
    pub query: String,
    #[schemars(extend("format" = "csv"))]
    pub domains: Option<Vec<Domain>>,
    /// Default 10
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<usize>,
}

/// What was found, the best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Searched {
    /// What has the whole text first, then what has all its words, then what has some; titles before other text.
    pub hits: Vec<FoundText>,
    /// Found, and not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// Whether there is more than was looked at, so that `omitted` is the least there is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<&'static str>,
    /// Why something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FoundText {
    /// Where.
    pub domain: Domain,
    /// Its id there.
    pub id: String,
    /// node, project, atom, molecule, or the type of what is remembered or required.
    pub kind: String,
    /// What it is called.
    pub title: String,
    /// The text around the match; absent where the title says it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

/// Looks in all domains that are on, or in those that are named.
pub fn search(tx: &Read<'_>, around: &Around<'_>, ask: &Search) -> Result<Searched> {
    let domains = domains(around, ask)?;
    let question = Question::new("query", &ask.query)?;
    let (hits, mut more) = db::find(tx, &question, LOOKED_AT, |domain, subject| {
        // Other branches have texts of their own in the index.
        Ok(domains.contains(&domain)
            && (domain != Domain::Kb || told(tx, around, domain, subject)?.is_some()))
    })?;
    let mut found = Vec::new();
    for Hit { seq, fit, domain, subject } in hits {
        if let Some(told) = told(tx, around, domain, &subject)? {
            let fit =
                if question.has_short_words() { fit.min(fits(&question, &told)) } else { fit };
            found.push((fit, seq, domain, told));
        }
    }
    if question.is_short() {
        let short = short(tx, around, &domains, &question, &mut more)?;
        let known: BTreeSet<(Domain, String)> =
            found.iter().map(|(.., domain, told)| (*domain, told.id.clone())).collect();
        let new =
            short.into_iter().filter(|(domain, told)| !known.contains(&(*domain, told.id.clone())));
        found.extend(new.map(|(domain, told)| (fits(&question, &told), 0, domain, told)));
    }
    found.sort_by_cached_key(|(fit, seq, domain, told)| {
        (*fit, question.fit(&told.title), Reverse(*seq), *domain, told.id.clone())
    });
    let omitted = found.len();
    let shown = found.into_iter().take(ask.limit.unwrap_or(LIMIT));
    let hits: Vec<FoundText> =
        shown.map(|(.., domain, told)| shown_as(&question, domain, told)).collect();
    let omitted = omitted - hits.len();
    let how = match (more, omitted) {
        (true, _) => Some(UNSEEN),
        (false, 0) => None,
        (false, _) if hits.len() < MOST => Some(WIDEN),
        (false, _) => Some(NARROW),
    };
    let note = around.note().filter(|_| domains.contains(&Domain::Kb));
    Ok(Searched { hits, omitted, more, how, note })
}

/// The domains to look in: all that are on, or those that were named, which must be on.
fn domains(around: &Around<'_>, ask: &Search) -> Result<BTreeSet<Domain>> {
    let on = |domain: &Domain| around.has(*domain);
    let Some(named) = ask.domains.as_ref().filter(|named| !named.is_empty()) else {
        return Ok(Domain::ALL.iter().copied().filter(on).collect());
    };
    match named.iter().find(|domain| !on(domain)) {
        Some(off) => {
            let problem = format!("has `{}`, and that toolset is not on", off.as_str());
            Err(Fault::invalid("domains", problem)
                .hint("leave `domains` out for all that are on")
                .into())
        }
        None => Ok(named.iter().copied().collect()),
    }
}

/// What a domain says about one of its texts; none where it is gone, or of another branch.
fn told(tx: &Read<'_>, around: &Around<'_>, domain: Domain, subject: &str) -> Result<Option<Told>> {
    (domains::of(domain).text_of)(tx, around.kb, subject)
}

/// What has one of the words, all of which are too short for the index: every text is looked into.
fn short(
    tx: &Read<'_>,
    around: &Around<'_>,
    domains: &BTreeSet<Domain>,
    question: &Question,
    more: &mut bool,
) -> Result<Vec<(Domain, Told)>> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for &domain in domains {
        // The first is the whole, which is one of the words where there is only one.
        for word in question.folded().skip(1) {
            let most = LOOKED_AT + 1;
            let subjects = (domains::of(domain).short_matches)(tx, around.kb, word, most)?;
            *more |= subjects.len() == most;
            for subject in subjects.into_iter().take(LOOKED_AT) {
                if let Some(told) = told(tx, around, domain, &subject)?
                    && seen.insert((domain, told.id.clone()))
                {
                    found.push((domain, told));
                }
            }
        }
    }
    Ok(found)
}

fn fits(question: &Question, told: &Told) -> Fit {
    question.fit(&format!("{}\n{}\n{}", told.id, told.title, told.text))
}

fn shown_as(question: &Question, domain: Domain, told: Told) -> FoundText {
    let Told { id, kind, title, text } = told;
    let title = text::snippet(&title, [], TITLE);
    let snippet = text::snippet(&text, question.folded(), SNIPPET);
    let snippet = Some(snippet).filter(|snippet| !snippet.is_empty() && *snippet != title);
    FoundText { domain, id, kind, title, snippet }
}
