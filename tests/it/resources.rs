//! Resources of all domains by their URIs, and completion of arguments.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::server::Server;

/// A client that names its protocol with every request, as the newest ones do.
fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "modern", "version": "1" },
    });
    params
}

fn read(server: &mut Server, uri: &str) -> Result<Value, Value> {
    let mut answer = server.ask(3, "resources/read", json!({ "uri": uri }));
    match answer.get_mut("error") {
        Some(error) => Err(error.take()),
        None => {
            let contents = &answer["result"]["contents"][0];
            assert_eq!(
                (&contents["uri"], &contents["mimeType"]),
                (&json!(uri), &json!("application/json"))
            );
            Ok(serde_json::from_str(contents["text"].as_str().unwrap()).unwrap())
        }
    }
}

fn uris(server: &mut Server) -> Vec<String> {
    let answer = server.ask(2, "resources/list", json!({}));
    let listed = answer["result"]["resources"].as_array().unwrap_or_else(|| panic!("{answer}"));
    listed.iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()).collect()
}

fn template(uri: &str) -> Value {
    json!({ "type": "ref/resource", "uri": uri })
}

fn prompt(name: &str) -> Value {
    json!({ "type": "ref/prompt", "name": name })
}

fn complete(server: &mut Server, of: Value, argument: &str, value: &str) -> Result<Value, Value> {
    let params = json!({ "ref": of, "argument": { "name": argument, "value": value } });
    let mut answer = server.ask(5, "completion/complete", params);
    match answer.get_mut("error") {
        Some(error) => Err(error.take()),
        None => Ok(answer["result"]["completion"].take()),
    }
}

fn values(server: &mut Server, of: Value, argument: &str, value: &str) -> Vec<String> {
    let mut completion = complete(server, of, argument, value).unwrap();
    serde_json::from_value(completion["values"].take()).unwrap()
}

/// What [`plant`] created.
struct Planted {
    node: String,
    atom: String,
    molecule: String,
}

/// A project with a node, an atom, a molecule, a memory and a requirement.
fn plant(directory: &Path) -> Planted {
    let mut server = Server::greeted(directory);
    server.call("graph_open", json!({ "project": "my shop", "goal": "Sell" }));
    let nodes = json!([{ "ref": "a", "summary": "Build" }, { "ref": "b", "summary": "Sell", "depends_on": ["a"] }]);
    let planned = server.call("graph_plan", json!({ "nodes": nodes }));
    let molecule = json!({ "operation": "create", "entityType": "molecule", "name": "Storage" });
    let molecule = server.call("manage_graph", molecule)["data"]["molecule"]["id"].clone();
    let atom = json!({ "operation": "create", "entityType": "atom", "name": "Schema", "paths": ["src/**"],
        "knowledge": "Forward only", "moleculeId": molecule });
    let atom = server.call("manage_graph", atom)["data"]["atom"]["id"].clone();
    server.call("create_ontology", json!({ "node_types": ["Note"], "connection_types": [] }));
    let entities = json!([{ "id": "REQ-1", "type": "req", "title": "Pay", "status": "draft" },
        { "id": "T-1", "type": "test", "title": "Pays", "status": "active" }]);
    let links = json!([{ "relation": "verified_by", "from": "REQ-1", "to": "T-1" }]);
    server.call("kb_upsert", json!({ "entities": entities, "relationships": links }));
    server.end();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Planted {
        node: text(&planned["created"][1]["id"]),
        atom: text(&atom),
        molecule: text(&molecule),
    }
}

