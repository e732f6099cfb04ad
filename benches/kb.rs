//! How fast the KB answers, checks, copies and syncs; `benches/README.md` says how to read the table.
#![allow(clippy::print_stdout, reason = "its output is for people")]
#![allow(clippy::disallowed_methods, reason = "it plays the client, which starts the server")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags, types::Value as Sql};
use serde_json::{Value, json};

#[allow(dead_code, reason = "another benchmark uses the rest")]
mod support;

use support::{
    client::{Client, Program},
    report::{Line, Report},
    stats::Samples,
};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Untimed calls before the first sample.
const WARM_UP: usize = 20;
/// A requirement, its scenario, its test and two symbols, with ten links.
const GROUP: usize = 5;
/// Entities, or links, of one call.
const BATCH: usize = 5_000;
/// Of so many requirements one is a must with a rare tag, and of those every second has no test.
const RARE: usize = 500;

/// How much to measure.
struct Plan {
    entities: usize,
    files: usize,
    queries: usize,
    wholes: usize,
}

impl Plan {
    /// `--quick` for a tenth of the samples, `--entities N` and `--files N` for other sizes.
    fn from_arguments() -> Outcome<Self> {
        let mut plan = Plan { entities: 50_000, files: 5_000, queries: 1_000, wholes: 20 };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => plan = Plan { queries: 100, wholes: 5, ..plan },
                "--entities" => plan.entities = arguments.next().unwrap_or_default().parse()?,
                "--files" => plan.files = arguments.next().unwrap_or_default().parse()?,
                // Cargo says so to every benchmark.
                "--bench" => {}
                other => {
                    let known = "--quick, --entities 5000 or --files 500";
                    return Err(format!("`{other}` is not known; try {known}").into());
                }
            }
        }
        Ok(plan)
    }
}

