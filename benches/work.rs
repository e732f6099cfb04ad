#![doc = include_str!("README.md")]
#![allow(clippy::print_stdout, reason = "its output is for people")]
#![allow(clippy::disallowed_methods, reason = "it plays the client, which starts the server")]
#![allow(clippy::cast_precision_loss, reason = "figures are for reading")]

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

#[allow(dead_code, reason = "another benchmark uses the rest")]
mod support;

use support::{
    client::{Client, Program},
    durable::Durable,
    floor::Sql,
    plan::{Outcome, Plan, sample},
    project::{self, COMMON_WORD, Project, RARE_WORD},
    report::{Line, Report},
    stats::{Random, Samples},
};

fn main() -> Outcome {
    let plan = Plan::from_arguments()?;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("work-bench");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut report = Report::default();
    let bare = Program::bare("streams");

    let mut projects = Vec::new();
    for &size in &plan.sizes {
        let start = Instant::now();
        projects.push(Project::build(&folder, size));
        println!("built {size} nodes in {:.1} s", start.elapsed().as_secs_f64());
    }
    Bench {
        plan: &plan,
        bare: bare.session(),
        pipes: Program::bare("pipes").session(),
        durable: Durable::create(&folder)?,
        sides: projects.iter().map(Side::new).collect::<Outcome<_>>()?,
        report: &mut report,
    }
    .run()?;
    if let Some(project) = projects.last() {
        starts(&plan, project, &bare, &mut report);
        memory(project, &mut report);
    }
    plans(&folder, &mut report)?;
    println!("\n{}", report.table());
    println!("figures: {}", report.save("work")?.display());
    match plan.keep {
        true => println!("projects: {}", folder.display()),
        false => fs::remove_dir_all(&folder)?,
    }
    Ok(())
}

/// The floors, and all projects beside them.
struct Bench<'a> {
    plan: &'a Plan,
    bare: Client,
    pipes: Client,
    durable: Durable,
    sides: Vec<Side<'a>>,
    report: &'a mut Report,
}

/// One project, the server on it, and SQLite alone on the same file.
struct Side<'a> {
    project: &'a Project,
    ours: Client,
    sql: Sql,
    cursor: Value,
    actionable: Vec<String>,
}

impl<'a> Side<'a> {
    fn new(project: &'a Project) -> Outcome<Self> {
        let mut ours = Program::ours(&project.db).session();
        let cursor = Project::middle(&mut ours);
        let actionable = Project::actionable(&mut ours, 300);
        Ok(Side { project, ours, sql: Sql::open(&project.db)?, cursor, actionable })
    }

    /// Another node in every round.
    fn node(&self, round: usize) -> &str {
        &self.project.ids[round * 7 % self.project.ids.len()]
    }

    fn update(&mut self, update: &Value) -> Duration {
        self.ours.time("graph_update", &json!({ "updates": [update] }))
    }
}

