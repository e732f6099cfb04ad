//! Stored text is data: whatever it contains, nothing executes it.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{TestApp, binary::run, git, server::Server};

/// Texts that would do something if anybody let them: escapes, line ends, reordering, formats, commands, paths.
const HOSTILE: &[&str] = &[
    "\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}[31mred",
    "line\rover\u{8}\u{8}\u{b}\u{c}\u{7f}\u{85}\u{9b}1m",
    "\u{202e}txt.exe\u{2066}\u{200b}\u{feff}\u{2028}\u{2029}\u{e0041}",
    "{} {0} %s %n ${HOME} $(touch owned) `touch owned` ; touch owned",
    "a\" OR \"b NEAR(x) -c *",
    "'; DROP TABLE events; --",
];

/// A repository whose database contains them in every text field of every domain.
fn haunted() -> (tempfile::TempDir, std::path::PathBuf, Vec<String>) {
    let (keep, root) = git::repository(&[]);
    let mut server = Server::greeted(&root);
    let mut call = |tool: &str, arguments: Value| server.call(tool, arguments);
    let mut ids = Vec::new();
    let id_of = |id: &Value| id.as_str().unwrap().to_owned();
    call("graph_open", json!({ "project": "p", "goal": HOSTILE.join(" ") }));
    call(
        "create_ontology",
        json!({ "node_types": ["Note"], "connection_types": [{ "name": "About", "from_types": ["Note"], "to_types": ["Note"] }] }),
    );
    for (index, text) in HOSTILE.iter().enumerate() {
        let node = json!({ "ref": "r", "summary": text, "context_links": [text], "properties": { *text: text } });
        let id = call("graph_plan", json!({ "nodes": [node] }))["created"][0]["id"].take();
        ids.push(id_of(&id));
        let evidence = json!([{ "type": text, "ref": text }]);
        call(
            "graph_update",
            json!({ "updates": [{ "node_id": id, "state": { *text: text }, "add_evidence": evidence }] }),
        );
        let atom = json!({ "operation": "create", "entityType": "atom", "name": format!("{index} {text}"),
            "paths": [format!("src/{index}/**")], "knowledge": text });
        ids.push(id_of(&call("manage_graph", atom)["data"]["atom"]["id"]));
        let molecule = json!({ "operation": "create", "entityType": "molecule", "name": format!("{index} {text}"), "knowledge": text });
        ids.push(id_of(&call("manage_graph", molecule)["data"]["molecule"]["id"]));
        let note = json!({ "type": "Note", "content": text, "format": "x", "properties": { "said": text } });
        let note = call("create_node", note)["node_id"].take();
        ids.push(id_of(&note));
        let link = json!({ "type": "About", "from_node_id": note, "to_node_id": note, "content": text, "properties": { "said": text } });
        ids.push(id_of(&call("create_connection", link)["connection_id"]));
        // The KB refuses control characters, but accepts characters that reorder or hide text.
        let text: String = text.chars().filter(|character| !character.is_control()).collect();
        let entity = json!({ "id": format!("REQ-{index}"), "type": "req", "title": text, "status": "draft", "owner": text,
            "tags": [text], "properties": { "said": text } });
        call("kb_upsert", json!({ "entities": [entity], "source": "agent:x" }));
        ids.push(format!("REQ-{index}"));
    }
    server.end();
    (keep, root, ids)
}

