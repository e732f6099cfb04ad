//! What other programs keep: `memory.jsonl` of the reference memory server, and issues of beads.

use std::fs;

use serde_json::json;

use crate::support::binary::{folder, run};

const MEMORY: &str = r#"{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea","likes tea","two\nlines"]}
{"type":"entity","name":"Shop","entityType":"side  project","observations":[]}
{"type":"relation","from":"Ann","to":"Shop","relationType":"works on"}
{"type":"relation","from":"Ann","to":"Nobody","relationType":"knows"}
{"type":"relation","from":"Ann","to":"Shop","relationType":"works on"}

{"type":"entity","name":"Odd","observations":["x"]}
"#;

#[test]
fn the_reference_servers_memory_comes_in_once_and_grows() {
    let (_keep, home) = folder();
    fs::write(home.join("memory.jsonl"), MEMORY).unwrap();
    let dry = run(&home, &["import", "--dry-run", "memory.jsonl"]).ok();
    assert!(dry.contains("entities    3 new") && !home.join("graph.db").exists(), "{dry}");
    let said = run(&home, &["import", "memory.jsonl"]).ok();
    assert!(said.contains("entities    3 new") && said.contains("relations   1 new"), "{said}");
    assert!(said.contains("1 relation with an end that is no entity"), "{said}");
    let again = run(&home, &["import", "--memory-jsonl", "memory.jsonl"]).ok();
    assert!(
        again.contains("entities    0 new, 3 equal")
            && again.contains("relations   0 new, 1 equal"),
        "{again}"
    );

    let found =
        run(&home, &["tool", "query_nodes", r#"{"type":"person","properties":{"name":"Ann"}}"#])
            .json();
    let ann = found["node_ids"][0].as_str().unwrap().to_owned();
    let content =
        run(&home, &["tool", "get_node_content", &json!({ "node_id": ann }).to_string()]).json();
    assert_eq!(content["content"], "# Ann\n\n- likes tea\n- two\n  lines\n");
    let ontology = run(&home, &["tool", "get_ontology"]).json();
    assert_eq!(ontology["node_types"], json!(["entity", "person", "side project"]));

    let grown = MEMORY.replace(
        "\"observations\":[\"likes tea\"",
        "\"observations\":[\"likes rain\",\"likes tea\"",
    ) + r#"{"type":"relation","from":"Odd","to":"Ann","relationType":"works on"}"#;
    fs::write(home.join("memory.jsonl"), grown).unwrap();
    let said = run(&home, &["import", "memory.jsonl"]).ok();
    assert!(
        said.contains("2 equal, 1 updated") && said.contains("relations   1 new, 1 equal"),
        "{said}"
    );
    let ontology = run(&home, &["tool", "get_ontology"]).ok();
    assert!(ontology.contains("works on (entity to person)"), "{ontology}");
    assert!(run(&home, &["doctor"]).ok().contains("all is well"));

    fs::write(home.join("bad.jsonl"), format!("{MEMORY}{{\"type\":\"entity\"}}\n")).unwrap();
    let err = run(&home, &["import", "bad.jsonl"]).failed(1);
    assert!(err.contains("line 8: missing field `name`"), "{err}");
}

const BEADS: &str = r#"{"id":"bd-1","title":"Epic","description":"All of it","status":"open","priority":1,"issue_type":"epic","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","new_field":{"a":1}}
{"id":"bd-2","title":"First","description":"","status":"closed","priority":0,"issue_type":"task","assignee":"ann","labels":["x"],"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","closed_at":"2026-01-02T00:00:00Z","close_reason":"shipped","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"parent-child"}],"comments":[{"id":1,"issue_id":"bd-2","author":"ben","text":"nice"}]}
{"id":"bd-3","title":"Second","description":"","status":"in_progress","priority":2,"issue_type":"bug","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","dependencies":[{"issue_id":"bd-3","depends_on_id":"bd-1","type":"parent-child"},{"issue_id":"bd-3","depends_on_id":"bd-2","type":"blocks"},{"issue_id":"bd-3","depends_on_id":"bd-2","type":"discovered-from"},{"issue_id":"bd-3","depends_on_id":"gone","type":"blocks"}]}
{"id":"bd-4","title":"Gone","status":"tombstone","priority":2,"issue_type":"bug","deleted_at":"2026-01-02T00:00:00Z"}
"#;

#[test]
fn issues_of_beads_become_a_tree_with_dependencies_and_evidence() {
    let (_keep, home) = folder();
    fs::write(home.join("issues.jsonl"), BEADS).unwrap();
    let err = run(&home, &["import", "issues.jsonl"]).failed(2);
    assert!(err.contains("--project NAME"), "{err}");
    let said = run(&home, &["import", "issues.jsonl", "--project", "shop"]).ok();
    assert!(said.contains("issues      3 new") && said.contains("1 issue deleted"), "{said}");
    assert!(said.contains("1 dependency on issues"), "{said}");
    let tree = run(&home, &["tree", "--all"]).ok();
    assert!(tree.contains("Epic") && tree.contains("First") && tree.contains("Second"), "{tree}");
    let query = |ask: &str| run(&home, &["tool", "graph_query", ask]).json();
    let found = query(r#"{"filter":{"properties":{"beads_id":"bd-2"}}}"#);
    let text = found.to_string();
    assert!(text.contains("\"resolved\":true"), "{text}");
    let id = found["nodes"][0]["id"].as_str().unwrap().to_owned();
    let shown = run(&home, &["show", &id]).ok();
    assert!(shown.contains("shipped") && shown.contains("ben: nice"), "{shown}");
    let next = run(&home, &["tool", "graph_next", "{}"]).json().to_string();
    assert!(next.contains("Second"), "{next}");

    let again = run(&home, &["import", "--beads", "issues.jsonl", "--project", "shop"]).ok();
    assert!(again.contains("issues      3 equal") && again.contains("0 drawn"), "{again}");
    let newer = BEADS.replace("\"title\":\"Second\"", "\"title\":\"Second, renamed\"").replacen(
        "2026-01-02T00:00:00Z\",\"dependencies\":[{\"issue_id\":\"bd-3\"",
        "2026-01-03T00:00:00Z\",\"dependencies\":[{\"issue_id\":\"bd-3\"",
        1,
    );
    fs::write(home.join("issues.jsonl"), &newer).unwrap();
    let said = run(&home, &["import", "issues.jsonl", "--project", "shop"]).ok();
    assert!(said.contains("2 equal, 1 replaced"), "{said}");
    assert!(run(&home, &["tree"]).ok().contains("Second, renamed"));
    assert!(run(&home, &["doctor"]).ok().contains("all is well"));

    let before = run(&home, &["export"]).ok();
    let circle = BEADS.replace(
        "\"close_reason\":\"shipped\",\"dependencies\":[",
        "\"close_reason\":\"shipped\",\"dependencies\":[{\"issue_id\":\"bd-2\",\"depends_on_id\":\"bd-3\",\"type\":\"blocks\"},",
    );
    fs::write(home.join("issues.jsonl"), &circle).unwrap();
    for project in ["shop", "fresh"] {
        let err = run(&home, &["import", "issues.jsonl", "--project", project]).failed(1);
        assert!(err.contains("CYCLE_DETECTED") && err.contains("bd-"), "{err}");
    }
    assert_eq!(run(&home, &["export"]).ok(), before);
}
