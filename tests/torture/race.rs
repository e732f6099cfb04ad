//! Many servers with many callers each on one file.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Barrier},
    thread,
};

use serde_json::{Value, json};

use super::{
    client::{Answer, Process, Program, Times},
    ledger::Library,
};

/// Servers, and callers of each.
pub const SERVERS: usize = 8;
pub const CALLERS: usize = 4;

/// Runs `caller` in every caller of every server concurrently; their results and the duration of all calls.
fn all_at_once<T: Send>(
    program: &Program,
    directory: &Path,
    caller: impl Fn(&Process, &str, &mut Times) -> T + Sync,
) -> (Vec<T>, Times) {
    let processes: Vec<Process> =
        (0..SERVERS).map(|_| Process::start(program, directory)).collect();
    let start = Arc::new(Barrier::new(SERVERS * CALLERS));
    let done: Vec<(T, Times)> = thread::scope(|scope| {
        let callers: Vec<_> = processes
            .iter()
            .enumerate()
            .flat_map(|(server, process)| (0..CALLERS).map(move |number| (server, process, number)))
            .map(|(server, process, number)| {
                let (start, caller) = (Arc::clone(&start), &caller);
                scope.spawn(move || {
                    let agent = format!("agent-{server}-{number}");
                    // The server is up before the race begins.
                    expect(process.call(&agent, "graph_open", &json!({})));
                    start.wait();
                    let mut times = Times::default();
                    let answer = caller(process, &agent, &mut times);
                    (answer, times)
                })
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    processes.iter().for_each(Process::end);
    let mut all = Times::default();
    let mut answers = Vec::new();
    for (answer, times) in done {
        answers.push(answer);
        all.join(times);
    }
    (answers, all)
}

fn expect(answer: Answer) -> Value {
    match answer {
        Answer::Done(answer) => answer,
        Answer::Refused(error) => panic!("refused: {error}"),
        Answer::Lost => panic!("the server died"),
    }
}

/// Everybody claims and resolves until nothing is left; every node is won once.
pub fn claims(program: &Program, nodes: usize) -> Times {
    let directory = tempfile::tempdir().unwrap();
    let mut library = Library::open(directory.path());
    library.call("graph_open", json!({ "project": "p" })).unwrap();
    let planned: Vec<Value> = (0..nodes)
        .map(|index| json!({ "ref": format!("r{index}"), "summary": format!("step {index}") }))
        .collect();
    library.call("graph_plan", json!({ "nodes": planned })).unwrap();

    let (won, times) = all_at_once(program, directory.path(), |process, agent, times| {
        let mut won = Vec::new();
        loop {
            let next = json!({ "claim": true });
            let next = expect(times.take(|| process.call(agent, "graph_next", &next)));
            let Some(node) = next["nodes"].get(0) else { return won };
            let id = node["node"]["id"].as_str().unwrap().to_owned();
            assert_eq!(node["node"]["properties"]["_claimed_by"], agent, "{node}");
            let done = json!({ "updates": [{ "node_id": id, "resolved": true,
                "add_evidence": [{ "type": "note", "ref": agent }] }] });
            let done = expect(times.take(|| process.call(agent, "graph_update", &done)));
            assert!(done.get("warnings").is_none(), "somebody else holds it: {done}");
            won.push(id);
        }
    });
    let mut times_won: BTreeMap<String, usize> = BTreeMap::new();
    for id in won.into_iter().flatten() {
        *times_won.entry(id).or_default() += 1;
    }
    assert!(times_won.values().all(|times| *times == 1), "{times_won:?}");
    assert_eq!(times_won.len(), nodes + 1, "every node and, at the end, the root");
    let filter = json!({ "resolved": true, "has_evidence_type": "note" });
    let kept = library.call("graph_query", json!({ "filter": filter, "limit": 1 })).unwrap();
    assert_eq!(kept["total"], nodes + 1, "every acknowledged write is there");
    assert_eq!(library.problems().unwrap(), Vec::<String>::new());
    times
}

/// Everybody adds lines to one atom, each on the version it has seen; no line is lost.
pub fn updates(program: &Program, each: usize) -> Times {
    let directory = tempfile::tempdir().unwrap();
    let mut library = Library::open(directory.path());
    library.call("graph_open", json!({ "project": "p" })).unwrap();
    let atom = json!({ "operation": "create", "entityType": "atom", "name": "Shared", "paths": ["src/**"],
        "knowledge": "begins" });
    let id = library.call("manage_graph", atom).unwrap()["data"]["atom"]["id"].take();

    let (conflicts, times) = all_at_once(program, directory.path(), |process, agent, times| {
        let (mut done, mut conflicts) = (0, 0);
        while done < each {
            let get = json!({ "operation": "get", "entityType": "atom", "id": id });
            let seen = expect(times.take(|| process.call(agent, "query_graph", &get)));
            let atom = &seen["data"]["atom"];
            let knowledge = format!("{}\n{agent}:{done};", atom["knowledge"].as_str().unwrap());
            let update = json!({ "operation": "update", "entityType": "atom", "id": id,
                "version": atom["version"], "knowledge": knowledge, "knowledgeMode": "overwrite" });
            match times.take(|| process.call(agent, "manage_graph", &update)) {
                Answer::Done(_) => done += 1,
                Answer::Refused(error) => {
                    assert_eq!(error["code"], "CONFLICT", "{error}");
                    conflicts += 1;
                }
                Answer::Lost => panic!("the server died"),
            }
        }
        conflicts
    });
    let get = json!({ "operation": "get", "entityType": "atom", "id": id });
    let atom = library.call("query_graph", get).unwrap()["data"]["atom"].take();
    let total = SERVERS * CALLERS * each;
    assert_eq!(atom["version"], total + 1, "after {} conflicts", conflicts.iter().sum::<usize>());
    let lines =
        atom["knowledge"].as_str().unwrap().lines().filter(|line| line.ends_with(';')).count();
    assert_eq!(lines, total, "lost updates");
    assert_eq!(library.problems().unwrap(), Vec::<String>::new());
    times
}

/// Everybody defines the ontology; one does.
pub fn ontology(program: &Program) -> Times {
    let directory = tempfile::tempdir().unwrap();
    let mut library = Library::open(directory.path());
    library.call("graph_open", json!({ "project": "p" })).unwrap();
    let (winners, times) = all_at_once(program, directory.path(), |process, agent, times| {
        let kind = format!("Of_{}", agent.replace('-', "_"));
        let ontology = json!({ "node_types": [kind], "connection_types": [] });
        match times.take(|| process.call(agent, "create_ontology", &ontology)) {
            Answer::Done(_) => Some(kind),
            Answer::Refused(error) => {
                assert_eq!(error["code"], "ONTOLOGY_ALREADY_EXISTS", "{error}");
                None
            }
            Answer::Lost => panic!("the server died"),
        }
    });
    let winners: Vec<String> = winners.into_iter().flatten().collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    let kept = library.call("get_ontology", json!({})).unwrap();
    assert!(kept.to_string().contains(&winners[0]), "{kept} is not that of {winners:?}");
    times
}
