//! graph_brief: what to know before files are touched.

use serde_json::{Value, json};

use super::world::{Shop, each, texts};
use crate::support::TestApp;

#[test]
fn one_call_returns_what_every_domain_has_about_a_file() {
    let mut shop = Shop::full();
    shop.app.call("bob", "graph_next", json!({ "scope": shop.backend, "claim": true })).unwrap();
    let told = shop.brief(json!({ "paths": ["src/pay.rs", "docs/none.md"] }));
    assert_eq!(told["files"], 2);
    // The narrowest first, since both cover one of the files.
    assert_eq!(each(&told, "atoms", "name"), "Payments,All code");
    let payments = &told["atoms"][0];
    assert_eq!(
        (&payments["knowledge"], &payments["molecule"]),
        (&json!("Idempotent by order id."), &json!("Money"))
    );
    assert_eq!(payments["paths"], json!(["src/pay.rs"]));
    assert_eq!(each(&told, "molecules", "knowledge"), "Amounts are integers of cents.");
    assert_eq!(each(&told, "failing", "entity"), "REQ-1,pay", "errors first: {told}");
    assert!(told["failing"][0]["message"].as_str().unwrap().contains("no scenario"), "{told}");
    assert_eq!(
        each(&told, "kb", "id"),
        "REQ-1,ADR-1,pay",
        "what fails, then requirements, decisions, the rest"
    );
    assert_eq!(told["kb"][0]["via"], "pay implements REQ-1");
    assert_eq!(each(&told, "work", "id"), shop.pay);
    assert_eq!(told["work"][0]["claimed_by"], "bob");
    assert_eq!(texts(&told["unknown"]), "docs/none.md");
    assert_eq!(told.get("left_out"), None, "{told}");
}

#[test]
fn the_last_changes_are_listed_newest_first_with_evidence() {
    let mut shop = Shop::full();
    let atom = shop.brief(json!({ "paths": "src/pay.rs" }))["atoms"][0]["id"].take();
    shop.app.advance_minutes(1);
    let noted = json!({ "operation": "append", "parentType": "atom", "parentId": atom, "taskId": shop.pay,
        "summary": "Retries are safe now" });
    shop.app.manage_changelog(noted);
    shop.app.advance_minutes(1);
    let update = json!({ "updates": [{ "node_id": shop.pay, "state": "half done" }] });
    shop.app.call("ann", "graph_update", update).unwrap();
    shop.app.advance_minutes(1);
    shop.app.call("bob", "graph_next", json!({ "scope": shop.backend, "claim": true })).unwrap();
    let told = shop.brief(json!({ "paths": ["src/pay.rs"] }));
    let said: Vec<String> = told["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| {
            let text = |field: &str| change[field].as_str().unwrap_or("").to_owned();
            format!("{} {} {}|{}", text("by"), text("action"), text("title"), text("note"))
        })
        .collect();
    assert_eq!(said[0], "ann updated Take cards|");
    assert_eq!(told["changes"][0]["fields"], json!(["state"]));
    assert_eq!(said[1], "a noted Payments|Retries are safe now");
    assert_eq!(said[2], "bob resolved Choose a provider|note: Stripe, for its test mode");
    assert!(said.contains(&"a created Pay by card|".to_owned()), "{said:?}");
}

#[test]
fn resolved_work_on_other_files_is_not_listed() {
    let mut shop = Shop::full();
    shop.done("Elsewhere", &["web/page.ts"], "x");
    shop.done("In a directory above", &["./src/"], "y");
    let told = shop.brief(json!({ "paths": ["src/pay.rs"] }));
    let titles = each(&told, "changes", "title");
    assert!(!titles.contains("Elsewhere") && titles.contains("In a directory above"), "{titles}");
}

#[test]
fn old_resolved_work_that_was_not_inspected_is_counted() {
    let mut shop = Shop::full();
    shop.done("Long ago", &["src/pay.rs"], "x");
    let told = shop.brief(json!({ "paths": ["src/pay.rs"] }));
    assert!(each(&told, "changes", "title").contains("Long ago"), "{told}");
    assert_eq!(told.get("left_out"), None, "{told}");
    let nodes: Vec<Value> =
        (0..600).map(|at| json!({ "ref": at.to_string(), "summary": "Other" })).collect();
    let made = shop.app.graph_plan(json!({ "project": "shop", "nodes": nodes }));
    let made = made["created"].as_array().unwrap();
    let updates: Vec<Value> =
        made.iter().map(|node| json!({ "node_id": node["id"], "resolved": true })).collect();
    shop.app.graph_update(json!({ "updates": updates[..400] }));
    let told = shop.brief(json!({ "paths": ["src/pay.rs"] }));
    assert!(each(&told, "changes", "title").contains("Long ago"), "{told}");
    shop.app.graph_update(json!({ "updates": updates[400..] }));
    let told = shop.brief(json!({ "paths": ["src/pay.rs"] }));
    assert!(!each(&told, "changes", "title").contains("Long ago"), "{told}");
    let older = told["left_out"]["older"].as_u64().unwrap();
    assert_eq!(older, 102, "two of them on these files: {told}");
    assert!(told["left_out"]["how"].as_str().unwrap().starts_with("graph_query"), "{told}");
    for project in [json!("shop"), json!(null)] {
        let ask = json!({ "paths": ["src/pay.rs"], "project": project, "max_tokens": 200 });
        let told = shop.brief(ask);
        assert!(told["used_tokens"].as_u64().unwrap() <= 200, "{told}");
    }
}

