//! Responses that join knowledge and work: graph_next, graph_context, query_container, advance, graph_update, context.

use serde_json::{Value, json};

use super::world::{World, each, names};

/// Three atoms, and a task `work` on files of two of them and on one that nothing is known about.
fn world() -> World {
    let mut w = World::new();
    w.molecule("Payments", json!({ "knowledge": "idempotent" }));
    w.atom(
        "Webhooks",
        &["src/webhooks/**"],
        json!({ "moleculeId": "@Payments", "knowledge": "8 handlers" }),
    );
    w.atom("Retry", &["src/retry.ts"], json!({ "knowledge": "backoff" }));
    w.atom("Elsewhere", &["docs/**"], json!({}));
    w.task("work", &["src/webhooks/a.ts", "src/retry.ts", "src/new.ts"]);
    w
}

/// The knowledge about the files of `work`.
#[track_caller]
fn is_known(knowledge: &Value) {
    assert_eq!(names(&knowledge["molecules"]), "Payments");
    let atom = &knowledge["molecules"][0]["atoms"][0];
    assert_eq!((&atom["name"], &atom["knowledge"]), (&json!("Webhooks"), &json!("8 handlers")));
    assert_eq!(atom["matchedPaths"], json!(["src/webhooks/a.ts"]));
    assert_eq!(names(&knowledge["orphanAtoms"]), "Retry");
    assert_eq!(knowledge["unmatchedPaths"], json!(["src/new.ts"]));
}

fn container(w: &mut World, name: &str, extra: Value) -> Value {
    let mut ask = json!({ "operation": "get", "containerType": "task", "id": format!("@{name}") });
    super::world::extend(&mut ask, extra);
    w.data("query_container", ask)
}

#[test]
fn graph_next_returns_the_knowledge_of_the_nodes_own_files_with_and_without_a_claim() {
    let mut w = world();
    w.resolve("t");
    for claim in [false, true] {
        let plain = w.graph_next(json!({ "claim": claim }));
        assert_eq!(plain["nodes"][0]["node"]["id"], "@work");
        assert_eq!(plain.get("knowledge"), None, "only when asked for");
        let next = w.graph_next(json!({ "claim": claim, "include_knowledge": true }));
        assert_eq!(next["nodes"], plain["nodes"]);
        is_known(&next["knowledge"]);
    }
}

#[test]
fn graph_next_returns_the_knowledge_of_all_its_nodes() {
    let mut w = world();
    w.resolve("t");
    w.task("second", &["docs/a.md"]);
    let next = w.graph_next(json!({ "count": 5, "include_knowledge": "true" }));
    assert_eq!(names(&next["knowledge"]["orphanAtoms"]), "Elsewhere Retry");
    assert_eq!(names(&next["knowledge"]["molecules"]), "Payments");
}

#[test]
fn graph_next_without_files_or_without_work_has_no_knowledge() {
    let mut w = World::new();
    let next = w.graph_next(json!({ "include_knowledge": true }));
    assert_eq!((next["nodes"].as_array().unwrap().len(), next.get("knowledge")), (1, None));
    w.resolve("t");
    w.resolve("p");
    let next = w.graph_next(json!({ "include_knowledge": true, "claim": true }));
    assert_eq!(next.get("knowledge"), None, "{next}");
}

#[test]
fn graph_context_returns_the_knowledge_of_the_nodes_own_files() {
    let mut w = world();
    let ask = json!({ "node_id": "@work" });
    let plain = w.graph_context(ask);
    assert_eq!(plain.get("knowledge"), None);
    let with = w.graph_context(json!({ "node_id": "@work", "include_knowledge": true }));
    assert_eq!(with["node"], plain["node"]);
    is_known(&with["knowledge"]);
    let none = w.graph_context(json!({ "node_id": "@t", "include_knowledge": true }));
    assert_eq!(none.get("knowledge"), None, "it names no file");
}

#[test]
fn query_container_includes_the_graph_context_of_its_context_files() {
    let mut w = world();
    assert_eq!(
        container(&mut w, "work", json!({})).get("graphContext"),
        None,
        "the default is false"
    );
    let data =
        container(&mut w, "work", json!({ "includeGraphContext": true, "includeSections": true }));
    assert_eq!(data["task"]["id"], "@work");
    assert_eq!(data["sections"][0]["title"], "Context Files");
    is_known(&data["graphContext"]);
    let data = container(&mut w, "t", json!({ "includeGraphContext": true }));
    assert_eq!(data.get("graphContext"), None, "left out when the task has no paths");
}

