//! `graph show ID` of a memory, through the real binary.

use serde_json::json;

use super::{
    directory::rich,
    world::{Memory, text},
};
use crate::support::binary::run;

#[test]
fn a_memory_and_a_connection_are_shown_by_their_ids() {
    let (mut m, home) = rich();
    let [project, action] = ["Project", "Action"].map(|kind| {
        let found = m.query_nodes(json!({ "type": kind }));
        text(&found["node_ids"][0])
    });
    let shown = run(&home, &["show", &project]).ok();
    for part in [
        format!("{project}  a memory: Project\n"),
        "  format    markdown\n".to_owned(),
        "\nproperties\n  status: done\n  n: 1\n  f: 1.0\n  b: true\n".to_owned(),
        "\ncontent\n  # Kitchen\n".to_owned(),
        format!("\nleads to\n  conn_0000000007  NextAction  {action}\n"),
        format!("how it came to this: graph log {project}\n"),
    ] {
        assert!(shown.contains(&part), "{part:?} is not in {shown}");
    }
    let shown = run(&home, &["show", &action]).ok();
    let part = format!("\ncomes from\n  conn_0000000007  NextAction  {project}\n");
    assert!(shown.contains(&part), "{shown}");
    let bytes = run(&home, &["show", "mem_0000000003"]).ok();
    assert!(bytes.contains("\ncontent\n  4 bytes, which are no text\n"), "{bytes}");

    let shown = run(&home, &["show", "conn_0000000008"]).ok();
    for part in ["a connection: DependsOn", &action, "why: 0.1", "content\n  notes\n"] {
        assert!(shown.contains(part), "{part:?} is not in {shown}");
    }
    let ask = json!({ "connection_id": "conn_0000000008", "include_content": true });
    assert_eq!(run(&home, &["show", "conn_0000000008", "--json"]).json(), m.get_connection(ask));
    let ask = json!({ "node_id": project });
    assert_eq!(
        run(&home, &["show", &project, "--json"]).json(),
        json!({ "node": m.get_node(ask.clone()), "content": m.get_node_content(ask) })
    );
}

#[test]
fn many_connections_are_counted_and_deleted_ones_are_reported() {
    let mut m = Memory::new();
    let [hub, far] = m.nodes("Action", ["hub", "far"]);
    for _ in 0..23 {
        m.connect("DependsOn", &hub, &far);
    }
    let home = m.app.db_path().parent().unwrap().to_owned();
    let shown = run(&home, &["show", &hub]).ok();
    assert_eq!(shown.matches("DependsOn").count(), 20, "{shown}");
    assert!(shown.contains("… and 3 more"), "{shown}");

    m.delete_node(json!({ "node_id": far }));
    let err = run(&home, &["show", &far]).failed(1);
    assert!(
        err.contains(&format!("`{far}` is deleted; it was of memory (node) (NOT_FOUND)")),
        "{err}"
    );
    assert!(err.contains(&format!("graph log {far}")), "{err}");
    let err = run(&home, &["show", "ontology"]).failed(1);
    assert!(err.contains("`ontology` is of memory (ontology), which this command"), "{err}");
    let err = run(&home, &["show", "mem_none"]).failed(1);
    assert!(err.contains("no such node"), "{err}");
}

#[test]
fn a_hint_names_tools_as_a_shell_calls_them_and_as_they_are_to_a_program() {
    let m = Memory::new();
    let home = m.app.db_path().parent().unwrap().to_owned();
    let err = run(&home, &["show", "n_none"]).failed(1);
    assert!(err.contains("hint: `graph list` finds nodes"), "{err}");
    let fault = run(&home, &["show", "n_none", "--json"]).json();
    let hint = fault["error"]["hint"].as_str().unwrap();
    assert!(hint.starts_with("graph_query finds nodes"), "{hint}");
}
