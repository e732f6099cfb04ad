//! `graph kb check`: the rules, as lines or in a machine-readable format.

use clap::{Args, ValueEnum};

use super::{
    super::{
        Shell, completions,
        format::number,
        output::{BAD, Done, GOOD, NEXT, Outcome, Output, QUIET, STRONG, WARN, plain, styled},
    },
    report,
};
use crate::kb::{self, Checked, Violation};

/// What to check, and how to say it.
#[derive(Debug, Args)]
pub struct Check {
    /// Only this rule; again for several
    #[arg(long, value_name = "RULE", add = completions::rules())]
    pub rule: Vec<String>,
    /// Only what concerns this entity; again for several
    #[arg(long, value_name = "ID", add = completions::entities())]
    pub id: Vec<String>,
    /// On this branch [default: the active one]
    #[arg(long, value_name = "NAME", add = completions::branches())]
    pub branch: Option<String>,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Lines for people
    Text,
    /// The object of the tool, with all violations
    Json,
    /// SARIF 2.1.0, which code hosts and editors show
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

impl Check {
    /// Whether faults, too, are for machines.
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }
}

/// Runs the rules; exit code 1 where one finds an error.
pub fn run(ask: &Check, shell: &mut Shell) -> Outcome {
    let wanted =
        kb::Check { rules: ask.rule.clone(), ids: ask.id.clone(), branch: ask.branch.clone() };
    let (checked, rules) = super::read(shell, ask.branch.as_deref(), |tx, setting| {
        Ok((kb::check(tx, setting, &wanted)?, setting.rules.clone()))
    })?;
    let out = &mut shell.out;
    match ask.format {
        Format::Sarif => out.object(&report::sarif(&checked, &rules))?,
        Format::Github => {
            for violation in &checked.violations {
                out.line(report::github(violation))?;
            }
        }
        _ if out.json => out.object(&checked)?,
        Format::Json | Format::Text => print(&checked, ask, out)?,
    }
    Ok(if checked.passed { Done::Ok } else { Done::Violations })
}

fn print(checked: &Checked, ask: &Check, out: &mut Output) -> std::io::Result<()> {
    for violation in &checked.violations {
        let Violation { rule, severity, entity, message, suggestion, source } = violation;
        let style = if severity == "error" { BAD } else { WARN };
        let place = source.as_ref().map(|source| format!("  {}", plain(source)));
        out.line(format_args!(
            "{} {}  {}{}",
            styled(style, format_args!("{severity:<7}")),
            styled(STRONG, plain(entity)),
            plain(message),
            styled(QUIET, place.unwrap_or_default())
        ))?;
        out.line(format_args!(
            "        {} {}  {}",
            styled(NEXT, "→"),
            plain(suggestion),
            styled(QUIET, rule)
        ))?;
    }
    if !checked.violations.is_empty() {
        out.gap()?;
    }
    for rule in &checked.skipped {
        out.line(format_args!("{rule} is off: .kb/config.json switches it on"))?;
    }
    let branch = plain(&checked.branch);
    let errors = number(checked.counts.errors, "error");
    let warnings = number(checked.counts.warnings, "warning");
    match (checked.passed, checked.violations.is_empty()) {
        (true, true) => {
            let asked =
                ask.rule.iter().filter(|rule| !checked.skipped.iter().any(|it| it == *rule));
            let asked: Vec<_> = asked.map(|rule| plain(rule)).collect();
            let found = match (ask.rule.is_empty(), asked.len()) {
                (true, _) => format!("{branch} is in order"),
                (false, 0) => return out.line(format_args!("{branch} was not checked")),
                (false, 1) => format!("{branch}: {} holds", asked[0]),
                (false, _) => format!("{branch}: {} hold", asked.join(", ")),
            };
            let of = match ask.id.is_empty() {
                true => String::new(),
                false => format!(" for {}", plain(&ask.id.join(", "))),
            };
            out.line(format_args!("{} {found}{of}", styled(GOOD, "✓")))
        }
        (true, false) => out.line(format_args!("{} {branch}: {warnings}", styled(GOOD, "✓"))),
        (false, _) => out.line(format_args!("{} {branch}: {errors}, {warnings}", styled(BAD, "✗"))),
    }
}
