//! The KB: questions, the rules and the first use of a branch. Its syncs are in [`sync`].

mod sync;

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags, types::Value as Sql};
use serde_json::{Value, json};

use crate::support::{
    bench::{Bench, Side},
    client::{Client, Program},
    plan::Outcome,
    report::Line,
    stats::Samples,
};

/// A requirement, its scenario, its test and two symbols, with ten links.
const GROUP: usize = 5;
/// Entities, or links, of one call.
const BATCH: usize = 5_000;
/// Of so many requirements one is a must with a rare tag, and of those every second has no test.
const RARE: usize = 500;

/// Measures it all.
pub fn run(bench: &mut Bench) -> Outcome {
    let root = bench.directory.join("answers");
    repository(&root)?;
    answers(bench, &root)?;
    let root = bench.directory.join("syncs");
    repository(&root)?;
    sync::run(bench, &root)
}

/// The files of a repository.
fn repository(root: &Path) -> Outcome {
    fs::create_dir_all(root.join(".git/objects"))?;
    fs::create_dir_all(root.join(".git/refs/heads"))?;
    checkout(root, "main")
}

fn checkout(root: &Path, branch: &str) -> Outcome {
    Ok(fs::write(root.join(".git/HEAD"), format!("ref: refs/heads/{branch}\n"))?)
}

/// A KB on its file, the server on it, and SQLite alone on the same file.
struct Facts {
    size: usize,
    ours: Client,
    sql: Floor,
}

impl Side for Facts {
    fn size(&self) -> usize {
        self.size
    }

    fn ours(&mut self) -> &mut Client {
        &mut self.ours
    }
}

/// Questions, the rules and the first use of branches, through the server.
fn answers(bench: &mut Bench, root: &Path) -> Outcome {
    let (size, wholes) = (bench.plan.entities, bench.plan.wholes);
    let db = root.join("graph.db");
    let mut ours = Program::ours(&db).within(root).session();
    bench.build(&format!("{size} entities"), |_| plant(size, &mut ours));
    let mut side = [Facts { size, ours, sql: Floor::open(&db)? }];
    for (op, arguments, source, values) in questions(size) {
        let ask = |_: &mut Facts, _| arguments.clone();
        let rounds = bench.plan.reads / 2;
        bench.read(op, &mut side, rounds, ask, |side, _| side.sql.time(source, &values))?;
    }
    let [Facts { ours, .. }] = &mut side;
    let (mut checks, mut copies) = (Samples::default(), Samples::default());
    for _ in 0..wholes {
        checks.push(ours.time("kb_check", &json!({})));
    }
    for round in 0..wholes {
        checkout(root, &format!("feature/{round}"))?;
        copies.push(ours.time("kb_query", &json!({ "id": "R1" })));
    }
    for (op, samples) in [("kb_check, all rules", checks), ("first use of a branch", copies)] {
        bench.report.add(Line { op: op.to_owned(), size, samples, floor: None, bytes: 0 });
    }
    Ok(())
}

/// What is asked: the name, the arguments, and where the least of SQL finds the same, with what is bound there.
type Question = (&'static str, Value, &'static str, Vec<Sql>);

fn questions(size: usize) -> [Question; 3] {
    let middle = size / GROUP / 2;
    [
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
    ]
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

/// The fewest SQL statements for a response, on the same file.
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