#[test]
fn each_resource_has_the_content_of_its_tool() {
    let directory = tempfile::tempdir().unwrap();
    let Planted { node, atom, molecule } = plant(directory.path());
    let mut server = Server::greeted(directory.path());
    let tree = read(&mut server, "graph://project/my%20shop").unwrap();
    assert_eq!(tree["project"], "my shop");
    let summaries: Vec<_> = tree["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["summary"].as_str().unwrap())
        .collect();
    assert_eq!(summaries, ["Sell", "Build", "Sell"]);

    let shown = read(&mut server, &format!("graph://node/{node}")).unwrap();
    assert_eq!(shown, server.call("graph_context", json!({ "node_id": node })));
    for (kind, id) in [("atom", &atom), ("molecule", &molecule)] {
        let shown = read(&mut server, &format!("graph://{kind}/{id}")).unwrap();
        let ask = json!({ "operation": "get", "entityType": kind, "id": id });
        assert_eq!(shown, server.call("query_graph", ask)["data"]);
    }
    let shown = read(&mut server, "graph://kb/REQ-1").unwrap();
    assert_eq!(shown, server.call("kb_query", json!({ "id": "REQ-1", "relationships": true })));
    assert_eq!(shown["relationships"][0]["to"], "T-1");
    server.end();
}

#[test]
fn the_list_is_in_one_order_and_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let Planted { atom, molecule, .. } = plant(directory.path());
    let mut server = Server::greeted(directory.path());
    let expected = [
        "graph://project/my%20shop".to_owned(),
        format!("graph://molecule/{molecule}"),
        format!("graph://atom/{atom}"),
        "graph://ontology".to_owned(),
        "graph://kb/REQ-1".to_owned(),
        "graph://kb/T-1".to_owned(),
    ];
    assert_eq!(uris(&mut server), expected);
    for index in 0..60 {
        let entity = json!({ "id": format!("A-{index:02}"), "type": "adr", "title": "t", "status": "accepted" });
        server.call("kb_upsert", json!({ "entities": [entity] }));
        let atom = json!({ "operation": "create", "entityType": "atom", "name": format!("x{index}"), "paths": ["x"], "projectId": "my shop" });
        server.call("manage_graph", atom);
    }
    for index in 0..25 {
        server.call("graph_open", json!({ "project": format!("p{index:02}") }));
    }
    let listed = uris(&mut server);
    let of = |kind: &str| {
        listed.iter().filter(|uri| uri.starts_with(&format!("graph://{kind}/"))).count()
    };
    assert_eq!((of("project"), of("molecule"), of("atom"), of("kb")), (20, 1, 50, 50));
    assert_eq!(uris(&mut server), listed, "always the same");
    for uri in &listed {
        read(&mut server, uri).unwrap_or_else(|error| panic!("{uri}: {error}"));
    }
    server.end();
}

#[test]
fn missing_resources_are_invalid_params() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    let addresses = [
        "graph://project/none",
        "graph://project/",
        "graph://node/n_0123456789",
        "graph://node/%zz",
        "graph://atom/00000000-0000-4000-8000-000000000000",
        "graph://atom/x",
        "graph://molecule/x",
        "graph://kb/REQ-1",
        "graph://kb/a%20b",
        "graph://ontology/x",
    ];
    for uri in addresses {
        assert_eq!(read(&mut server, uri).unwrap_err()["code"], -32602, "{uri}, no database");
    }
    assert_eq!(uris(&mut server), Vec::<String>::new());
    assert_eq!(values(&mut server, template("graph://node/{id}"), "id", ""), Vec::<String>::new());
    assert!(!directory.path().join("graph.db").exists(), "asking makes no database");
    server.call("graph_open", json!({ "project": "p" }));
    for uri in addresses {
        let error = read(&mut server, uri).unwrap_err();
        assert_eq!(error["code"], -32602, "{uri}: {error}");
    }
    server.end();
}

