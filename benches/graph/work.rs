//! The work graph: projects of all sizes, starts, memory, whole plans.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    bench::{Bench, Side},
    client::{Client, Program},
    floor::Sql,
    plan::Outcome,
    project::{self, COMMON_WORD, EVERY_WORD, Project, RARE_EVIDENCE, RARE_WORD, SPRINT},
    report::Line,
    stats::{Random, Samples},
};

/// Measures it all.
pub fn run(bench: &mut Bench) -> Outcome {
    let mut projects = Vec::new();
    for size in bench.plan.sizes.clone() {
        let built =
            bench.build(&format!("{size} nodes"), |directory| Project::build(directory, size));
        projects.push(built);
    }
    let mut sides = projects.iter().map(Open::new).collect::<Outcome<Vec<_>>>()?;
    reads(bench, &mut sides)?;
    filters(bench, &mut sides)?;
    writes(bench, &mut sides)?;
    drop(sides);
    if let Some(project) = projects.last() {
        starts(bench, project);
        memory(bench, project);
    }
    plans(bench)
}

/// One project, the server on it, and SQLite alone on the same file.
struct Open<'a> {
    project: &'a Project,
    ours: Client,
    sql: Sql,
    cursor: Value,
    actionable: Vec<String>,
}

impl Side for Open<'_> {
    fn size(&self) -> usize {
        self.project.size
    }

    fn ours(&mut self) -> &mut Client {
        &mut self.ours
    }
}

impl<'a> Open<'a> {
    fn new(project: &'a Project) -> Outcome<Self> {
        let mut ours = Program::ours(&project.db).session();
        let cursor = Project::middle(&mut ours);
        let actionable = Project::actionable(&mut ours, 300);
        Ok(Open { project, ours, sql: Sql::open(&project.db)?, cursor, actionable })
    }

    /// Another node in every round.
    fn node(&self, round: usize) -> &str {
        &self.project.ids[round * 7 % self.project.ids.len()]
    }

    fn update(&mut self, update: &Value) -> Duration {
        self.ours.time("graph_update", &json!({ "updates": [update] }))
    }
}