impl Bench<'_> {
    fn run(&mut self) -> Outcome {
        self.empty()?;
        self.read("graph_open", |_, _| json!({ "project": "bench" }), |sql, _| sql.open_project())?;
        self.read("graph_next", |_, _| json!({ "project": "bench" }), |sql, _| sql.next())?;
        self.read(
            "graph_context",
            |side, round| json!({ "node_id": side.node(round) }),
            |sql, node| sql.context(node),
        )?;
        self.read("graph_query first page", |_, _| json!({}), |sql, _| sql.first_page())?;
        self.read(
            "graph_query middle page",
            |side, _| json!({ "cursor": side.cursor }),
            |sql, _| sql.middle_page(),
        )?;
        for (op, word) in [("10 match", RARE_WORD), ("1% match", COMMON_WORD)] {
            self.read(
                &format!("graph_query text, {op}"),
                |_, _| json!({ "filter": { "text": word } }),
                |sql, _| sql.text(word),
            )?;
        }
        // A claim is given back and a resolved node reopened, so that every round finds the same project.
        self.write("graph_next claim", |side, _| {
            let took = side.ours.time("graph_next", &json!({ "project": "bench", "claim": true }));
            let id = side.ours.answer()["nodes"][0]["node"]["id"].take();
            let back = json!({ "_claimed_by": null, "_claimed_at": null });
            side.update(&json!({ "node_id": id, "properties": back }));
            took
        })?;
        self.write("graph_update resolve", |side, round| {
            let id = side.actionable[round % side.actionable.len()].clone();
            let took = side.update(&project::resolve(&id));
            side.update(&json!({ "node_id": id, "resolved": false }));
            took
        })
    }

    /// What a call costs that does nothing: on the bare servers, and on ours.
    fn empty(&mut self) -> Outcome {
        let Some(side) = self.sides.last_mut() else { return Ok(()) };
        let size = side.project.size;
        let samples = sample(std::slice::from_mut(side), self.plan.reads, |side, _| {
            Ok([
                self.bare.time("empty", &json!({})),
                self.pipes.time("empty", &json!({})),
                side.ours.ask("ping", &json!({})),
            ])
        })?;
        let [streams, pipes, ping] = samples.into_iter().next().unwrap_or_default();
        let floor = Some((streams.p50(), "empty rmcp call"));
        for (op, samples, floor) in [
            ("rmcp empty call", streams, None),
            ("rmcp empty call (pipes)", pipes, floor),
            ("ping", ping, floor),
        ] {
            self.report.add(Line { op: op.to_owned(), size, samples, floor, bytes: 0 });
        }
        Ok(())
    }

    /// Measures a read: for each size one empty call, the call itself, and its bare SQL.
    fn read(
        &mut self,
        op: &str,
        ask: impl Fn(&Side<'_>, usize) -> Value,
        bare: impl Fn(&Sql, &str) -> rusqlite::Result<Duration>,
    ) -> Outcome {
        let tool = op.split(' ').next().unwrap_or(op);
        let samples = sample(&mut self.sides, self.plan.reads, |side, round| {
            let arguments = ask(side, round);
            Ok([
                self.bare.time("empty", &json!({})),
                side.ours.time(tool, &arguments),
                bare(&side.sql, side.node(round))?,
            ])
        })?;
        for (side, [empty, samples, sql]) in self.sides.iter().zip(samples) {
            self.report.add(Line {
                op: op.to_owned(),
                size: side.project.size,
                samples,
                floor: Some((empty.p50() + sql.p50(), "empty rmcp call + bare SQL")),
                bytes: side.ours.answered(),
            });
        }
        Ok(())
    }

    /// Measures a write: for each size one bare commit, and what `call` times.
    fn write(&mut self, op: &str, call: impl Fn(&mut Side<'_>, usize) -> Duration) -> Outcome {
        let samples = sample(&mut self.sides, self.plan.writes, |side, round| {
            Ok([self.durable.commit()?, call(side, round)])
        })?;
        for (side, [commits, samples]) in self.sides.iter().zip(samples) {
            self.report.add(Line {
                op: op.to_owned(),
                size: side.project.size,
                samples,
                floor: Some((commits.p50(), "bare durable commit")),
                bytes: side.ours.answered(),
            });
        }
        Ok(())
    }
}

/// From the start of the process to its first answer, which is to the greeting, and to that of its first call, on
/// the largest project.
fn starts(plan: &Plan, project: &Project, bare: &Program, report: &mut Report) {
    let ours = Program::ours(&project.db);
    let mut greeted = [Samples::default(), Samples::default()];
    let mut called = [Samples::default(), Samples::default()];
    for round in 0..plan.writes / 7 + 3 {
        for (which, (program, tool)) in
            [(&ours, "graph_next"), (bare, "empty")].into_iter().enumerate()
        {
            let start = Instant::now();
            let mut client = program.start();
            client.greet();
            let first = start.elapsed();
            client.time(tool, &json!({}));
            let second = start.elapsed();
            if round >= 3 {
                greeted[which].push(first);
                called[which].push(second);
            }
        }
    }
    for (op, [samples, floor]) in
        [("start to first answer", greeted), ("start to first call", called)]
    {
        let floor = Some((floor.p50(), "bare rmcp server"));
        report.add(Line { op: op.to_owned(), size: project.size, samples, floor, bytes: 0 });
    }
}

/// What an idle server holds after a few calls.
fn memory(project: &Project, report: &mut Report) {
    let mut client = Program::ours(&project.db).session();
    for id in project.ids.iter().take(20) {
        client.time("graph_next", &json!({}));
        client.time("graph_context", &json!({ "node_id": id }));
        client.time("graph_query", &json!({}));
        client.time("graph_query", &json!({ "filter": { "text": RARE_WORD } }));
        client.time("graph_open", &json!({ "project": "bench" }));
    }
    std::thread::sleep(Duration::from_millis(300));
    if let Some((rss, anonymous)) = client.resident() {
        report.note("resident MB when idle", json!((rss as f64 / 102.4).round() / 10.0));
        report.note("of which anonymous MB", json!((anonymous as f64 / 102.4).round() / 10.0));
    }
    let size = fs::metadata(&project.db).map_or(0, |file| file.len());
    report.note("file MB", json!(size >> 20));
}

/// Whole batches in one call, each into a new file.
fn plans(folder: &Path, report: &mut Report) -> Outcome {
    let mut per_node = Vec::new();
    for size in [1_000, 2_500, 5_000, 10_000] {
        let mut samples = Samples::default();
        for round in 0..5 {
            let db = folder.join(format!("plan-{size}-{round}.db"));
            let mut client = Program::ours(&db).session();
            client.time("graph_open", &json!({ "project": "bench" }));
            let nodes = project::area(0, size, &[], &mut Random::new(11), size).nodes;
            samples.push(client.time("graph_plan", &json!({ "nodes": nodes })));
            drop(client);
            fs::remove_file(&db)?;
        }
        per_node.push(format!("{size}: {:.1}", samples.p50() / size as f64));
        report.add(Line { op: "graph_plan".to_owned(), size, samples, floor: None, bytes: 0 });
    }
    report.note("graph_plan µs per node", json!(per_node.join(", ")));
    Ok(())
}