#[test]
fn every_toolset_has_its_own_resources() {
    let directory = tempfile::tempdir().unwrap();
    let Planted { node, atom, .. } = plant(directory.path());
    for (toolset, templates, there) in [
        (
            "work",
            &["graph://project/{name}", "graph://node/{id}"][..],
            format!("graph://node/{node}"),
        ),
        (
            "knowledge",
            &["graph://molecule/{id}", "graph://atom/{id}"],
            format!("graph://atom/{atom}"),
        ),
        ("memory", &["graph://memory/{id}"], "graph://ontology".to_owned()),
        ("kb", &["graph://kb/{id}"], "graph://kb/REQ-1".to_owned()),
    ] {
        fs::write(directory.path().join("graph.config.yaml"), format!("toolsets: [{toolset}]\n"))
            .unwrap();
        let mut server = Server::greeted(directory.path());
        let answer = server.ask(1, "resources/templates/list", json!({}));
        let listed: Vec<_> = answer["result"]["resourceTemplates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|template| template["uriTemplate"].as_str().unwrap())
            .collect();
        assert_eq!(listed, templates, "{toolset}");
        read(&mut server, &there).unwrap();
        let foreign = if toolset == "kb" { "graph://ontology" } else { "graph://kb/REQ-1" };
        assert_eq!(read(&mut server, foreign).unwrap_err()["code"], -32602, "{toolset}");
        let foreign = if toolset == "kb" { "graph://node/{id}" } else { "graph://kb/{id}" };
        let refused = complete(&mut server, template(foreign), "id", "").unwrap_err();
        assert_eq!(refused["code"], -32602, "{toolset}");
        let refused = complete(&mut server, prompt("planning"), "task", "").unwrap_err();
        assert_eq!(refused["code"], -32602, "prompts speak of work and knowledge");
        server.end();
    }
}

#[test]
fn arguments_of_templates_are_completed_by_prefix() {
    let directory = tempfile::tempdir().unwrap();
    let Planted { node, atom, molecule } = plant(directory.path());
    let mut server = Server::greeted(directory.path());
    for (of, argument, value, expected) in [
        ("graph://project/{name}", "name", "my", "my shop"),
        ("graph://node/{id}", "id", &node[..6], &node),
        ("graph://atom/{id}", "id", &atom[..6].to_uppercase(), &atom),
        ("graph://molecule/{id}", "id", &molecule[..6], &molecule),
        ("graph://kb/{id}", "id", "REQ", "REQ-1"),
    ] {
        let completion = complete(&mut server, template(of), argument, value).unwrap();
        assert_eq!(
            completion,
            json!({ "values": [expected], "total": 1, "hasMore": false }),
            "{of}"
        );
        assert_eq!(values(&mut server, template(of), argument, "zzz"), Vec::<String>::new());
    }
    for value in ["%", "_", "'", "REQ-%", "\u{10ffff}"] {
        assert_eq!(
            values(&mut server, template("graph://kb/{id}"), "id", value),
            Vec::<String>::new()
        );
    }
    for (of, argument) in
        [("graph://node/{id}", "name"), ("graph://nothing/{id}", "id"), ("graph://ontology", "id")]
    {
        let error = complete(&mut server, template(of), argument, "").unwrap_err();
        assert_eq!(error["code"], -32602, "{of} {argument}: {error}");
    }
    server.end();
}

#[test]
fn a_completion_is_bounded_and_has_the_total() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    let entities: Vec<_> = (0..150)
        .map(|index| json!({ "id": format!("A-{index:03}"), "type": "adr", "title": "t", "status": "accepted" }))
        .collect();
    server.call("kb_upsert", json!({ "entities": entities }));
    let completion = complete(&mut server, template("graph://kb/{id}"), "id", "A-").unwrap();
    let found = completion["values"].as_array().unwrap();
    assert_eq!((found.len(), &found[0], &found[99]), (100, &json!("A-000"), &json!("A-099")));
    assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(150), &json!(true)));
    server.end();
}

#[test]
fn arguments_of_prompts_are_completed() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let Planted { node, .. } = plant(root);
    for path in ["src/a.rs", "src/api/b.rs", "src/.env", "README.md", "target/x"] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), "").unwrap();
    }
    fs::create_dir_all(root.join(".git/objects")).unwrap();
    fs::create_dir_all(root.join(".git/refs")).unwrap();
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(root.join(".gitignore"), "target\n").unwrap();
    std::os::unix::fs::symlink("/etc", root.join("src/out")).unwrap();
    let mut server = Server::greeted(root);
    assert_eq!(values(&mut server, prompt("planning"), "project", "m"), ["my shop"]);
    assert_eq!(values(&mut server, prompt("execution"), "task", &node[..5]), [node.as_str()]);
    for (typed, expected) in [
        ("sr", &["src/"][..]),
        ("src/a", &["src/a.rs", "src/api/"]),
        ("src/.", &["src/.env"]),
        ("README.md, src/a.", &["README.md, src/a.rs"]),
        ("t", &[]),
        (".gi", &[".gitignore"]),
        ("src/out/", &[]),
        ("/et", &[]),
        ("../", &[]),
    ] {
        assert_eq!(values(&mut server, prompt("discovery"), "paths", typed), expected, "{typed}");
    }
    for (of, argument) in [(prompt("discovery"), "path"), (prompt("none"), "paths")] {
        assert_eq!(complete(&mut server, of, argument, "").unwrap_err()["code"], -32602);
    }
    server.end();
}

