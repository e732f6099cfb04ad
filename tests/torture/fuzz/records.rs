//! Lines that are imported: what `graph export` wrote, `memory.jsonl` and issues of beads, created valid and then damaged.
//!
//! Every input is imported completely or refused by name. An import leaves the file valid, and changes nothing
//! when it comes once more.

use std::{cell::RefCell, fs, path::Path, sync::LazyLock};

use graph::{
    app::App,
    base::{Domain, Error, ErrorCode},
    config::{Config, Options, Surroundings},
    exchange::{Format, Tally, format_of},
    kb, knowledge, memory,
    tools::{self, Registry},
    work,
};
use serde_json::{Value, json};

use super::{generate, mutate};
use crate::torture::rng::Rng;

/// Imports into one file before the next ones begin on a new file.
const KEPT: usize = 200;

/// A file with something of every type of record: as bytes, and as lines.
static ORIGINAL: LazyLock<(Vec<u8>, Vec<String>)> = LazyLock::new(|| {
    let directory = tempfile::tempdir().unwrap();
    let mut app = open(directory.path());
    fill(&mut app);
    let lines = export(&mut app);
    let domains = [kb::RECORDS, knowledge::RECORDS, memory::RECORDS, work::RECORDS];
    for kind in domains.iter().flat_map(|records| records.types) {
        let there = lines.iter().any(|line| line.contains(&format!("{{\"type\":\"{kind}\"")));
        assert!(there, "no record of type {kind} is tried: {lines:#?}");
    }
    // The last connection moves everything into the one file.
    drop(app);
    (fs::read(directory.path().join("graph.db")).unwrap(), lines)
});

struct Target {
    directory: tempfile::TempDir,
    app: App,
    kept: usize,
}

impl Target {
    fn fresh() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("graph.db"), &ORIGINAL.0).unwrap();
        Target { app: open(directory.path()), directory, kept: 0 }
    }
}

thread_local! {
    static TARGET: RefCell<Target> = RefCell::new(Target::fresh());
}

fn open(directory: &Path) -> App {
    fs::write(directory.join("graph.config.yaml"), "durability: normal\n").unwrap();
    let options = Options { db: Some(directory.join("graph.db")), ..Options::default() };
    let around = Surroundings { directory: directory.to_owned(), variables: Default::default() };
    App::new(Config::load(options, &around).unwrap())
}

fn fill(app: &mut App) {
    let registry = Registry::new(tools::all(), Domain::ALL);
    let ctx = app.ctx(Some("fuzz"));
    let mut call = |tool: &str, arguments: Value| {
        registry.call(app, &ctx, tool, arguments).unwrap_or_else(|error| panic!("{tool}: {error}"))
    };
    call("graph_open", json!({ "project": "p", "goal": "g" }));
    call("graph_open", json!({ "project": "q" }));
    let planned = call(
        "graph_plan",
        json!({ "project": "p", "nodes": [
            { "ref": "a", "summary": "alpha", "context_links": ["src/a.rs"], "properties": { "priority": 1 } },
            { "ref": "b", "summary": "beta", "parent_ref": "a" },
            { "ref": "c", "summary": "gamma", "parent_ref": "a", "depends_on": ["b"] },
        ] }),
    );
    let id = |index: usize| planned["created"][index]["id"].clone();
    let evidence = json!([{ "type": "note", "ref": "done" }]);
    call(
        "graph_update",
        json!({ "updates": [{ "node_id": id(1), "resolved": true, "add_evidence": evidence }] }),
    );
    let edge = json!({ "from": id(2), "to": id(0), "type": "relates" });
    call("graph_connect", json!({ "edges": [edge] }));
    let thing = |kind: &str, name: &str| json!({ "operation": "create", "entityType": kind, "projectId": "p", "name": name, "knowledge": "k" });
    let molecule = call("manage_graph", thing("molecule", "M"))["data"]["molecule"]["id"].take();
    let mut atom = thing("atom", "A");
    atom["paths"] = json!(["src/**", "*.rs"]);
    atom["moleculeId"] = molecule;
    let atom = call("manage_graph", atom)["data"]["atom"]["id"].take();
    call(
        "manage_changelog",
        json!({ "operation": "append", "parentType": "atom", "parentId": atom, "taskId": id(0), "summary": "s" }),
    );
    let link = json!({ "name": "About", "from_types": ["Note"], "to_types": ["Note"], "required_properties": ["why"] });
    call("create_ontology", json!({ "node_types": ["Note"], "connection_types": [link] }));
    let note = |content: &str, encoding: &str| json!({ "type": "Note", "content": content, "encoding": encoding, "properties": { "n": 1, "s": "x" } });
    let one = call("create_node", note("# alpha", "utf-8"))["node_id"].take();
    let two = call("create_node", note("AAEC/w==", "base64"))["node_id"].take();
    call(
        "create_connection",
        json!({ "type": "About", "from_node_id": one, "to_node_id": two, "content": "notes", "properties": { "why": "so" } }),
    );
    let entity = |id: &str, kind: &str| json!({ "id": id, "type": kind, "title": id, "status": "draft", "tags": ["t"] });
    let link =
        json!({ "relation": "relates_to", "from": "REQ-1", "to": "REQ-2", "confidence": 0.5 });
    call(
        "kb_upsert",
        json!({ "entities": [entity("REQ-1", "req"), entity("REQ-2", "req")], "relationships": [link] }),
    );
}

