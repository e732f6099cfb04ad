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

mod support;

use support::{
    client::{Client, Program},
    floor::{Durable, Sql},
    project::{self, COMMON_WORD, Project, RARE_WORD},
    report::{Line, Report},
    stats::{Random, Samples},
};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Untimed calls before the first sample.
const WARM_UP: usize = 50;
const EMPTY_AND_SQL: &str = "empty rmcp call + bare SQL";
const COMMIT: &str = "bare durable commit";

/// How much to measure.
struct Plan {
    sizes: Vec<usize>,
    reads: usize,
    writes: usize,
    starts: usize,
    keep: bool,
}

impl Plan {
    /// `--quick` for a tenth of it, `--sizes 1000,10000` for other projects, `--keep` for a look into their files.
    fn from_arguments() -> Outcome<Self> {
        let mut plan = Plan {
            sizes: vec![1_000, 10_000, 100_000],
            reads: 2_000,
            writes: 300,
            starts: 40,
            keep: false,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => plan = Plan { reads: 300, writes: 60, starts: 10, ..plan },
                "--sizes" => {
                    let sizes = arguments.next().unwrap_or_default();
                    plan.sizes = sizes.split(',').map(str::parse).collect::<Result<_, _>>()?;
                }
                "--keep" => plan.keep = true,
                // Cargo says so to every benchmark.
                "--bench" => {}
                other => {
                    return Err(format!(
                        "`{other}` is not known; try --quick, --keep or --sizes 1000,10000"
                    )
                    .into());
                }
            }
        }
        Ok(plan)
    }
}

fn main() -> Outcome {
    let plan = Plan::from_arguments()?;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("work-bench");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut report = Report::default();
    let bare = [Program::bare("streams"), Program::bare("pipes")];

    let mut largest = None;
    for &size in &plan.sizes {
        let start = Instant::now();
        let project = Project::build(&folder, size);
        println!("built {size} nodes in {:.1} s", start.elapsed().as_secs_f64());
        Bench::new(&plan, &project, &folder, &bare)?.run(&mut report)?;
        largest = Some(project);
    }
    if let Some(project) = &largest {
        starts(&plan, project, &bare[0], &mut report);
        memory(project, &mut report);
    }
    plans(&folder, &mut report)?;
    println!("\n{}", report.table());
    println!("figures: {}", report.save()?.display());
    match plan.keep {
        true => println!("projects: {}", folder.display()),
        false => fs::remove_dir_all(&folder)?,
    }
    Ok(())
}

/// One project, the server on it, and the floors beside it.
struct Bench<'a> {
    plan: &'a Plan,
    project: &'a Project,
    ours: Client,
    bare: [Client; 2],
    sql: Sql,
    durable: Durable,
}

impl<'a> Bench<'a> {
    fn new(
        plan: &'a Plan,
        project: &'a Project,
        folder: &Path,
        bare: &[Program; 2],
    ) -> Outcome<Self> {
        Ok(Bench {
            plan,
            project,
            ours: Program::ours(&project.db).session(),
            bare: [bare[0].session(), bare[1].session()],
            sql: Sql::open(&project.db)?,
            durable: Durable::create(folder)?,
        })
    }

    fn run(&mut self, report: &mut Report) -> Outcome {
        let ids = self.project.ids.clone();
        let id = |round: usize| ids[round * 7 % ids.len()].as_str();
        let cursor = Project::middle(&mut self.ours);

        self.empty(report);
        self.read(
            report,
            "graph_open",
            |_| json!({ "project": "bench" }),
            |sql, _| sql.open_project(),
        )?;
        self.read(report, "graph_next", |_| json!({ "project": "bench" }), |sql, _| sql.next())?;
        self.read(
            report,
            "graph_context",
            |round| json!({ "node_id": id(round) }),
            |sql, round| sql.context(id(round)),
        )?;
        self.read(report, "graph_query first page", |_| json!({}), |sql, _| sql.first_page())?;
        self.read(
            report,
            "graph_query middle page",
            |_| json!({ "cursor": cursor }),
            |sql, _| sql.middle_page(),
        )?;
        let text = |word: &str| json!({ "filter": { "text": word } });
        self.read(report, "graph_query text, 10 match", |_| text(RARE_WORD), |sql, _| sql.text())?;
        self.read(
            report,
            "graph_query text, 1% match",
            |_| text(COMMON_WORD),
            |sql, _| sql.text(),
        )?;
        self.claims(report)?;
        self.resolutions(report)
    }