#[test]
fn a_node_stands_for_its_own_and_inherited_files() {
    let mut shop = Shop::full();
    shop.atom("Papers", &["docs/**"], "Written for newcomers.", None);
    let told = shop.brief(json!({ "node_id": shop.pay }));
    assert_eq!(told["node"], json!({ "id": shop.pay, "summary": "Take cards" }));
    assert_eq!(told["files"], 2);
    assert_eq!(each(&told, "atoms", "name"), "Payments,Papers,All code");
    assert_eq!(each(&told, "work", "id"), shop.backend, "the node itself is no other work");
    let backend = shop.brief(json!({ "node_id": shop.backend }));
    assert_eq!((backend["files"].clone(), each(&backend, "work", "id")), (json!(1), String::new()));
}

#[test]
fn a_node_without_files_is_reported() {
    let mut shop = Shop::full();
    let told = shop.brief(json!({ "node_id": shop.root }));
    assert_eq!(told["files"], 0);
    assert!(told["note"].as_str().unwrap().contains("add_context_links"), "{told}");
    let links = json!(["https://example.org/x", "/etc/passwd", "../outside"]);
    shop.app
        .graph_update(json!({ "updates": [{ "node_id": shop.root, "add_context_links": links }] }));
    assert_eq!(
        shop.brief(json!({ "node_id": shop.root }))["files"],
        0,
        "nothing outside the repository"
    );
}

#[test]
fn bad_questions_are_refused_with_what_is_allowed() {
    let mut shop = Shop::full();
    for (arguments, code, says) in [
        (json!({}), "VALIDATION_ERROR", "`paths` is missing"),
        (json!({ "paths": [] }), "VALIDATION_ERROR", "`paths` is empty"),
        (
            json!({ "paths": ["a"], "node_id": shop.pay }),
            "VALIDATION_ERROR",
            "`node_id` cannot be combined with",
        ),
        (json!({ "node_id": "n_0000000000" }), "NOT_FOUND", "no such node"),
        (json!({ "paths": ["/etc/passwd"] }), "VALIDATION_ERROR", "outside the repository"),
        (
            json!({ "paths": ["src/pay.rs", "../x"] }),
            "VALIDATION_ERROR",
            "`paths[1]` has a `..` segment",
        ),
        (json!({ "paths": ["a"], "max_tokens": 199 }), "VALIDATION_ERROR", "max_tokens"),
        (json!({ "paths": ["a"], "max_tokens": 10_001 }), "VALIDATION_ERROR", "max_tokens"),
        (json!({ "paths": ["a"], "project": "nope" }), "NOT_FOUND", "no such project"),
    ] {
        let fault = shop.app.fault("graph_brief", arguments.clone());
        assert_eq!(fault["code"], code, "{arguments}: {fault}");
        assert!(fault["message"].as_str().unwrap().contains(says), "{arguments}: {fault}");
    }
    let many: Vec<String> = (0..2_001).map(|at| format!("f{at}")).collect();
    let fault = shop.app.fault("graph_brief", json!({ "paths": many }));
    assert!(fault["message"].as_str().unwrap().contains("at most 2000"), "{fault}");
}

#[test]
fn it_works_without_a_project_and_writes_nothing() {
    let mut app = TestApp::new();
    app.graph_open(json!({}));
    let before = app.dump();
    let told = app.graph_brief(json!({ "paths": ["src/a.rs"] }));
    assert_eq!((&told["files"], &told["unknown"]), (&json!(1), &json!(["src/a.rs"])));
    assert_eq!(app.dump(), before, "also not a store of a KB that nobody uses");
    app.kb_upsert(
        json!({ "entities": [{ "id": "R", "type": "req", "title": "t", "status": "draft",
    "text_ref": "src/a.rs" }] }),
    );
    let told = app.graph_brief(json!({ "paths": ["src/a.rs"] }));
    assert_eq!((each(&told, "kb", "id"), told.get("unknown")), ("R".to_owned(), None));
}