fn main() -> Outcome {
    let plan = Plan::from_arguments()?;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kb-bench");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut report = Report::default();
    answers(&plan, &folder.join("answers"), &mut report)?;
    syncs(&plan, &folder.join("syncs"), &mut report)?;
    println!("\n{}", report.table());
    println!("figures: {}", report.save("kb")?.display());
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// A repository as far as its files tell.
fn repository(root: &Path) -> Outcome {
    fs::create_dir_all(root.join(".git/objects"))?;
    fs::create_dir_all(root.join(".git/refs/heads"))?;
    checkout(root, "main")
}

fn checkout(root: &Path, branch: &str) -> Outcome {
    Ok(fs::write(root.join(".git/HEAD"), format!("ref: refs/heads/{branch}\n"))?)
}

/// Questions, the rules and the first use of branches, through the server.
fn answers(plan: &Plan, root: &Path, report: &mut Report) -> Outcome {
    repository(root)?;
    let db = root.join("graph.db");
    let mut ours = Program::ours(&db).within(root).session();
    let start = Instant::now();
    plant(plan.entities, &mut ours);
    println!("built {} entities in {:.1} s", plan.entities, start.elapsed().as_secs_f64());
    let mut bare = Program::bare("streams").session();
    let sql = Floor::open(&db)?;
    let middle = plan.entities / GROUP / 2;
    let questions: [(&str, Value, &str, Vec<Sql>); 3] = [
        (
            "kb_query, by id",
            json!({ "id": format!("R{middle}") }),
            "kb_branch_entities m CROSS JOIN kb_entities e ON e.key = m.entity WHERE m.id = ?2",
            vec![Sql::Text(format!("R{middle}"))],
        ),
        (
            "kb_query, by tag",
            json!({ "tags": ["rare"], "limit": 20 }),
            "kb_tags t CROSS JOIN kb_entities e ON e.key = t.entity
             CROSS JOIN kb_branch_entities m ON m.entity = e.key WHERE t.tag = ?2",
            vec![Sql::Text("rare".to_owned())],
        ),
        (
            "kb_query, must without test",
            json!({ "type": "req", "priority": "must", "limit": 20,
                "related": [{ "relation": "verified_by", "absent": true }] }),
            "kb_entities e CROSS JOIN kb_branch_entities m ON m.entity = e.key
             WHERE e.priority = 'must' AND e.type = ?2 AND NOT EXISTS (SELECT 1 FROM kb_links l JOIN kb_branch_links b ON b.branch = m.branch AND b.link = l.key
                              WHERE l.from_id = m.id AND l.relation = 'verified_by')",
            vec![Sql::Text("req".to_owned())],
        ),
    ];
    for (op, arguments, source, values) in &questions {
        let (mut samples, mut empty, mut read) = <(Samples, Samples, Samples)>::default();
        for round in 0..WARM_UP + plan.queries {
            let floor = (bare.time("empty", &json!({})), sql.time(source, values)?);
            let took = ours.time("kb_query", arguments);
            if round >= WARM_UP {
                empty.push(floor.0);
                read.push(floor.1);
                samples.push(took);
            }
        }
        let floor = Some((empty.p50() + read.p50(), "empty call and bare SQL"));
        let (op, size, bytes) = ((*op).to_owned(), plan.entities, ours.answered());
        report.add(Line { op, size, samples, floor, bytes });
    }
    let (mut checks, mut copies) = (Samples::default(), Samples::default());
    for _ in 0..plan.wholes {
        checks.push(ours.time("kb_check", &json!({})));
    }
    for round in 0..plan.wholes {
        checkout(root, &format!("feature/{round}"))?;
        copies.push(ours.time("kb_query", &json!({ "id": "R1" })));
    }
    for (op, samples) in [("kb_check, all rules", checks), ("first use of a branch", copies)] {
        let (op, size) = (op.to_owned(), plan.entities);
        report.add(Line { op, size, samples, floor: None, bytes: 0 });
    }
    Ok(())
}

/// Entities in groups of five with ten links, some of them to groups before.
fn plant(entities: usize, ours: &mut Client) {
    let (mut facts, mut links) = (Vec::new(), Vec::new());
    for group in 0..entities / GROUP {
        let rare = group % RARE == 0;
        let entity = |letter: &str, kind: &str, status: &str| {
            let title = format!("{kind} number {group} of the shop and its checkout");
            json!({ "id": format!("{letter}{group}"), "type": kind, "title": title, "status": status })
        };
        let mut req = entity("R", "req", "approved");
        req["priority"] = if rare { "must" } else { "should" }.into();
        req["tags"] = json!([if rare { "rare" } else { "common" }, format!("area{}", group % 50)]);
        facts.extend([req, entity("S", "scenario", "approved"), entity("T", "test", "active")]);
        facts.extend([entity("F", "symbol", "active"), entity("G", "symbol", "active")]);
        let mut link = |from: &str, relation: &str, to: &str, back: usize| {
            if let Some(other) = group.checked_sub(back) {
                let (from, to) = (format!("{from}{group}"), format!("{to}{other}"));
                links.push(json!({ "from": from, "relation": relation, "to": to }));
            }
        };
        if group % (2 * RARE) != 0 {
            link("R", "verified_by", "T", 0);
        }
        link("R", "specified_by", "S", 0);
        link("F", "implements", "R", 0);
        link("G", "implements", "R", 0);
        link("F", "covered_by", "T", 0);
        link("G", "covered_by", "T", 0);
        link("R", "depends_on", "R", 1);
        link("R", "depends_on", "R", 7);
        link("R", "relates_to", "R", 3);
        link("S", "relates_to", "S", 1);
    }
    for part in facts.chunks(BATCH) {
        ours.time("kb_upsert", &json!({ "entities": part }));
    }
    for part in links.chunks(BATCH) {
        ours.time("kb_upsert", &json!({ "relationships": part }));
    }
}

/// The least that an answer needs of SQLite, on the same file.
struct Floor(Connection);

impl Floor {
    fn open(db: &Path) -> rusqlite::Result<Self> {
        Ok(Floor(Connection::open_with_flags(db, OpenFlags::SQLITE_OPEN_READ_ONLY)?))
    }

    /// Twenty entities, in the order of their ids.
    fn time(&self, source: &str, values: &[Sql]) -> rusqlite::Result<Duration> {
        let sql = format!("SELECT e.* FROM {source} AND m.branch = ?1 ORDER BY m.id LIMIT 20");
        let start = Instant::now();
        let branch: i64 = self
            .0
            .prepare_cached("SELECT key FROM kb_branches WHERE name = 'main'")?
            .query_row([], |row| row.get(0))?;
        let mut statement = self.0.prepare_cached(&sql)?;
        let columns = statement.column_count();
        let all = [Sql::Integer(branch)].into_iter().chain(values.iter().cloned());
        let mut rows = statement.query(rusqlite::params_from_iter(all))?;
        let mut read: Vec<Sql> = Vec::new();
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                read.push(row.get(column)?);
            }
        }
        Ok(start.elapsed())
    }
}