fn reads(bench: &mut Bench, sides: &mut [Open<'_>]) -> Outcome {
    let rounds = bench.plan.reads;
    let project = json!({ "project": "bench" });
    bench.read(
        "graph_open",
        sides,
        rounds,
        |_, _| project.clone(),
        |it, _| it.sql.open_project(),
    )?;
    bench.read("graph_next", sides, rounds, |_, _| project.clone(), |it, _| it.sql.next())?;
    bench.read(
        "graph_context",
        sides,
        rounds,
        |side, round| json!({ "node_id": side.node(round) }),
        |side, round| side.sql.context(side.node(round)),
    )?;
    let first = json!({});
    bench.read(
        "graph_query first page",
        sides,
        rounds,
        |_, _| first.clone(),
        |it, _| it.sql.first_page(),
    )?;
    bench.read(
        "graph_query middle page",
        sides,
        rounds,
        |side, _| json!({ "cursor": side.cursor }),
        |side, _| side.sql.middle_page(),
    )?;
    for (op, word) in [("10 match", RARE_WORD), ("1% match", COMMON_WORD)] {
        bench.read(
            &format!("graph_query text, {op}"),
            sides,
            rounds,
            |_, _| json!({ "filter": { "text": word } }),
            |side, _| side.sql.text(word),
        )?;
    }
    Ok(())
}

/// What a filter costs, where it fits many nodes, few or none.
fn filters(bench: &mut Bench, sides: &mut [Open<'_>]) -> Outcome {
    type Bare = fn(&Sql) -> rusqlite::Result<Duration>;
    let ((key, value), none) = (SPRINT, "none");
    let filters: [(&str, Value, Bare); 7] = [
        ("properties, 2% match", json!({ "properties": { key: value } }), |sql| {
            sql.found_by(SPRINT.0, "string", SPRINT.1)
        }),
        ("properties, none match", json!({ "properties": { key: none } }), |sql| {
            sql.found_by(SPRINT.0, "string", "none")
        }),
        ("has_evidence_type, 10 match", json!({ "has_evidence_type": RARE_EVIDENCE }), |sql| {
            sql.found_by("", "evidence", RARE_EVIDENCE)
        }),
        ("text, all match", json!({ "text": EVERY_WORD }), |sql| sql.every_text(EVERY_WORD)),
        ("unclaimed", json!({ "claimed_by": null }), Sql::first_page),
        ("is_leaf", json!({ "is_leaf": true }), Sql::first_page),
        ("resolved", json!({ "resolved": true }), Sql::resolved_page),
    ];
    let rounds = bench.plan.reads;
    for (op, filter, bare) in filters {
        let ask = json!({ "filter": filter });
        let op = format!("graph_query {op}");
        bench.read(&op, sides, rounds, |_, _| ask.clone(), |side, _| bare(&side.sql))?;
    }
    for (op, value) in [("2% match", value), ("none match", none)] {
        bench.read(
            &format!("graph_next filter, {op}"),
            sides,
            rounds,
            |_, _| json!({ "filter": { key: value } }),
            |side, _| side.sql.next_found_by(key, value),
        )?;
    }
    Ok(())
}

/// A claim is given back and a resolved node reopened, so that every round finds the same project.
fn writes(bench: &mut Bench, sides: &mut [Open<'_>]) -> Outcome {
    let rounds = bench.plan.writes;
    bench.write("graph_next claim", sides, rounds, |side, _| {
        let took = side.ours.time("graph_next", &json!({ "project": "bench", "claim": true }));
        let id = side.ours.answer()["nodes"][0]["node"]["id"].take();
        let back = json!({ "_claimed_by": null, "_claimed_at": null });
        side.update(&json!({ "node_id": id, "properties": back }));
        took
    })?;
    bench.write("graph_update resolve", sides, rounds, |side, round| {
        let id = side.actionable[round % side.actionable.len()].clone();
        let took = side.update(&project::resolve(&id));
        side.update(&json!({ "node_id": id, "resolved": false }));
        took
    })
}

/// From the start of the process to its first response, which is to the greeting, and to that of its first call, on
/// the largest project.
fn starts(bench: &mut Bench, project: &Project) {
    let ours = Program::ours(&project.db);
    let mut greeted = [Samples::default(), Samples::default()];
    let mut called = [Samples::default(), Samples::default()];
    for round in 0..bench.plan.writes / 7 + 3 {
        for (which, (program, tool)) in
            [(&ours, "graph_next"), (&bench.bare, "empty")].into_iter().enumerate()
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
        [("start to first response", greeted), ("start to first call", called)]
    {
        let floor = Some((floor.p50(), "bare rmcp server"));
        let (op, size) = (op.to_owned(), project.size);
        bench.report.add(Line { op, size, samples, floor, bytes: 0 });
    }
}

/// What an idle server holds after a few calls.
fn memory(bench: &mut Bench, project: &Project) {
    let mut client = Program::ours(&project.db).session();
    for id in project.ids.iter().take(20) {
        client.time("graph_next", &json!({}));
        client.time("graph_context", &json!({ "node_id": id }));
        client.time("graph_query", &json!({}));
        client.time("graph_query", &json!({ "filter": { "text": RARE_WORD } }));
        client.time("graph_open", &json!({ "project": "bench" }));
    }
    std::thread::sleep(Duration::from_millis(300));
    bench.note_memory(&format!("idle on {} nodes", project.size), &client);
    bench.note_file(&project.db);
}

/// Whole batches in one call, each into a new file.
fn plans(bench: &mut Bench) -> Outcome {
    let mut per_node = Vec::new();
    for size in [1_000, 2_500, 5_000, 10_000] {
        let mut samples = Samples::default();
        for round in 0..5 {
            let db = bench.directory.join(format!("plan-{size}-{round}.db"));
            let mut client = Program::ours(&db).session();
            client.time("graph_open", &json!({ "project": "bench" }));
            let nodes = project::area(0, size, &[], &mut Random::new(11), size).nodes;
            samples.push(client.time("graph_plan", &json!({ "nodes": nodes })));
            drop(client);
            fs::remove_file(&db)?;
        }
        per_node.push(format!("{size}: {:.1}", samples.p50() / size as f64));
        let op = "graph_plan".to_owned();
        bench.report.add(Line { op, size, samples, floor: None, bytes: 0 });
    }
    bench.report.note("graph_plan µs per node", json!(per_node.join(", ")));
    Ok(())
}