    /// What a call costs that does nothing: on the bare servers, and on ours.
    fn empty(&mut self, report: &mut Report) {
        let [mut streams, mut pipes, mut ping] =
            [Samples::default(), Samples::default(), Samples::default()];
        for round in 0..WARM_UP + self.plan.reads {
            let times = [
                self.bare[0].time("empty", &json!({})),
                self.bare[1].time("empty", &json!({})),
                self.ours.ask("ping", &json!({})),
            ];
            if round >= WARM_UP {
                streams.push(times[0]);
                pipes.push(times[1]);
                ping.push(times[2]);
            }
        }
        let floor = Some((streams.p50(), "empty rmcp call"));
        for (op, samples, floor) in [
            ("rmcp empty call", streams, None),
            ("rmcp empty call (pipes)", pipes, floor),
            ("ping", ping, floor),
        ] {
            let bytes = self.ours.answered();
            report.add(Line { op: op.to_owned(), size: self.project.size, samples, floor, bytes });
        }
    }

    /// Measures a read: each round makes one empty call, the call itself, and its bare SQL.
    fn read(
        &mut self,
        report: &mut Report,
        op: &str,
        ask: impl Fn(usize) -> Value,
        bare: impl Fn(&Sql, usize) -> rusqlite::Result<Duration>,
    ) -> Outcome {
        let tool = op.split(' ').next().unwrap_or(op);
        let [mut samples, mut empty, mut sql] =
            [Samples::default(), Samples::default(), Samples::default()];
        for round in 0..WARM_UP + self.plan.reads {
            let floor = self.bare[0].time("empty", &json!({}));
            let took = self.ours.time(tool, &ask(round));
            let statements = bare(&self.sql, round)?;
            if round >= WARM_UP {
                samples.push(took);
                empty.push(floor);
                sql.push(statements);
            }
        }
        report.add(Line {
            op: op.to_owned(),
            size: self.project.size,
            samples,
            floor: Some((empty.p50() + sql.p50(), EMPTY_AND_SQL)),
            bytes: self.ours.answered(),
        });
        Ok(())
    }

    /// Claims the best free node; gives it back untimed, so that every round finds the same project.
    fn claims(&mut self, report: &mut Report) -> Outcome {
        let [mut samples, mut commits] = [Samples::default(), Samples::default()];
        let ask = json!({ "project": "bench", "claim": true });
        for round in 0..WARM_UP + self.plan.writes {
            let commit = self.durable.commit()?;
            let took = self.ours.time("graph_next", &ask);
            let id = self.ours.answer()["nodes"][0]["node"]["id"].take();
            let back = json!({ "_claimed_by": null, "_claimed_at": null });
            self.ours.time(
                "graph_update",
                &json!({ "updates": [{ "node_id": id, "properties": back }] }),
            );
            if round >= WARM_UP {
                samples.push(took);
                commits.push(commit);
            }
        }
        self.add_write(report, "graph_next claim", samples, &commits);
        Ok(())
    }

    /// Resolves a node with evidence; opens it again untimed.
    fn resolutions(&mut self, report: &mut Report) -> Outcome {
        let ids = Project::actionable(&mut self.ours, self.plan.writes);
        let [mut samples, mut commits] = [Samples::default(), Samples::default()];
        for round in 0..WARM_UP + self.plan.writes {
            let id = &ids[round % ids.len()];
            let commit = self.durable.commit()?;
            let took =
                self.ours.time("graph_update", &json!({ "updates": [project::resolve(id)] }));
            self.ours.time(
                "graph_update",
                &json!({ "updates": [{ "node_id": id, "resolved": false }] }),
            );
            if round >= WARM_UP {
                samples.push(took);
                commits.push(commit);
            }
        }
        self.add_write(report, "graph_update resolve", samples, &commits);
        Ok(())
    }

    fn add_write(&self, report: &mut Report, op: &str, samples: Samples, commits: &Samples) {
        report.add(Line {
            op: op.to_owned(),
            size: self.project.size,
            samples,
            floor: Some((commits.p50(), COMMIT)),
            bytes: self.ours.answered(),
        });
    }
}

/// From the start of the process to the answer to its first call, on the largest project.
fn starts(plan: &Plan, project: &Project, bare: &Program, report: &mut Report) {
    let ours = Program::ours(&project.db);
    let [mut samples, mut floor] = [Samples::default(), Samples::default()];
    for round in 0..plan.starts + 3 {
        let started = |program: &Program, tool: &str| {
            let start = Instant::now();
            let mut client = program.start();
            client.greet();
            client.time(tool, &json!({}));
            start.elapsed()
        };
        let (empty, took) = (started(bare, "empty"), started(&ours, "graph_next"));
        if round >= 3 {
            samples.push(took);
            floor.push(empty);
        }
    }
    let floor = Some((floor.p50(), "bare rmcp server"));
    report.add(Line {
        op: "start to first answer".to_owned(),
        size: project.size,
        samples,
        floor,
        bytes: 0,
    });
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
