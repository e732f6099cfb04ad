//! `kb_check`: the rules, run over one branch. A rule is one file and one line in [`RULES`].

mod deprecated_adr;
mod flag_guards_nothing;
mod graph;
mod must_coverage;
mod no_cycles;
mod no_dangling;
mod required_fields;
mod symbol_coverage;
mod test_verifies_nothing;
mod unknown_status;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    branch,
    schema::{self, Schema},
    store::entities,
    types::{Setting, limits},
};
use crate::{
    base::{
        Error, Fault, Result,
        hint::{hint, tool_or},
        page, text,
        wire::is_zero,
    },
    db::Read,
};
use graph::Graph;

#[derive(Debug)]
pub struct Rule {
    /// Its name in settings and results.
    pub id: &'static str,
    /// A sentence about what it requires.
    pub about: &'static str,
    /// Its level where the settings do not name it.
    pub default: Level,
    find: fn(&Graph<'_>) -> Vec<Finding>,
}

/// All rules, in the order of results.
pub const RULES: &[Rule] = &[
    must_coverage::RULE,
    no_cycles::RULE,
    no_dangling::RULE,
    required_fields::RULE,
    symbol_coverage::RULE,
    deprecated_adr::RULE,
    unknown_status::RULE,
    flag_guards_nothing::RULE,
    test_verifies_nothing::RULE,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A check that finds it does not pass.
    Error,
    /// Reported, without failing a check.
    Warning,
    /// The rule does not run.
    Off,
}

impl Level {
    pub const ALL: &[Level] = &[Level::Error, Level::Warning, Level::Off];

    /// The name in settings and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Off => "off",
        }
    }
}

/// How serious each rule is: what `.kb/config.json` sets, else its own default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules(BTreeMap<String, Level>);

impl From<BTreeMap<String, Level>> for Rules {
    fn from(levels: BTreeMap<String, Level>) -> Self {
        Rules(levels)
    }
}

impl Rules {
    pub fn level(&self, rule: &Rule) -> Level {
        self.0.get(rule.id).copied().unwrap_or(rule.default)
    }
}

/// What one rule found at one entity.
#[derive(Debug)]
struct Finding {
    entity: String,
    /// Whom it concerns as much, such as the rest of a cycle.
    others: Vec<String>,
    message: String,
    suggestion: String,
    source: Option<String>,
}

/// What to check.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Check {
    /// Default: all that are on
    #[serde(default)]
    pub rules: Vec<String>,
    /// Only these entities
    #[serde(default)]
    pub ids: Vec<String>,
    /// Default: the active one
    pub branch: Option<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Checked {
    pub branch: String,
    /// Whether no violation is an error.
    pub passed: bool,
    /// Ordered by rule, then by entity.
    pub violations: Vec<Violation>,
    #[serde(skip_serializing_if = "is_zero")]
    pub violations_omitted: usize,
    pub counts: Counts,
    /// Rules that were asked for and are off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
}

/// How many violations there are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Counts {
    pub errors: usize,
    pub warnings: usize,
    /// Of each rule that found some.
    pub by_rule: BTreeMap<String, usize>,
}

/// One thing that a rule found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Violation {
    pub rule: String,
    /// error or warning.
    pub severity: String,
    /// The entity it is about.
    pub entity: String,
    pub message: String,
    /// A change that resolves the violation.
    pub suggestion: String,
    /// The file and line that declare it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Runs the rules; returns all violations.
pub fn check(tx: &Read<'_>, setting: &Setting, ask: &Check) -> Result<Checked> {
    let branch = branch::get(tx, "branch", &setting.branch)?;
    let wanted = named_rules(&ask.rules)?;
    text::check_count("ids", ask.ids.len(), limits::NAMES)?;
    for (index, id) in ask.ids.iter().enumerate() {
        if entities::type_of(tx, &branch, id)?.is_none() {
            let fault = Fault::not_found(&format!("ids[{index}]"), "entity", id);
            return Err(fault
                .hint(hint![tool_or("kb_query", "graph kb query"), " finds entities"])
                .into());
        }
    }
    let only: BTreeSet<&str> = ask.ids.iter().map(String::as_str).collect();
    let (off, on): (Vec<_>, Vec<_>) =
        wanted.into_iter().partition(|rule| setting.rules.level(rule) == Level::Off);
    let graph = match only.is_empty() {
        true => Graph::load(tx, &branch, &setting.schema)?,
        false => Graph::around(tx, &branch, &setting.schema, &only)?,
    };
    let (mut violations, mut counts) = (Vec::new(), Counts::default());
    tx.progress().expect(on.len());
    for rule in on {
        let level = setting.rules.level(rule);
        let mut found = (rule.find)(&graph);
        found.retain(|Finding { entity, others, .. }| {
            let mut concerned = std::iter::once(entity).chain(others);
            only.is_empty() || concerned.any(|id| only.contains(id.as_str()))
        });
        match level {
            Level::Error => counts.errors += found.len(),
            _ => counts.warnings += found.len(),
        }
        if !found.is_empty() {
            counts.by_rule.insert(rule.id.to_owned(), found.len());
        }
        violations.extend(found.into_iter().map(|finding| Violation {
            rule: rule.id.to_owned(),
            severity: level.as_str().to_owned(),
            entity: finding.entity,
            message: finding.message,
            suggestion: finding.suggestion,
            source: finding.source,
        }));
        tx.progress().step();
    }
    let asked = |rule: &&Rule| ask.rules.iter().any(|name| name == rule.id);
    Ok(Checked {
        branch: branch.name,
        passed: counts.errors == 0,
        violations,
        violations_omitted: 0,
        counts,
        skipped: off.into_iter().filter(asked).map(|rule| rule.id.to_owned()).collect(),
    })
}

impl Checked {
    /// Keeps as many violations as a response may have, errors before warnings.
    pub fn cut(mut self) -> Result<Self> {
        self.violations.sort_by_key(|violation| violation.severity != Level::Error.as_str());
        self.violations_omitted = page::cut(&mut self.violations, page::DEFAULT_CHARS)?;
        Ok(self)
    }
}

fn named_rules(names: &[String]) -> Result<Vec<&'static Rule>> {
    for (index, name) in names.iter().enumerate() {
        if !RULES.iter().any(|rule| rule.id == *name) {
            let problem = format!(
                "is `{}`, and there is no such rule{}",
                text::shorten(name, 80),
                text::did_you_mean(text::closest(name, RULES.iter().map(|known| known.id)))
            );
            let known: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
            return Err(Error::from(
                Fault::invalid(&format!("rules[{index}]"), problem)
                    .details(json!({ "allowed": known }))
                    .hint(format!("{}, or leave `rules` out for all", schema::allowed(&known))),
            ));
        }
    }
    let named = |rule: &&Rule| names.is_empty() || names.iter().any(|name| name == rule.id);
    Ok(RULES.iter().filter(named).collect())
}