fn export(app: &mut App) -> Vec<String> {
    let (ctx, mut out) = (app.ctx(Some("fuzz")), Vec::new());
    app.export(&ctx, &mut out, |_, _| {}).unwrap();
    String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
}

/// One case of what `graph export` wrote.
pub fn records(rng: &mut Rng) {
    let mut lines = ORIGINAL.1.clone();
    let inner = 1..lines.len() - 1;
    for _ in 0..1 + rng.below(4) {
        let at = inner.start + rng.below(inner.len());
        let Ok(mut record) = serde_json::from_str::<Value>(&lines[at]) else { continue };
        match rng.below(5) {
            0 => mutate::tree(&mut record, rng),
            // A value of another record in this field: a name that exists, but a different one.
            1 | 2 => {
                let other = inner.start + rng.below(inner.len());
                let other: Value = serde_json::from_str(&lines[other]).unwrap_or_default();
                transplant(&mut record, &other, rng);
            }
            3 => set(&mut record, "id", json!(generate::text(rng))),
            _ => record = changed(record, rng),
        }
        // So that it wins over the stored record: by its version if it has one, otherwise by its time.
        match rng.below(4) {
            0 => set(&mut record, "version", json!(99)),
            1 | 2 => set(&mut record, "updated_at", json!("2027-01-01T00:00:00.000Z")),
            _ => {}
        }
        lines[at] = record.to_string();
    }
    shuffle(&mut lines, rng);
    take_in(whole(lines, rng), rng);
}

/// One case of the memory of the reference server.
pub fn memory_jsonl(rng: &mut Rng) {
    let word = |rng: &mut Rng| match rng.once_in(4) {
        true => generate::text(rng),
        false => (*rng.pick(&["alpha", "beta", "gamma", "Note", "About"])).to_owned(),
    };
    let mut lines = vec![
        r#"{"type":"entity","name":"alpha","entityType":"Note","observations":[]}"#.to_owned(),
    ];
    for _ in 0..rng.below(6) {
        let mut line = if rng.once_in(2) {
            let observations: Vec<String> = (0..rng.below(4)).map(|_| word(rng)).collect();
            json!({ "type": "entity", "name": word(rng), "entityType": word(rng), "observations": observations })
        } else {
            json!({ "type": "relation", "from": word(rng), "to": word(rng), "relationType": word(rng) })
        };
        if rng.once_in(4) {
            mutate::tree(&mut line, rng);
        }
        lines.push(line.to_string());
    }
    shuffle(&mut lines, rng);
    take_in(whole(lines, rng), rng);
}

/// One case of issues of beads.
pub fn beads(rng: &mut Rng) {
    let name = |rng: &mut Rng| match rng.once_in(12) {
        true => generate::text(rng),
        false => format!("bd-{}", rng.below(6)),
    };
    let mut lines = Vec::new();
    for number in 0..1 + rng.below(5) {
        let id = if rng.once_in(10) { name(rng) } else { format!("bd-{number}") };
        let dependency = |rng: &mut Rng| {
            let kind = *rng.pick(&["blocks", "parent-child", "related", "discovered-from", ""]);
            json!({ "issue_id": id, "depends_on_id": name(rng), "type": kind })
        };
        let dependencies: Vec<Value> = (0..rng.below(3)).map(|_| dependency(rng)).collect();
        let mut issue = json!({
            "id": id, "title": generate::text(rng), "issue_type": "task",
            "status": rng.pick(&["open", "closed", "in_progress", "tombstone", "new"]),
            "priority": rng.below(6), "description": generate::text(rng), "labels": [generate::text(rng)],
            "updated_at": rng.pick(&["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "later"]),
            "comments": [{ "author": generate::text(rng), "text": generate::text(rng) }],
            "dependencies": dependencies,
        });
        if rng.once_in(4) {
            mutate::tree(&mut issue, rng);
        }
        lines.push(issue.to_string());
    }
    shuffle(&mut lines, rng);
    take_in(whole(lines, rng), rng);
}

fn set(record: &mut Value, name: &str, value: Value) {
    if let Some(fields) = record.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

/// Replaces a value of `record` by one of `other`.
fn transplant(record: &mut Value, other: &Value, rng: &mut Rng) {
    let (Some(fields), Some(others)) = (record.as_object_mut(), other.as_object()) else { return };
    let to = fields.keys().nth(rng.below(fields.len().max(1))).cloned();
    let from = others.values().nth(rng.below(others.len().max(1)));
    if let (Some(to), Some(from)) = (to.filter(|to| to != "type"), from) {
        fields.insert(to, from.clone());
    }
}

/// Replaces one field by another value of the same type.
fn changed(mut record: Value, rng: &mut Rng) -> Value {
    let Some(fields) = record.as_object_mut() else { return record };
    let nth = rng.below(fields.len().max(1));
    if let Some((_, value)) = fields.iter_mut().nth(nth).filter(|(name, _)| *name != "type") {
        *value = match value {
            Value::String(_) => json!(generate::text(rng)),
            Value::Number(_) => generate::number(rng),
            Value::Bool(_) => json!(rng.once_in(2)),
            Value::Array(items) => {
                items.push(generate::anything(rng, 1));
                value.take()
            }
            _ => generate::anything(rng, 2),
        };
    }
    record
}

/// Omits, repeats or moves some lines.
fn shuffle(lines: &mut Vec<String>, rng: &mut Rng) {
    if !rng.once_in(4) || lines.len() < 2 {
        return;
    }
    let (at, other) = (rng.below(lines.len()), rng.below(lines.len()));
    match rng.below(3) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at].clone()),
        _ => lines.swap(at, other),
    }
}