#[test]
fn a_task_is_completed_from_the_project_that_was_chosen_before() {
    let directory = tempfile::tempdir().unwrap();
    let Planted { node, .. } = plant(directory.path());
    let mut server = Server::greeted(directory.path());
    let other = server.call("graph_open", json!({ "project": "other" }))["root"]["id"].take();
    let mut tasks = |context: Value| {
        let argument = json!({ "name": "task", "value": "n_" });
        let ask = json!({ "ref": prompt("execution"), "argument": argument, "context": context });
        server.ask(8, "completion/complete", ask)["result"]["completion"].take()
    };
    let of = |project: &str| json!({ "arguments": { "project": project } });
    let shop = tasks(of("my shop"));
    assert!(shop["values"].as_array().unwrap().contains(&json!(node)), "{shop}");
    assert_eq!((&shop["total"], &tasks(of(""))["total"]), (&json!(3), &json!(4)), "{shop}");
    assert_eq!(tasks(of("other"))["values"], json!([other]));
    assert_eq!(tasks(of(other.as_str().unwrap()))["values"], json!([other]), "by its root");
    assert_eq!(tasks(of("none"))["values"], json!([]));
    assert_eq!(tasks(json!({}))["total"], 4);
    server.end();
}

#[test]
fn both_protocols_read_and_complete() {
    let directory = tempfile::tempdir().unwrap();
    plant(directory.path());
    let mut server = Server::start(directory.path());
    let answer = server.ask(1, "server/discover", modern(json!({})));
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities["completions"], json!({}), "{answer}");
    assert_eq!(capabilities["resources"], json!({}));
    let answer = server.ask(2, "resources/read", modern(json!({ "uri": "graph://kb/REQ-1" })));
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let ask =
        json!({ "ref": template("graph://kb/{id}"), "argument": { "name": "id", "value": "R" } });
    let answer = server.ask(3, "completion/complete", modern(ask));
    assert_eq!(answer["result"]["completion"]["values"], json!(["REQ-1"]), "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete");
    let answer = server.ask(4, "resources/read", modern(json!({ "uri": "graph://kb/none" })));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    server.end();
}

#[test]
fn listing_resources_is_no_use_of_a_branch() {
    let directory = tempfile::tempdir().unwrap();
    plant(directory.path());
    fs::create_dir_all(directory.path().join(".git/objects")).unwrap();
    fs::create_dir_all(directory.path().join(".git/refs")).unwrap();
    fs::write(directory.path().join(".git/HEAD"), "ref: refs/heads/side\n").unwrap();
    let mut server = Server::greeted(directory.path());
    assert!(uris(&mut server).contains(&"graph://kb/REQ-1".to_owned()));
    assert_eq!(values(&mut server, template("graph://kb/{id}"), "id", "R"), ["REQ-1"]);
    let stores = || -> i64 {
        let db = rusqlite::Connection::open(directory.path().join("graph.db")).unwrap();
        db.query_row("SELECT count(*) FROM kb_branches", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(stores(), 1);
    assert_eq!(read(&mut server, "graph://kb/REQ-1").unwrap()["branch"], "side");
    assert_eq!(stores(), 2, "reading is");
    // Settings that cannot be used are no reason to list nothing else.
    fs::create_dir(directory.path().join(".kb")).unwrap();
    fs::write(directory.path().join(".kb/config.json"), "{").unwrap();
    assert!(uris(&mut server).contains(&"graph://project/my%20shop".to_owned()));
    server.end();
}

#[test]
fn the_page_of_tools_lists_every_uri() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    let answer = server.ask(1, "resources/templates/list", json!({}));
    let templates = answer["result"]["resourceTemplates"].as_array().unwrap();
    let templates: Vec<_> =
        templates.iter().map(|it| it["uriTemplate"].as_str().unwrap()).collect();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tools.md")).unwrap();
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `graph://")?.split('`').next());
    let listed: Vec<_> = cells.map(|cell| format!("graph://{cell}")).collect();
    assert!(listed.contains(&"graph://ontology".to_owned()));
    assert_eq!(listed.iter().filter(|cell| cell.contains('{')).collect::<Vec<_>>(), templates);
    server.end();
}