#[test]
fn paths_are_extracted_from_every_usual_spelling() {
    for (link, expected) in [
        ("src/a.ts", json!(["src/a.ts"])),
        ("- src/a.ts", json!(["src/a.ts"])),
        ("* `src/a.ts`", json!(["src/a.ts"])),
        ("\"src/a.ts\"", json!(["src/a.ts"])),
        ("'src/a.ts'", json!(["src/a.ts"])),
        ("src/a.ts:12", json!(["src/a.ts"])),
        ("src/a.ts:12:5", json!(["src/a.ts"])),
        ("src/a.ts#L3", json!(["src/a.ts"])),
        ("src/a.ts#L3-L9", json!(["src/a.ts"])),
        ("- `src/a.ts:12`", json!(["src/a.ts"])),
        ("src/a.ts, src/b.ts,src/c.ts", json!(["src/a.ts", "src/b.ts", "src/c.ts"])),
        ("src/a.ts\nsrc/b.ts", json!(["src/a.ts", "src/b.ts"])),
        (
            "- src/a.ts, `src/b.ts`\n# a comment\n\nsrc/c.ts:3",
            json!(["src/a.ts", "src/b.ts", "src/c.ts"]),
        ),
    ] {
        let mut w = World::new();
        w.task("x", &[link]);
        let data = container(&mut w, "x", json!({ "includeGraphContext": true }));
        assert_eq!(data["graphContext"]["unmatchedPaths"], expected, "{link}");
    }
}

#[test]
fn malformed_lines_comments_and_urls_are_skipped() {
    let mut w = World::new();
    let links = [
        "# Files",
        "// none yet",
        "https://example.org/a.ts",
        "/etc/passwd",
        "../outside.ts",
        "   ",
        ",,",
        "src/a.ts",
    ];
    w.task("x", &links.map(|link| if link.trim().is_empty() { "-" } else { link }));
    let data = container(&mut w, "x", json!({ "includeGraphContext": true }));
    let unmatched = data["graphContext"]["unmatchedPaths"].as_array().unwrap().clone();
    assert!(unmatched.contains(&json!("src/a.ts")), "{unmatched:?}");
    for skipped in ["Files", "none", "example", "passwd", "outside"] {
        assert!(!json!(unmatched).to_string().contains(skipped), "{skipped}: {unmatched:?}");
    }
    w.task("urls", &["https://example.org/a.ts", "# nothing"]);
    let data = container(&mut w, "urls", json!({ "includeGraphContext": true }));
    assert_eq!(data.get("graphContext"), None, "no paths");
}

#[test]
fn advance_hints_at_the_graph_when_a_task_closes_and_names_the_atoms() {
    let mut w = world();
    let step = |version: i64| json!({ "containerType": "task", "id": "@work", "version": version });
    let begun = w.data("advance", step(1));
    assert_eq!(begun.get("graphHints"), None, "not before it is done");
    let hints = w.data("advance", step(2))["graphHints"].take();
    assert_eq!(hints["message"], "Task completed. Consider updating the knowledge graph.");
    assert_eq!(
        hints["suggestedActions"],
        json!([
            "Update atom knowledge for areas affected by this task",
            "Update atom paths if files were moved or new directories created",
            "Append changelog entries for significant changes",
        ])
    );
    assert_eq!(hints["atoms"], json!(["Retry", "Webhooks"]));
}

#[test]
fn graph_update_hints_at_the_atoms_of_what_it_resolved_by_name() {
    let mut w = world();
    w.task("docs", &["docs/a.md:3", "src/retry.ts"]);
    let touched = json!({ "updates": [{ "node_id": "@work", "state": "half done" }] });
    assert_eq!(w.graph_update(touched).get("graph_hints"), None, "nothing is resolved");
    let done = ["@work", "@docs", "@t"].map(|id| json!({ "node_id": id, "resolved": true }));
    let answer = w.graph_update(json!({ "updates": done }));
    assert_eq!(
        answer["graph_hints"]["atoms"],
        json!(["Elsewhere", "Retry", "Webhooks"]),
        "each once"
    );
    let again = json!({ "updates": [{ "node_id": "@work", "resolved": true }] });
    assert_eq!(w.graph_update(again).get("graph_hints"), None, "it was resolved before");
    let undone = [false, true, false].map(|to| json!({ "node_id": "@work", "resolved": to }));
    let answer = w.graph_update(json!({ "updates": undone }));
    assert_eq!(answer.get("graph_hints"), None, "it is open in the end");
}

#[test]
fn graph_update_has_no_hints_where_no_atom_covers_the_files() {
    let mut w = world();
    w.task("uncovered", &["lib/x.ts", "https://example.org"]);
    assert_eq!(w.resolve("uncovered").get("graph_hints"), None);
    assert_eq!(w.resolve("t").get("graph_hints"), None);
}