/// The file of these lines, with bytes of it broken now and then.
fn whole(lines: Vec<String>, rng: &mut Rng) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = lines.into_iter().map(String::into_bytes).collect();
    if rng.once_in(6) && !lines.is_empty() {
        let at = rng.below(lines.len());
        mutate::bytes(&mut lines[at], rng);
    }
    let mut bytes = lines.join(&b'\n');
    if rng.once_in(30) {
        bytes.truncate(rng.below(bytes.len() + 1));
    } else {
        bytes.push(b'\n');
    }
    bytes
}

/// Imports as the command does: the format is recognised by the first line, all or nothing.
fn take_in(bytes: Vec<u8>, rng: &mut Rng) {
    TARGET.with_borrow_mut(|target| {
        if target.kept >= KEPT {
            *target = Target::fresh();
        }
        let shown = || String::from_utf8_lossy(&bytes).into_owned();
        let dry_run = !rng.once_in(4);
        let seldom = rng.once_in(40);
        let before = seldom.then(|| export(&mut target.app));
        let outcome = import(&mut target.app, &bytes, dry_run);
        let before = before.filter(|_| dry_run || outcome.is_err());
        match outcome {
            Ok(_) if !dry_run => {
                target.kept += 1;
                let again = import(&mut target.app, &bytes, true)
                    .unwrap_or_else(|error| panic!("{error} the second time: {}", shown()));
                assert!(!again.changed(), "{again:?} the second time: {}", shown());
                if seldom {
                    check_sound(&mut target.app, &shown);
                }
            }
            Err(error) => check_refusal(error, &shown),
            Ok(_) => {}
        }
        if let Some(before) = before {
            let same = before == export(&mut target.app);
            assert!(same, "what was refused, or only tried, changed something: {}", shown());
        }
        assert!(target.directory.path().exists());
    });
}

/// What became of everything, of whatever kind.
fn import(app: &mut App, bytes: &[u8], dry_run: bool) -> Result<Tally, Error> {
    let ctx = app.ctx(Some("fuzz"));
    let mut all = Tally::default();
    let mut add = |tally: &Tally| {
        all.new += tally.new;
        all.replaced += tally.replaced;
    };
    // As the command reads them: valid UTF-8 or an error.
    let text = || std::str::from_utf8(bytes).unwrap_or_default();
    match format_of(bytes) {
        Format::Records => {
            let mut lines = app.records_of_stream(bytes)?;
            app.import(&ctx, &mut lines, "fuzz", dry_run)?.values().for_each(add);
        }
        Format::MemoryJsonl => {
            let done = app.import_jsonl(&ctx, text(), dry_run)?;
            for tally in [&done.nodes, &done.connections] {
                let (new, replaced) = (tally.new, tally.updated);
                add(&Tally { new, replaced, ..Tally::default() });
            }
        }
        Format::Beads => add(&app.import_beads(&ctx, "p", text(), dry_run)?.issues),
    }
    Ok(all)
}

fn check_refusal(error: Error, shown: &impl Fn() -> String) {
    use ErrorCode::{Busy, InternalError, ReadOnly, StorageCorrupt, StorageFull};
    let cause = error.to_string();
    let fault = error.into_fault("r");
    let ours = [Busy, InternalError, ReadOnly, StorageCorrupt, StorageFull];
    assert!(!ours.contains(&fault.code), "{cause}: {}", shown());
    assert!(fault.message.chars().count() < 2_000, "{cause}: {}", shown());
}

/// A recount finds no difference, and an export is imported unchanged.
fn check_sound(app: &mut App, shown: &impl Fn() -> String) {
    let ctx = app.ctx(Some("fuzz"));
    let health = app.health(&ctx).unwrap();
    let found = [health.file.problems, health.miscounts].concat();
    assert!(found.is_empty(), "{found:?} after {}", shown());
    let lines = export(app).join("\n") + "\n";
    let again = import(app, lines.as_bytes(), true)
        .unwrap_or_else(|error| panic!("an export cannot be imported: {error}, after {}", shown()));
    assert!(!again.changed(), "{again:?} of an own export after {}", shown());
}