#[test]
fn files_belong_to_the_repository_and_so_every_project_counts() {
    let mut shop = Shop::full();
    shop.app.graph_open(json!({ "project": "audit" }));
    shop.app
        .manage_graph(json!({ "operation": "create", "entityType": "atom", "name": "Audit trail",
    "projectId": "audit", "paths": ["src/pay.rs"], "knowledge": "Log every charge." }));
    shop.app.graph_plan(json!({ "project": "audit", "nodes": [
    { "ref": "a", "summary": "Audit payments", "context_links": ["src/pay.rs"] }] }));
    let told = shop.brief(json!({ "paths": ["src/pay.rs"] }));
    assert_eq!(each(&told, "atoms", "name"), "Audit trail,Payments,All code");
    assert_eq!(each(&told, "atoms", "project"), "audit,shop,shop");
    assert_eq!(each(&told, "work", "summary"), "Take cards,Audit payments");
    let told = shop.brief(json!({ "paths": ["src/pay.rs"], "project": "audit" }));
    assert_eq!(each(&told, "atoms", "name"), "Audit trail");
    assert_eq!(told["atoms"][0].get("project"), None);
    assert_eq!(each(&told, "work", "summary"), "Audit payments");
    assert!(!each(&told, "changes", "title").contains("Choose a provider"), "{told}");
}

#[test]
fn a_toolset_that_is_off_is_left_out() {
    let mut shop = Shop::full();
    let told = |shop: &mut Shop, toolsets: &str| -> Vec<String> {
        shop.app.configure(&format!("toolsets: {toolsets}\n"));
        let told = shop.brief(json!({ "paths": ["src/pay.rs", "x"] }));
        told.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(told(&mut shop, "[work]").join(" "), "files work changes used_tokens");
    assert_eq!(
        told(&mut shop, "[work, kb]").join(" "),
        "files failing kb work changes used_tokens"
    );
    assert_eq!(
        told(&mut shop, "[work, knowledge]").join(" "),
        "files atoms molecules work changes unknown used_tokens"
    );
}

#[test]
fn a_damaged_kb_directory_costs_only_what_is_in_it() {
    let mut shop = Shop::full();
    let directory = shop.app.db_path().parent().unwrap().join(".kb");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("config.json"), "{").unwrap();
    let told = shop.brief(json!({ "paths": ["src/pay.rs"] }));
    assert!(
        told["note"].as_str().unwrap().starts_with("nothing from the KB: .kb/config.json"),
        "{told}"
    );
    assert_eq!(each(&told, "atoms", "name"), "Payments,All code");
    assert_eq!(told.get("kb"), None);
}

#[test]
fn changes_of_another_branch_are_not_listed() {
    let mut kb = crate::kb::world::Kb::empty();
    kb.checkout("main");
    let entity = |title: &str| {
        json!({ "entities": [{ "id": "R", "type": "req", "title": title,
        "status": "draft", "text_ref": "docs/r.md" }] })
    };
    kb.up(entity("first"));
    kb.app.advance_minutes(1);
    kb.checkout("feature");
    kb.up(entity("second"));
    kb.app.advance_minutes(1);
    kb.checkout("main");
    let told = kb.app.graph_brief(json!({ "paths": ["docs/r.md"] }));
    let (kb_part, change) = (&told["kb"][0], &told["changes"][0]);
    assert_eq!((&kb_part["title"], &change["action"]), (&json!("first"), &json!("created")));
    kb.checkout("other");
    let told = kb.app.graph_brief(json!({ "paths": ["docs/r.md"] }));
    assert_eq!(told["changes"][0]["action"], "created", "as main had it: {told}");
    kb.checkout("feature");
    let told = kb.app.graph_brief(json!({ "paths": ["docs/r.md"] }));
    assert_eq!(told["changes"][0]["action"], "updated");
}

#[test]
fn knowledge_about_many_files_names_a_few_of_them() {
    let mut shop = Shop::full();
    let links = json!({ "node_id": shop.backend, "add_context_links": ["src"] });
    shop.app.graph_update(json!({ "updates": [links] }));
    let paths: Vec<String> = (0..1_000).map(|at| format!("src/f{at}.rs")).collect();
    let told = shop.brief(json!({ "paths": paths }));
    assert_eq!(told["files"], 1_000);
    for (list, name) in [("atoms", "All code"), ("work", "Build the backend")] {
        let item = &told[list][0];
        assert!(item.to_string().contains(name), "{item}");
        assert_eq!(item["paths"].as_array().unwrap().len(), 5);
        assert_eq!(item["paths_omitted"], 995, "{item}");
    }
    assert_eq!(told.get("unknown"), None);
    let unknown: Vec<String> = (0..1_000).map(|at| format!("web/f{at}.ts")).collect();
    let told = shop.brief(json!({ "paths": unknown }));
    let shown = told["unknown"].as_array().unwrap().len();
    assert_eq!(told["left_out"]["unknown"].as_u64().unwrap() as usize + shown, 1_000, "{told}");
}

