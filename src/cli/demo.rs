//! `graph demo`: the main job in a small story, played with real calls in a temporary directory.

use std::mem;

use clap::{Args, Parser};
use serde_json::{Value, json};

use super::{
    Shell,
    args::Cli,
    command,
    interrupt::Stop,
    output::{Done, Failure, GOOD, NEXT, Outcome, QUIET, STRONG, WARN, brief, plain, styled},
};
use crate::{
    app::Stage,
    base::{
        Error,
        hint::{cmd, hint},
        text::shorten,
    },
    tools::Registry,
};

/// The branch that the requirement is written on.
const BRANCH: &str = "pay-by-card";
/// The file that the story is about.
const FILE: &str = "src/pay/card.rs";

/// Characters of a call that are shown.
const WIDTH: usize = 78;

/// Options of `graph demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// Keep the directory, to inspect it
    #[arg(long)]
    pub keep: bool,
}

/// Plays the story and deletes its directory, also where it fails.
pub fn run(ask: &Demo, shell: &mut Shell) -> Outcome {
    if shell.out.json {
        return Err(Failure::Usage {
            message: "a demo is for people, and has no objects".to_owned(),
            hint: hint!["leave --json out"; cmd("graph tool"), " prints objects"],
        });
    }
    let stop = Stop::on_interrupt()?;
    let (stage, app) = Stage::new()?;
    let ctx = app.ctx(None);
    let (app, ctx) = (mem::replace(&mut shell.app, app), mem::replace(&mut shell.ctx, ctx));
    let outcome = Story { stage: &stage, shell, stop, chapter: 0 }.tell();
    // Its database is closed before its directory goes.
    shell.ctx = ctx;
    drop(mem::replace(&mut shell.app, app));
    let place = match ask.keep {
        true => Some(stage.keep()),
        false => None,
    };
    outcome?;
    let out = &mut shell.out;
    out.gap()?;
    match place {
        Some(place) => {
            let place = plain(&place.display().to_string());
            out.line(format_args!(
                "the demo stored everything in one SQLite file, kept: {}",
                styled(NEXT, format!("{place}/graph.db"))
            ))?;
        }
        None => out
            .line("the demo stored everything in one SQLite file, now deleted (--keep keeps it)")?,
    }
    out.line(format_args!("set up your own project: {}", styled(NEXT, "graph init")))?;
    Ok(Done::Ok)
}

struct Story<'a> {
    stage: &'a Stage,
    shell: &'a mut Shell,
    stop: Stop,
    chapter: usize,
}

