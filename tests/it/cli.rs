//! The command line through the real binary: what people and scripts see, and the exit codes.

use std::{fs, io::Write, process::Stdio};

use serde_json::{Value, json};

use crate::support::binary::{command, directory, finish, run, shop};

#[test]
fn empty_states_say_what_to_do_next_and_create_no_file() {
    let (_keep, directory) = directory();
    for arguments in [&["status"][..], &["log"]] {
        let out = run(&directory, arguments).ok();
        assert!(out.starts_with("no projects yet\n"), "{out}");
        assert!(out.contains("claude mcp add graph -- graph serve"), "{out}");
        assert!(out.contains("graph open NAME"), "{out}");
    }
    for arguments in
        [&["next"][..], &["next", "--claim"], &["tree"], &["show", "n_1"], &["log", "n_1"]]
    {
        let err = run(&directory, arguments).failed(1);
        assert!(err.starts_with("error: no projects yet: there is no file "), "{err}");
        assert!(err.contains("\nhint: `graph open NAME"), "{err}");
    }
    assert_eq!(run(&directory, &["--json", "status"]).json(), json!({ "projects": [] }));
    assert!(
        run(&directory, &["doctor"])
            .ok()
            .contains("does not exist yet; the first write creates it")
    );
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);

    // A project without a plan, and one that is done.
    run(&directory, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    assert!(run(&directory, &["status"]).ok().contains("nothing planned yet"));
    let root =
        run(&directory, &["tool", "graph_next", "{}"]).json()["nodes"][0]["node"]["id"].clone();
    let done = json!({ "updates": [{ "node_id": root, "resolved": true }] }).to_string();
    run(&directory, &["tool", "graph_update", &done]).ok();
    assert!(run(&directory, &["status"]).ok().contains("all done; look back: graph tree --all"));
    assert!(
        run(&directory, &["next"]).ok().starts_with("nothing to do now: all 1 nodes are resolved")
    );
}