/// Everything but a line end, and the tab that a text's own lines may have.
fn acts_upon(character: char) -> bool {
    (character.is_control() && character != '\n' && character != '\t')
        || matches!(character, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[track_caller]
fn check_tame(root: &Path, line: &[&str]) {
    let ran = run(root, line);
    assert!(ran.code < 70, "{line:?} ended with {}: {}", ran.code, ran.err);
    for (stream, text) in [("stdout", &ran.out), ("stderr", &ran.err)] {
        if let Some(at) = text.chars().position(acts_upon) {
            let around: String = text.chars().skip(at.saturating_sub(40)).take(80).collect();
            panic!("{line:?} lets a character through on {stream}: {around:?}");
        }
    }
}

#[test]
fn no_command_prints_stored_text_as_control_sequences() {
    let (_keep, root, ids) = haunted();
    let directory = root.join("notes");
    let directory = directory.to_str().unwrap();
    // Of each text there are a node, an atom, a molecule, a memory, a connection and an entity.
    let [a, b, c] = [0, 6, 12].map(|at: usize| ids[at].as_str());
    let (atom, memory) = (ids[1].as_str(), ids[3].as_str());
    let lines: Vec<Vec<&str>> = vec![
        vec!["show", "n_\u{1b}[31m"],
        vec!["init"],
        vec!["demo"],
        vec!["status"],
        vec!["next"],
        vec!["next", "--count", "9"],
        vec!["next", "--claim"],
        vec!["tree"],
        vec!["tree", "--all"],
        vec!["log"],
        vec!["context", "src/0/a", "src/1/a", "src/2/a", "src/3/a"],
        vec!["brief", "src/0/a", "src/1/a", "src/2/a", "src/3/a"],
        vec!["search", "e"],
        vec!["search", "\u{1b}[31m"],
        vec!["atoms"],
        vec!["molecules"],
        vec!["doctor"],
        vec!["tool"],
        vec!["tool", "graph_onboard", "{}"],
        vec!["tool", "kb_query", "{}"],
        vec!["backup", "notes.db", "--force"],
        vec!["export", "all.jsonl", "--force"],
        vec!["import", "all.jsonl"],
        vec!["doctor", "--fix"],
        vec!["export", "--memory", directory],
        vec!["import", "--memory", directory],
        vec!["kb", "query"],
        vec!["kb", "check"],
        vec!["kb", "check", "--format", "github"],
        vec!["kb", "log"],
        vec!["kb", "branch"],
        vec!["kb", "diff"],
        vec!["kb", "gc"],
        vec!["kb", "sync"],
        vec!["completions", "bash"],
        vec!["kb", "rollback", "cs_\u{1b}[31m"],
        vec!["serve"],
        vec!["kb", "init", "--no-hooks"],
        vec!["open"],
        vec!["open", "p", "--goal", HOSTILE[0]],
        vec!["add", HOSTILE[0]],
        vec!["list", "--all"],
        vec!["link", a, "needs", b],
        vec!["why", a],
        vec!["unlink", a, b],
        vec!["claim", a],
        vec!["assign", b, HOSTILE[0]],
        vec!["done", b],
        vec!["release", b],
        vec!["note", a, HOSTILE[1]],
        vec!["set", a, "summary=\u{1b}[31m"],
        vec!["priority", a, HOSTILE[0]],
        vec!["tag", a, HOSTILE[0]],
        vec!["move", c, "--under", b],
        vec!["merge", c, "--into", b],
        vec!["done", a],
        vec!["reopen", a, "-m", HOSTILE[1]],
        vec!["drop", a, "-m", HOSTILE[0]],
        vec!["know", HOSTILE[0], HOSTILE[1], "--at", "src/**"],
        vec!["confirm", atom],
        vec!["remember", HOSTILE[0]],
        vec!["forget", memory, "--yes"],
    ];
    for line in &lines {
        check_tame(&root, line);
        check_tame(&root, &[&["--json"], line.as_slice()].concat());
    }
    for id in &ids {
        check_tame(&root, &["show", id.as_str()]);
    }
    check_tame(&root, &["log", ids[0].as_str()]);
    // Arguments of the command line itself are repeated in errors.
    for text in &HOSTILE[..3] {
        for command in
            [&["show"][..], &["tree"], &["tool"], &["tool", "graph_open"], &["atoms"], &["context"]]
        {
            check_tame(&root, &[command, &[text]].concat());
        }
    }
    // Every documented command was among them.
    let page =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands.md")).unwrap();
    let commands: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `graph ")?.split('`').next()).collect();
    assert!(commands.len() > 10, "the page lists the commands: {commands:?}");
    for command in commands {
        assert!(lines.iter().any(|line| line[0] == command), "`graph {command}` was not tried");
    }
    // And nothing of it was run, as far as a shell would have.
    assert!(!root.join("owned").exists() && !root.join("notes/owned").exists());
}

#[test]
fn stored_text_is_never_executed() {
    let (keep, root, _) = haunted();
    let with_git = |line: &[&str]| {
        let mut command = crate::support::binary::command(&root, line);
        crate::support::binary::finish(&mut command)
    };
    // Where programs are started: hooks run by git, on a branch and over a file that are called like commands, with a
    // database full of commands beside them.
    assert_eq!(with_git(&["kb", "init"]).code, 0);
    let requirement =
        "---\nid: REQ-9\ntype: req\nstatus: draft\ntitle: $(touch owned) `touch owned`\n---\n";
    let directory = root.join("docs/req");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("$(touch owned);touch owned.md"), requirement).unwrap();
    git::git(&root, &["checkout", "-q", "-b", "$(touch${IFS}owned)"]);
    git::commit(&root);
    for line in [
        &["kb", "sync"][..],
        &["kb", "diff"],
        &["kb", "gc"],
        &["brief", "--diff"],
        &["brief", "--diff=--output=owned"],
        &["brief", "--diff=$(touch owned)"],
        &["init", "--skills"],
        &["doctor", "--fix"],
    ] {
        let ran = with_git(line);
        assert!(ran.code < 70, "{line:?}: {}{}", ran.out, ran.err);
    }
    git::git(&root, &["checkout", "-q", "main"]);
    let found = run(&root, &["search", "DROP TABLE events"]).ok();
    assert!(found.contains("DROP TABLE events"), "{found}");
    assert_eq!(run(&root, &["doctor"]).code, 0, "every table is there, and sound");
    let mut directories = vec![keep.path().to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let entry = entry.unwrap();
            assert_ne!(entry.file_name(), "owned", "something was run in {}", directory.display());
            if entry.file_type().unwrap().is_dir() {
                directories.push(entry.path());
            }
        }
    }
}