/// Documents into the store, by a process each time, as a hook does it.
fn syncs(plan: &Plan, root: &Path, report: &mut Report) -> Outcome {
    repository(root)?;
    let documents = root.join("docs/requirements");
    fs::create_dir_all(root.join(".kb"))?;
    fs::write(root.join(".kb/config.json"), "{}")?;
    for number in 0..plan.files {
        write(&documents, number, "as planned")?;
    }
    // What was written just now is read again by the next sync, which is not what is measured.
    std::thread::sleep(Duration::from_millis(50));
    let mut add = |op: &str, samples: Samples, floor: Option<&Samples>| {
        let floor = floor.map(|floor| (floor.p50(), "a process, walk and stat"));
        report.add(Line { op: op.to_owned(), size: plan.files, samples, floor, bytes: 0 });
    };
    let mut cold = Samples::default();
    for _ in 0..plan.wholes.div_ceil(4) {
        for ending in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(root.join(format!("graph.db{ending}")));
        }
        cold.push(run(root, &["kb", "sync"])?);
    }
    add("kb sync, all files new", cold, None);
    let (mut still, mut one, mut floor) = <(Samples, Samples, Samples)>::default();
    for round in 0..plan.wholes {
        floor.push(run(root, &["--version"])? + walk(&documents)?);
        still.push(run(root, &["kb", "sync"])?);
        write(&documents, round % plan.files, &format!("changed {round} times"))?;
        std::thread::sleep(Duration::from_millis(20));
        one.push(run(root, &["kb", "sync"])?);
    }
    add("kb sync, one file changed", one, Some(&floor));
    add("kb sync, nothing changed", still, Some(&floor));
    Ok(())
}

fn write(folder: &Path, number: usize, title: &str) -> Outcome {
    // A hundred files to a folder, as people keep them.
    let folder = folder.join(format!("area-{}", number / 100));
    fs::create_dir_all(&folder)?;
    let text = format!(
        "---\nid: REQ-{number}\nstatus: approved\npriority: should\ntags: [area{}]\nlinks:\n  \
         depends_on: REQ-{}\n---\n# Requirement {number} {title}\n\n{}\n",
        number % 50,
        number.checked_sub(1).unwrap_or(1),
        "It says at length what the shop must do. ".repeat(20)
    );
    Ok(fs::write(folder.join(format!("{number}.md")), text)?)
}

fn run(root: &Path, arguments: &[&str]) -> Outcome<Duration> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_graph"));
    command.args(arguments).current_dir(root).env_clear().stdin(Stdio::null());
    let start = Instant::now();
    let output = command.output()?;
    let took = start.elapsed();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    Ok(took)
}

/// Looks at every file below a folder once.
fn walk(folder: &Path) -> Outcome<Duration> {
    let start = Instant::now();
    let (mut folders, mut bytes) = (vec![folder.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            match metadata.is_dir() {
                true => folders.push(entry.path()),
                false => bytes += metadata.len(),
            }
        }
    }
    assert!(bytes > 0);
    Ok(start.elapsed())
}
