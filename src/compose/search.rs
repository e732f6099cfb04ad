//! `graph_search`: one query over all domains.

use std::{cmp::Reverse, collections::BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Around;
use crate::{
    base::{Domain, Fault, Result, text, wire::is_zero},
    db::{self, Fit, Hit, IndexedText, Question, Read},
    domains,
};

/// Hits of a response where the caller does not say.
const LIMIT: usize = 10;
/// Hits of a response at most.
const MOST: usize = 50;
/// How to see more.
const WIDEN: &str = "limit up to 50 shows more";
const NARROW: &str = "another word, or domains, narrows it";
const UNSEEN: &str = "only the newest texts were searched: another word, or domains, narrows it";
/// Texts that are searched for each of the words, the newest first.
const SEARCHED: usize = 300;
/// Characters of a title, and of the text around a match.
const TITLE: usize = 120;
const SNIPPET: usize = 160;

/// A call of `graph_search`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Search {
    pub query: String,
    #[schemars(extend("format" = "csv"))]
    pub domains: Option<Vec<Domain>>,
    /// Default 10
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<usize>,
}

/// The hits, best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Searched {
    /// Those with the whole text first, then those with all its words, then those with some; titles before other text.
    pub hits: Vec<FoundText>,
    /// Hits that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// Whether there is more than was searched, so that `omitted` is a lower bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// How to see what is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<&'static str>,
    /// Why something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FoundText {
    pub domain: Domain,
    pub id: String,
    /// node, project, atom, molecule, or the type of a memory or an entity.
    pub kind: String,
    pub title: String,
    /// The text around the match; absent where it is the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

/// Searches all domains that are on, or those that are named.
pub fn search(tx: &Read<'_>, around: &Around<'_>, ask: &Search) -> Result<Searched> {
    let domains = domains(around, ask)?;
    let question = Question::new("query", &ask.query)?;
    let (hits, mut more) = db::find(tx, &question, SEARCHED, |domain, subject| {
        let by_branch = domains::of(domain).by_branch;
        Ok(domains.contains(&domain)
            && (!by_branch || text_of(tx, around, domain, subject)?.is_some()))
    })?;
    let mut found = Vec::new();
    for Hit { seq, fit, domain, subject } in hits {
        if let Some(text) = text_of(tx, around, domain, &subject)? {
            let fit =
                if question.has_short_words() { fit.min(fits(&question, &text)) } else { fit };
            found.push((fit, seq, domain, text));
        }
    }
    if question.is_short() {
        let short = short(tx, around, &domains, &question, &mut more)?;
        let known: BTreeSet<(Domain, String)> =
            found.iter().map(|(.., domain, text)| (*domain, text.id.clone())).collect();
        let new =
            short.into_iter().filter(|(domain, text)| !known.contains(&(*domain, text.id.clone())));
        found.extend(new.map(|(domain, text)| (fits(&question, &text), 0, domain, text)));
    }
    found.sort_by_cached_key(|(fit, seq, domain, text)| {
        (*fit, question.fit(&text.title), Reverse(*seq), *domain, text.id.clone())
    });
    let omitted = found.len();
    let shown = found.into_iter().take(ask.limit.unwrap_or(LIMIT));
    let hits: Vec<FoundText> =
        shown.map(|(.., domain, text)| hit(&question, domain, text)).collect();
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

/// The domains to search: all that are on, or those that were named, which must be on.
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

/// The text of a subject; none where it no longer exists, or is of another branch.
fn text_of(
    tx: &Read<'_>,
    around: &Around<'_>,
    domain: Domain,
    subject: &str,
) -> Result<Option<IndexedText>> {
    (domains::of(domain).text_of)(tx, around.kb, subject)
}

/// Texts with one of the words, all of which are too short for the index: every text is searched.
fn short(
    tx: &Read<'_>,
    around: &Around<'_>,
    domains: &BTreeSet<Domain>,
    question: &Question,
    more: &mut bool,
) -> Result<Vec<(Domain, IndexedText)>> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for &domain in domains {
        // The first is the whole query, which is one of the words where there is only one.
        for word in question.folded().skip(1) {
            let most = SEARCHED + 1;
            let subjects = (domains::of(domain).short_matches)(tx, around.kb, word, most)?;
            *more |= subjects.len() == most;
            for subject in subjects.into_iter().take(SEARCHED) {
                if let Some(text) = text_of(tx, around, domain, &subject)?
                    && seen.insert((domain, text.id.clone()))
                {
                    found.push((domain, text));
                }
            }
        }
    }
    Ok(found)
}

fn fits(question: &Question, text: &IndexedText) -> Fit {
    question.fit(&format!("{}\n{}\n{}", text.id, text.title, text.text))
}

fn hit(question: &Question, domain: Domain, text: IndexedText) -> FoundText {
    let IndexedText { id, kind, title, text } = text;
    let title = text::snippet(&title, [], TITLE);
    let snippet = text::snippet(&text, question.folded(), SNIPPET);
    let snippet = Some(snippet).filter(|snippet| !snippet.is_empty() && *snippet != title);
    FoundText { domain, id, kind, title, snippet }
}