#[test]
fn tree_shows_the_status_of_every_node() {
    let (_app, directory) = shop();
    let legend = "\n✓ done  ▶ ready  ◐ claimed  ✗ blocked  ○ has open parts\n";
    let expected = "\
○ Sell books on the web  0/3 done  n_0000000001
├─ ○ Storage  1/2 done  n_0000000002
│  │  ✓ 1 done, shown by --all
│  └─ ▶ Write the migrations  n_0000000004
├─ ✗ Checkout  0/1 done  n_0000000005  waits for n_0000000002
│  └─ ▶ Pay by card with \\u{1b}[31mred  n_0000000006
└─ ▶ Landing page  n_0000000007
";
    assert_eq!(run(&directory, &["tree"]).ok(), format!("{expected}{legend}"));
    assert_eq!(run(&directory, &["tree", "shop"]).ok(), format!("{expected}{legend}"));

    let all = run(&directory, &["tree", "n_0000000002", "--all"]).ok();
    let expected = "\
○ Storage  1/2 done  n_0000000002
├─ ✓ Design the schema  n_0000000003
└─ ▶ Write the migrations  n_0000000004
";
    assert_eq!(all, format!("{expected}{legend}"));

    let shallow = run(&directory, &["tree", "--depth", "1"]).ok();
    assert!(
        shallow.contains("├─ ○ Storage  1/2 done  n_0000000002\n│     ✓ 1 done, … 1 deeper\n"),
        "{shallow}"
    );

    run(&directory, &["next", "--claim", "--agent", "ana"]).ok();
    let claimed = run(&directory, &["tree"]).ok();
    assert!(claimed.contains("◐ Write the migrations  n_0000000004  claimed by ana"), "{claimed}");
    let object = run(&directory, &["tree", "--json", "n_0000000004"]).json();
    assert_eq!(object["nodes"][0]["standing"], "actionable");
    assert_eq!(object["nodes"][0]["claimed_by"], "ana");
}

#[test]
fn next_shows_the_context_of_a_node_and_claims_it_on_request() {
    let (_app, directory) = shop();
    let shown = "\
n_0000000004  Write the migrations
  in         Sell books on the web › Storage
  see        docs/storage.md
  builds on  n_0000000003  Design the schema — git: abc123

take it: graph next --claim
";
    assert_eq!(run(&directory, &["next"]).ok(), shown);
    let taken = run(&directory, &["next", "--claim", "--agent", "ana"]).ok();
    assert!(taken.contains("claimed    by ana, just now"), "{taken}");
    assert!(taken.contains("when done: graph done n_0000000004"), "{taken}");
    // A claim is not suggested for a node that the agent has claimed.
    let again = run(&directory, &["next", "--agent", "ana"]).ok();
    assert!(
        again.contains("n_0000000004") && again.contains("\nwhen done: graph done "),
        "{again}"
    );
    assert!(!again.contains("take it"), "{again}");
    // Another agent gets another node.
    let other = run(&directory, &["next", "--count", "2"]).ok();
    assert!(other.contains("n_0000000006") && other.contains("n_0000000007"), "{other}");
    assert!(!other.contains("n_0000000004"), "{other}");
}

#[test]
fn status_shows_progress_claims_and_what_is_next() {
    let (_app, directory) = shop();
    run(&directory, &["next", "--claim", "--agent", "ana"]).ok();
    let out = run(&directory, &["status"]).ok();
    let lines: Vec<_> = out.lines().collect();
    assert!(
        lines[0].starts_with("shop  ██░░░░░░░░░░░░░░░░░░  14%  1 of 7 done  changed "),
        "{out}"
    );
    assert_eq!(
        lines[1..9],
        [
            "  Sell books on the web",
            "  3 ready, 1 blocked; 1 of these claimed",
            "  ◐ claimed  n_0000000004  Write the migrations  ana, just now",
            "  ▶ next     n_0000000006  Pay by card with \\u{1b}[31mred",
            "    then     n_0000000007  Landing page",
            "  take it: graph next --claim",
            "",
            "last changes",
        ]
    );
    assert_eq!(lines.len(), 13, "{out}");
    assert!(lines[9].contains("  ana ") && lines[9].contains("Write the migrations"), "{out}");
    // An agent with a claimed node continues with it, and sees it once.
    let mine = run(&directory, &["status", "--agent", "ana"]).ok();
    assert!(mine.contains("\n  go on: graph next\n") && !mine.contains("take it"), "{mine}");
    assert_eq!(mine.matches("  n_0000000004  Write").count(), 1, "{mine}");
}

#[test]
fn show_prints_everything_about_a_node() {
    let (_app, directory) = shop();
    let expected = "\
n_0000000003  Design the schema
  status    ✓ done
  in        Sell books on the web › Storage
  created   2026-01-01 00:00:00Z by a
  updated   2026-01-01 00:01:00Z, revision 2

properties
  priority: 5

links
  migrations/0001.sql

evidence
  git  a, 2026-01-01 00:01:00Z
    abc123

needed by
  ▶ n_0000000004  Write the migrations

how it came to this: graph log n_0000000003
";
    assert_eq!(run(&directory, &["show", "n_0000000003"]).ok(), expected);
    let blocked = run(&directory, &["show", "n_0000000005"]).ok();
    assert!(blocked.contains("status    ✗ blocked by 1"), "{blocked}");
    assert!(blocked.contains("\ndepends on\n  ○ n_0000000002  Storage\n"), "{blocked}");
    // The marks are those of the tree.
    run(&directory, &["next", "--claim"]).ok();
    let whole = run(&directory, &["show", "n_0000000001"]).ok();
    let parts = "\
parts
  ○ n_0000000002  Storage
    ✓ n_0000000003  Design the schema
    ◐ n_0000000004  Write the migrations
  ✗ n_0000000005  Checkout
    ▶ n_0000000006  Pay by card with \\u{1b}[31mred
  ▶ n_0000000007  Landing page
";
    assert!(whole.contains(parts), "{whole}");
    // Its own line breaks are kept, everything else that a terminal would act upon is not.
    let card = run(&directory, &["show", "n_0000000006"]).ok();
    assert!(card.starts_with("n_0000000006  Pay by card\n    with \\u{1b}[31mred\n"), "{card}");
}

#[test]
fn show_refers_to_the_command_for_what_it_does_not_print() {
    let (mut app, directory) = shop();
    let [design, tables] = ["n_0000000003", "n_0000000004"];
    let merge = json!({ "op": "merge", "source": design, "target": tables });
    app.graph_restructure(json!({ "operations": [merge] }));
    let ran = run(&directory, &["show", design, "--json"]);
    let fault = app.fault("graph_context", json!({ "node_id": design }));
    assert_eq!((ran.code, ran.json()), (1, json!({ "error": fault })));
    app.kb_upsert(
        json!({ "entities": [{ "id": "REQ-7", "type": "req", "title": "x", "status": "draft" }] }),
    );
    let new = json!({ "operation": "create", "entityType": "atom", "name": "A", "paths": ["x"] });
    let made = app.manage_graph(new);
    let atom = made["data"]["atom"]["id"].as_str().unwrap();
    for (id, hint) in [
        (design, format!("hint: it was merged into {tables}\n")),
        ("REQ-7", "hint: `graph kb query --id REQ-7` shows it\n".to_owned()),
        (atom, "hint: `graph tool query_graph '{".to_owned()),
    ] {
        let err = run(&directory, &["show", id]).failed(1);
        assert!(err.contains(&hint), "{id}: {err}");
        if let Some((_, command)) = err.split_once("graph tool query_graph '") {
            let arguments = command.split('\'').next().unwrap();
            assert!(run(&directory, &["tool", "query_graph", arguments]).ok().contains(id));
        }
    }
}

#[test]
fn log_shows_what_happened_newest_first() {
    let (_app, directory) = shop();
    let expected = "\
2026-01-01 00:01:00Z  a  resolved   n_0000000003  Design the schema
    resolved: false → true
    evidence: git: abc123
2026-01-01 00:00:00Z  a  created    n_0000000007  Landing page
    summary: Landing page
    parent: n_0000000001

there is more: graph log --limit 10
";
    assert_eq!(run(&directory, &["log", "--limit", "2"]).ok(), expected);
    // What to type next keeps what was asked for.
    for filters in [&["--domain", "work"][..], &["--since", "2026-01-01T00:00:00.000Z"]] {
        let out = run(&directory, &[&["log", "--limit", "1"], filters].concat()).ok();
        let more = format!("there is more: graph log {} --limit 5\n", filters.join(" "));
        assert!(out.ends_with(&more), "{out}");
    }
    let one = run(&directory, &["log", "n_0000000003"]).ok();
    assert!(
        one.starts_with("2026-01-01 00:01:00Z  a  resolved\n    resolved: false → true\n"),
        "{one}"
    );
    assert!(one.contains("a  created\n"), "{one}");
    let object = run(&directory, &["log", "--json", "--limit", "1"]).json();
    assert_eq!(object["events"][0]["action"], "resolved");
    assert_eq!(object["events"][0]["title"], "Design the schema");
    assert_eq!(object["more"], true);
}

#[test]
fn json_is_the_response_of_the_tool() {
    let (mut app, directory) = shop();
    for (arguments, tool, input) in [
        (&["next"][..], "graph_next", json!({ "count": 1 })),
        (&["show", "n_0000000002"], "graph_context", json!({ "node_id": "n_0000000002" })),
        (&["log", "n_0000000003"], "graph_history", json!({ "node_id": "n_0000000003" })),
    ] {
        let mut arguments = arguments.to_vec();
        arguments.push("--json");
        let ran = run(&directory, &arguments);
        assert_eq!(ran.json(), app.ok(tool, input.clone()), "{arguments:?}");
        assert_eq!(ran.out.lines().count(), 1, "{arguments:?}");
        assert_eq!(ran.out, run(&directory, &["tool", tool, &input.to_string()]).ok());
    }
    let ran = run(&directory, &["show", "n_none", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    let fault = app.fault("graph_context", json!({ "node_id": "n_none" }));
    assert_eq!(ran.json(), json!({ "error": fault }));
}

#[test]
fn tool_reads_its_arguments_from_the_command_line_or_standard_input() {
    let (_keep, directory) = directory();
    let mut child = command(&directory, &["tool", "graph_open", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"project":"from-stdin"}"#).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let opened: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(opened["project"], "from-stdin");
    assert_eq!(opened["root"]["created_by"], "cli");

    let list = run(&directory, &["tool"]).ok();
    assert!(list.contains("graph_next") && list.contains("call one: graph tool"), "{list}");

    let err = run(&directory, &["tool", "graph_open", "{"]).failed(2);
    assert!(err.contains("the arguments are not JSON"), "{err}");
    let ran = run(&directory, &["tool", "graph_opn", "{}"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("NOT_FOUND")));
    let ran = run(&directory, &["tool", "graph_next", r#"{"count":0}"#]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("VALIDATION_ERROR")));
}

#[test]
fn wrong_usage_and_wrong_settings_end_with_2() {
    let (_keep, directory) = directory();
    for arguments in [&["nope"][..], &["show"], &["next", "--count", "0"], &[]] {
        let ran = run(&directory, arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}");
        let helps = ran.err.contains("Usage: graph") || ran.err.contains("try '--help'");
        assert!(helps, "{arguments:?}: {}", ran.err);
    }
    fs::write(directory.join("graph.config.yaml"), "# mine\nclaim_ttl: 5\n").unwrap();
    for arguments in [&["status"][..], &["serve"], &["doctor"], &["--json", "next"]] {
        let ran = run(&directory, arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}");
        let path = directory.join("graph.config.yaml");
        let expected = format!(
            "error: {}:2: unknown key `claim_ttl`\nhint: did you mean `claim_ttl_minutes`?\n",
            path.display()
        );
        assert_eq!(ran.err, expected);
    }
    let err = run(&directory, &["serve", "--config", "none.yaml"]).failed(2);
    assert!(err.starts_with("error: option --config: there is no file "), "{err}");
    fs::remove_file(directory.join("graph.config.yaml")).unwrap();
    let err = run(&directory, &["serve", "--toolsets", "wrok"]).failed(2);
    assert_eq!(
        err,
        "error: option --toolsets has `wrok`, which is not known; did you mean `work`?\n"
    );
}

#[test]
fn verbose_names_the_files_in_use_on_standard_error() {
    let (_app, directory) = shop();
    let json = run(&directory, &["--json", "status"]).out;
    for (arguments, said) in [
        (&["-v", "status", "--json"][..], "(default)"),
        (&["-v", "status", "--json", "--db", "graph.db"], "(option --db)"),
    ] {
        let ran = run(&directory, arguments);
        assert_eq!((ran.code, &ran.out), (0, &json), "{arguments:?}");
        let database = format!("database {} {said}", directory.join("graph.db").display());
        let settings = format!("settings from {}", directory.join("graph.config.yaml").display());
        assert!(ran.err.contains(&database) && ran.err.contains(&settings), "{}", ran.err);
    }
    let new = run(&directory, &["-v", "doctor", "--db", "none.db"]);
    assert!(new.err.contains("none.db (option --db), does not exist yet"), "{}", new.err);
    assert_eq!(run(&directory, &["status"]).err, "");
}

#[test]
fn suggested_commands_use_the_same_file() {
    let (_app, directory) = shop();
    run(&directory, &["backup", "my copy.db"]).ok();
    let given = "graph --db 'my copy.db'";
    for (arguments, said) in [
        (&["log", "--limit", "1"][..], "log --limit 5"),
        (&["next"], "next --claim"),
        (&["status"], "next --claim"),
        (&["show", "n_0000000003"], "log n_0000000003"),
    ] {
        let out = run(&directory, &[&["--db", "my copy.db"], arguments].concat()).ok();
        assert!(out.contains(&format!(": {given} {said}\n")), "{arguments:?}: {out}");
    }
    let err = run(&directory, &["--db", "my copy.db", "show", "n_none"]).failed(1);
    assert!(err.contains(&format!("hint: `{given} list` finds nodes")), "{err}");
}

#[test]
fn colour_is_used_on_terminals_or_when_forced() {
    let (_app, directory) = shop();
    for arguments in
        [&["status"][..], &["tree"], &["next"], &["doctor"], &["log"], &["show", "n_0000000006"]]
    {
        assert!(!run(&directory, arguments).ok().contains('\u{1b}'), "{arguments:?}");
        let forced = finish(command(&directory, arguments).env("CLICOLOR_FORCE", "1")).ok();
        assert!(forced.contains("\u{1b}["), "{arguments:?}");
        assert!(!forced.contains("\u{1b}[31mred"), "{arguments:?}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let (_keep, directory) = directory();
    run(&directory, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    let nodes: Vec<_> =
        (0..2000).map(|i| json!({ "ref": i.to_string(), "summary": "x".repeat(200) })).collect();
    fs::write(directory.join("plan.json"), json!({ "nodes": nodes }).to_string()).unwrap();
    let plan = fs::File::open(directory.join("plan.json")).unwrap();
    finish(command(&directory, &["tool", "graph_plan", "-"]).stdin(plan)).ok();

    let mut child = command(&directory, &["log", "--limit", "10000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