impl Story<'_> {
    fn tell(&mut self) -> Result<(), Failure> {
        let intro =
            "Two agents build a shop. They call MCP tools; what you would type begins with $.";
        self.shell.out.line(styled(QUIET, intro))?;

        self.stage.write(FILE, "// charges a card\n")?;
        self.chapter("ana plans tasks, subtasks and dependencies")?;
        self.tool(
            "ana",
            "graph_open",
            &json!({ "project": "shop", "goal": "Sell books on the web" }),
        )?;
        let planned = self.tool("ana", "graph_plan", &plan())?;
        let created =
            |index: usize| planned["created"][index]["id"].as_str().unwrap_or_default().to_owned();
        let (provider, card) = (created(1), created(2));
        self.shows("ben", "graph tree")?;

        self.chapter("ana claims the next task, so that no other agent gets it")?;
        self.shows("ana", "graph next --claim")?;
        self.chapter(
            "ana resolves it with evidence, and the task that depends on it becomes ready",
        )?;
        self.resolves("ana", &provider, json!({ "type": "note", "ref": "it has a sandbox" }))?;

        self.chapter("ana records what she learned, for the files that it is about")?;
        self.tool("ana", "manage_graph", &atom())?;
        self.requirement(&card)
    }

    /// The part of the story about the KB.
    fn requirement(&mut self, card: &str) -> Result<(), Failure> {
        let kb = self.stage.is_apart();
        match &self.stage.without_git {
            None => {
                self.stage.switch_to(BRANCH).map_err(Error::internal)?;
                self.chapter(&format!("on branch {BRANCH}, somebody writes a requirement"))?;
            }
            Some(reason) => {
                self.chapter("somebody writes a requirement")?;
                let reason = format!("  (branches are left out: {})", plain(reason));
                self.shell.out.line(styled(WARN, reason))?;
            }
        }
        if kb {
            self.writes(&[("docs/requirements/pay.md", REQUIREMENT), ("symbols.yaml", SYMBOL)])?;
            self.shows("ben", "graph kb check")?;
        }
        self.chapter("ben asks for a briefing before he edits the file")?;
        self.shows("ben", &format!("graph brief {FILE}"))?;
        if kb {
            self.chapter("with a scenario and a test, the check passes")?;
            let linked = REQUIREMENT.replace("---\n#", LINKS);
            let covered = format!("{SYMBOL}    covered_by: T-1\n");
            self.writes(&[
                ("docs/scenarios/declined.md", SCENARIO),
                ("docs/tests/declined.md", TEST),
                ("docs/requirements/pay.md", &linked),
                ("symbols.yaml", &covered),
            ])?;
            self.shows("ben", "graph kb check")?;
        }
        if kb && self.stage.without_git.is_none() {
            self.shows("ben", "graph kb branch")?;
        }
        self.chapter("ben resolves his task, and the next one becomes ready")?;
        self.resolves("ben", card, json!({ "type": "test", "ref": "T-1 passes" }))
    }

    /// Resolves a node with evidence, and shows what that unblocked.
    fn resolves(&mut self, agent: &str, node: &str, evidence: Value) -> Result<(), Failure> {
        let update = json!({ "node_id": node, "resolved": true, "add_evidence": [evidence] });
        let answer = self.tool(agent, "graph_update", &json!({ "updates": [update] }))?;
        for ready in answer["newly_actionable"].as_array().into_iter().flatten() {
            let summary = brief(ready["summary"].as_str().unwrap_or_default());
            let (mark, id) = (styled(NEXT, "▶"), ready["id"].as_str().unwrap_or_default());
            self.shell.out.line(format_args!("  newly actionable: {mark} {id}  {summary}"))?;
        }
        Ok(())
    }

    fn chapter(&mut self, title: &str) -> Result<(), Failure> {
        self.stop.check()?;
        self.chapter += 1;
        let chapter = self.chapter;
        self.shell.out.gap()?;
        let title = format!("{chapter}. {title}");
        Ok(self.shell.out.line(styled(STRONG, title))?)
    }

    /// Calls a tool as an agent does.
    fn tool(&mut self, agent: &str, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        self.stop.check()?;
        let ctx = self.shell.app.ctx(Some(agent));
        let answer = Registry::of(&self.shell.app).call(
            &mut self.shell.app,
            &ctx,
            tool,
            arguments.clone(),
        )?;
        let called = format!("  {agent} calls {tool} {arguments}");
        self.shell.out.line(styled(QUIET, plain(&shorten(&called, WIDTH))))?;
        Ok(answer)
    }

    /// Runs a command as a person types it. A check that fails is part of the demo.
    fn shows(&mut self, who: &str, line: &str) -> Result<(), Failure> {
        self.shell.out.line(format_args!("{} {}", styled(GOOD, "$"), styled(NEXT, line)))?;
        self.shell.ctx = self.shell.app.ctx(Some(who));
        self.runs(line)
    }

    /// Writes files, and syncs as a git hook does, without output.
    fn writes(&mut self, files: &[(&str, &str)]) -> Result<(), Failure> {
        for (name, text) in files {
            self.stage.write(name, text)?;
        }
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        self.shell.out.line(styled(QUIET, format_args!("  written: {names}")))?;
        self.runs("graph kb sync --hook")
    }

    fn runs(&mut self, line: &str) -> Result<(), Failure> {
        self.stop.check()?;
        let typed = Cli::try_parse_from(line.split(' ')).map_err(Error::internal)?;
        command(&typed.command, self.shell).map(drop)
    }
}

fn plan() -> Value {
    json!({ "nodes": [
        { "ref": "pay", "summary": "Take payments" },
        { "ref": "provider", "parent_ref": "pay", "summary": "Choose a payment provider" },
        { "ref": "card", "parent_ref": "pay", "summary": "Pay by card", "depends_on": ["provider"],
          "context_links": [FILE] },
        { "ref": "receipt", "summary": "Send a receipt", "depends_on": ["card"] },
    ] })
}

fn atom() -> Value {
    json!({ "operation": "create", "entityType": "atom", "name": "Payments", "paths": ["src/pay/**"],
        "knowledge": "Amounts are cents. The provider repeats a call after 30 s: be idempotent." })
}

const REQUIREMENT: &str = "\
---
id: REQ-1
status: approved
priority: must
---
# A declined card keeps the order
";
const LINKS: &str = "\
links:
  specified_by: S-1
  verified_by: T-1
---
#";
const SYMBOL: &str = "\
symbols:
  - id: pay::card
    file: src/pay/card.rs
    implements: REQ-1
";
const SCENARIO: &str = "\
---
id: S-1
status: active
---
# The bank declines, the basket stays
";
const TEST: &str = "\
---
id: T-1
status: active
---
# declined_card_keeps_the_order
";