#[test]
fn context_includes_open_work_on_the_same_paths() {
    let mut w = world();
    w.task("directory", &["src/webhooks"]);
    w.task("slashed", &["./src/webhooks/"]);
    w.task("line", &["src/webhooks/a.ts:12"]);
    w.task("hash", &["src/webhooks/a.ts#L3-L9"]);
    w.task("else", &["src/webhooks/b.ts", "https://example.org/src/webhooks/a.ts"]);
    w.task("prefix", &["src/web"]);
    w.task("done", &["src/webhooks/a.ts"]);
    w.resolve("done");
    assert_eq!(w.context("src/webhooks/a.ts").get("work"), None, "only when asked for");
    let context =
        w.context_with("./src/webhooks/a.ts,src/nothing.ts", json!({ "include": ["work"] }));
    assert_eq!(each(&context["work"], "id"), ["@work", "@directory", "@slashed", "@line", "@hash"]);
    assert_eq!(context["work"][0]["summary"], "work");
    for node in context["work"].as_array().unwrap() {
        assert_eq!(node["paths"], json!(["./src/webhooks/a.ts"]), "in the spelling asked: {node}");
    }
    assert_eq!(names(&context["molecules"]), "Payments", "beside what is known");
    let context = w.context_with("nowhere.ts", json!({ "include": "work" }));
    assert_eq!(context["work"], json!([]));
}

#[test]
fn open_work_follows_links_that_are_added_and_work_that_is_reopened() {
    let mut w = World::new();
    let about = |w: &mut World| {
        let context = w.context_with("src/a.ts", json!({ "include": ["work"] }));
        each(&context["work"], "id").join(" ")
    };
    assert_eq!(about(&mut w), "");
    w.graph_update(json!({ "updates": [{ "node_id": "@t", "add_context_links": ["src/a.ts"] }] }));
    assert_eq!(about(&mut w), "@t");
    w.resolve("t");
    assert_eq!(about(&mut w), "");
    w.graph_update(json!({ "updates": [{ "node_id": "@t", "resolved": false }] }));
    assert_eq!(about(&mut w), "@t");
    w.graph_update(
        json!({ "updates": [{ "node_id": "@t", "remove_context_links": ["src/a.ts"] }] }),
    );
    assert_eq!(about(&mut w), "");
}

#[test]
fn open_work_names_its_holder_and_work_of_other_projects_is_not_shown() {
    let mut w = World::new();
    w.task("x", &["src/a.ts"]);
    w.open("q");
    let node = json!({ "ref": "y", "summary": "y", "context_links": ["src/a.ts"] });
    w.graph_plan(json!({ "project": "q", "nodes": [node] }));
    w.graph_next(json!({ "project": "p", "claim": true, "count": 2 }));
    let work = w.context_with("src/a.ts", json!({ "include": ["work"] }))["work"].take();
    assert_eq!(each(&work, "id"), ["@x"]);
    assert_eq!(work[0]["claimed_by"], "a");
}

/// Open work whose one link is `link`, asked about src/a.ts.
fn touching(link: &str) -> String {
    let mut w = World::new();
    w.task("x", &[link]);
    let context = w.context_with("src/a.ts", json!({ "include": ["work"] }));
    each(&context["work"], "id").join(" ")
}

#[test]
fn open_work_is_found_in_any_spelling_of_a_link_that_knowledge_is_found_for() {
    for link in [
        "src/a.ts",
        " ./src/a.ts ",
        "`src/a.ts`",
        "\"src/a.ts\"",
        "- src/a.ts",
        "* `src/a.ts:12`",
        "src\\a.ts",
        "src//a.ts",
        "src/a.ts:3-9",
        "src/a.ts:12:5",
    ] {
        assert_eq!(touching(link), "@x", "{link}");
    }
}

#[test]
fn a_task_gets_the_knowledge_of_its_own_project() {
    let mut w = world();
    w.open("q");
    let node = json!({ "ref": "y", "summary": "y", "context_links": ["src/retry.ts"] });
    let planned = w.graph_plan(json!({ "project": "q", "nodes": [node] }));
    let ask = json!({ "node_id": planned["created"][0]["id"], "include_knowledge": true });
    assert_eq!(w.graph_context(ask)["knowledge"]["unmatchedPaths"], json!(["src/retry.ts"]));
}

#[test]
fn graph_onboard_counts_knowledge_and_names_files_of_open_work_that_no_atom_covers() {
    let mut w = world();
    let onboard = w.graph_onboard(json!({ "project": "p" })).to_string();
    assert!(onboard.contains("\"atoms\":3") && onboard.contains("\"molecules\":1"), "{onboard}");
    assert!(onboard.contains("src/new.ts"), "{onboard}");
}