#[test]
fn every_text_finds_itself_and_is_never_search_syntax() {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    let mut texts: Vec<&str> = HOSTILE.to_vec();
    texts.extend([
        "AND",
        "OR",
        "NOT",
        "NEAR/2",
        "col:x",
        "^abc",
        "abc*",
        "\"",
        "\"\"",
        "(",
        "a AND",
        "{body}: x",
        "body : abc",
        "-abc",
        "+++",
    ]);
    for text in &texts {
        app.graph_plan(json!({ "nodes": [{ "ref": "r", "summary": format!("<{text}>") }] }));
    }
    app.graph_plan(json!({ "nodes": [{ "ref": "r", "summary": "a plain abc x" }] }));
    for text in &texts {
        let found = app.graph_query(json!({ "filter": { "text": text }, "limit": 50 }));
        let plain = |node: &Value| {
            node["summary"].as_str().unwrap().to_lowercase().contains(&text.to_lowercase())
        };
        let nodes = found["nodes"].as_array().unwrap();
        assert!(!nodes.is_empty() && nodes.iter().all(plain), "{text:?}: {found}");
    }
}

#[test]
fn a_stored_path_never_leads_out_of_the_repository() {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    for path in ["/etc/passwd", "../x", "a/../../x", "C:\\x", "..\\x"] {
        let atom = json!({ "operation": "create", "entityType": "atom", "name": path, "paths": [path], "knowledge": "k" });
        assert_eq!(app.fault("manage_graph", atom)["code"], "VALIDATION_ERROR", "{path}");
        let ask = json!({ "operation": "context", "paths": [path] });
        assert_eq!(app.fault("query_graph", ask)["code"], "VALIDATION_ERROR", "{path}");
        // A node may name anything; it is matched as text, and never opened.
        app.graph_plan(
            json!({ "nodes": [{ "ref": "r", "summary": path, "context_links": [path] }] }),
        );
        app.graph_next(json!({ "count": 5 }));
    }
    // An export writes below its directory only, whatever ids and formats contain.
    app.create_ontology(json!({ "node_types": ["../../Note"], "connection_types": [] }));
    app.create_node(json!({ "type": "../../Note", "content": "x", "format": "../../../evil" }));
    let directory = app.db_path().parent().unwrap().join("inner/export");
    fs::create_dir_all(directory.parent().unwrap()).unwrap();
    app.read("a", |tx| graph::memory::export(tx, &directory, false)).unwrap();
    let mut beside: Vec<_> = fs::read_dir(directory.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    beside.sort();
    assert_eq!(beside, ["export"], "nothing beside the directory");
}