/// Spellings are returned as they were given.
#[test]
fn a_directory_stands_for_its_files_also_where_a_node_names_it() {
    let mut shop = Shop::full();
    let root = shop.app.db_path().parent().unwrap().to_owned();
    std::fs::create_dir_all(root.join("src/deep")).unwrap();
    for file in ["src/pay.rs", "src/deep/x.rs", "src/deep/y.rs"] {
        std::fs::write(root.join(file), "").unwrap();
    }
    for spelling in ["src", "./src/", "src\\"] {
        let told = shop.brief(json!({ "paths": [spelling, "src/pay.rs"] }));
        assert_eq!(told["files"], 3, "{spelling}: {told}");
        assert!(each(&told, "atoms", "name").contains("Payments"), "{spelling}: {told}");
        assert_eq!(each(&told, "work", "id"), shop.pay, "{spelling}");
        assert_eq!(told.get("unknown"), None, "{spelling}: {told}");
    }
    let links =
        json!({ "updates": [{ "node_id": shop.root, "add_context_links": ["src/deep/"] }] });
    shop.app.graph_update(links);
    assert_eq!(shop.brief(json!({ "node_id": shop.root }))["files"], 2);
    // An empty one, and one behind a link, match only themselves.
    std::fs::create_dir(root.join("empty")).unwrap();
    std::os::unix::fs::symlink("/etc", root.join("out")).unwrap();
    for path in ["empty", "out"] {
        assert_eq!(texts(&shop.brief(json!({ "paths": [path] }))["unknown"]), path);
    }
    std::fs::create_dir(root.join("many")).unwrap();
    for at in 0..2_050 {
        std::fs::write(root.join(format!("many/{at}")), "").unwrap();
    }
    let told = shop.brief(json!({ "paths": ["many"] }));
    assert_eq!(told["files"], 2_000);
    assert!(told["note"].as_str().unwrap().contains("2050 files"), "{}", told["note"]);
}

#[test]
fn a_directory_stands_for_its_files_in_every_response_about_paths() {
    let mut shop = Shop::full();
    let root = shop.app.db_path().parent().unwrap().to_owned();
    std::fs::create_dir_all(root.join("src/many")).unwrap();
    std::fs::create_dir(root.join("empty")).unwrap();
    std::fs::write(root.join("src/pay.rs"), "").unwrap();
    let mut ask = |paths: Value| {
        let ask = json!({ "operation": "context", "paths": paths, "include": ["work", "kb"] });
        shop.app.query_graph(ask)["data"].take()
    };
    let file = ask(json!(["src/pay.rs", "empty"]));
    assert_eq!(file["unmatchedPaths"], json!(["empty"]), "{file}");
    for directory in ["src", "./src/"] {
        assert_eq!(ask(json!([directory, "empty"])), file, "{directory}");
        assert_eq!(
            ask(json!([directory, "src/pay.rs", "empty"])),
            file,
            "{directory} and what is in it"
        );
    }
    // With many files, each item names the first of them.
    for at in 0..2_050 {
        std::fs::write(root.join(format!("src/many/{at}")), "").unwrap();
    }
    let links = json!({ "updates": [{ "node_id": shop.pay, "add_context_links": ["src"] }] });
    shop.app.graph_update(links);
    let ask = json!({ "operation": "context", "paths": "src", "include": ["work", "kb"] });
    let told = shop.app.query_graph(ask)["data"].take();
    assert!(told.to_string().len() < 100_000, "{}", told.to_string().len());
    assert!(told["note"].as_str().unwrap().contains("2051 files"), "{}", told["note"]);
    assert_eq!(told["work"][0]["paths"].as_array().unwrap().len(), 20);
    assert_eq!(told["work"][0]["paths_omitted"], 1_980);
    let ask = json!({ "node_id": shop.pay, "include_knowledge": true });
    let told = shop.app.graph_context(ask);
    assert!(told["knowledge"]["note"].as_str().is_some(), "{}", told["knowledge"]);
}

#[test]
fn paths_are_returned_as_they_were_spelled() {
    let mut shop = Shop::full();
    let told = shop.brief(json!({ "paths": "./src/pay.rs, web\\page.ts" }));
    assert_eq!(told["atoms"][0]["paths"], json!(["./src/pay.rs"]));
    assert_eq!(told["unknown"], json!(["web\\page.ts"]));
    let again: Value = shop.brief(json!({ "paths": "./src/pay.rs, web\\page.ts" }));
    assert_eq!(told, again, "the same question has the same answer");
}
