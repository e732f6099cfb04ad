//! What the KB has about files, beside their knowledge.

use serde_json::{Value, json};

use super::{
    cli::{kb, write},
    world::{Kb, entities, links},
};
use crate::support::binary::{directory, run};

fn context(kb: &mut Kb, paths: Value) -> Value {
    let asked = json!({ "operation": "context", "paths": paths, "include": ["kb"] });
    kb.app.query_graph(asked)["data"].take()
}

/// `id paths|via` for each.
fn shown(answer: &Value) -> Vec<String> {
    let facts = answer["kb"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let one = |fact: &Value| {
        let paths = fact["paths"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let paths = paths.collect::<Vec<_>>().join(",");
        format!("{} {paths}|{}", fact["id"].as_str().unwrap(), fact["via"].as_str().unwrap_or(""))
    };
    facts.iter().map(one).collect()
}

fn planted() -> Kb {
    let mut kb = Kb::empty();
    kb.app.graph_open(json!({ "project": "p" }));
    let mut all = entities("req R1 R2 R3, test T1, adr A1 A2, symbol pay refund, component api");
    for entity in &mut all {
        match entity["id"].as_str().unwrap() {
            "pay" => entity["properties"] = json!({ "file": "./src/pay.rs:12" }),
            "refund" => entity["properties"] = json!({ "file": "src/refund.rs" }),
            "api" => entity["properties"] = json!({ "file": "src/api/" }),
            "R3" => entity["text_ref"] = "docs/r3.md#why".into(),
            _ => {}
        }
    }
    let links = links(
        "pay implements R1, refund implements R2, A1 affects pay, A2 affects api, R1 verified_by T1",
    );
    kb.up(json!({ "entities": all, "relationships": links }));
    kb
}

#[test]
fn files_find_their_symbols_and_documents_and_the_entities_linked_to_them() {
    let mut kb = planted();
    let answer = context(&mut kb, json!(["src/pay.rs"]));
    assert_eq!(shown(&answer), ["pay src/pay.rs|", "A1 |A1 affects pay", "R1 |pay implements R1"]);
    let first = &answer["kb"][1];
    assert_eq!(
        (&first["type"], &first["title"], &first["status"]),
        (&json!("adr"), &json!("title of A1"), &json!("accepted"))
    );
    // As the caller spells them, by directory, and by document.
    let answer = context(&mut kb, json!(["./src/pay.rs", "src/api/routes/x.rs", "docs/r3.md"]));
    assert_eq!(
        shown(&answer),
        [
            "R3 docs/r3.md|",
            "api src/api/routes/x.rs|",
            "pay ./src/pay.rs|",
            "A1 |A1 affects pay",
            "A2 |A2 affects api",
            "R1 |pay implements R1",
        ]
    );
    assert_eq!(shown(&context(&mut kb, json!(["src/other.rs"]))), [""; 0]);
    let plain = json!({ "operation": "context", "paths": ["src/pay.rs"] });
    assert_eq!(kb.app.query_graph(plain)["data"].get("kb"), None, "only where asked for");
}

#[test]
fn it_returns_the_entities_of_the_active_branch() {
    let mut kb = planted();
    kb.checkout("feature");
    kb.up(json!({ "entities": [{ "id": "pay", "properties": { "file": "src/card.rs" } }] }));
    assert_eq!(shown(&context(&mut kb, json!(["src/pay.rs"]))), [""; 0]);
    assert_eq!(shown(&context(&mut kb, json!(["src/card.rs"]))).len(), 3);
    kb.checkout("main");
    assert_eq!(shown(&context(&mut kb, json!(["src/pay.rs"]))).len(), 3);
    kb.checkout("other");
    assert_eq!(shown(&context(&mut kb, json!(["src/pay.rs"]))).len(), 3, "its first use");
}

#[test]
fn a_long_list_is_cut_and_counted() {
    let mut kb = Kb::empty();
    kb.app.graph_open(json!({ "project": "p" }));
    let symbols: Vec<Value> = (0..60)
        .map(|i| {
            json!({ "id": format!("s{i:02}"), "type": "symbol", "title": "t", "status": "active",
                "properties": { "file": "src/all.rs" } })
        })
        .collect();
    kb.up(json!({ "entities": symbols }));
    let answer = context(&mut kb, json!(["src/all.rs"]));
    assert_eq!((answer["kb"].as_array().unwrap().len(), &answer["kbOmitted"]), (50, &json!(10)));
}

#[test]
fn the_context_command_shows_it_too() {
    let (_keep, directory) = directory();
    run(&directory, &["tool", "graph_open", r#"{"project":"p"}"#]);
    kb(&directory, &["init"]).ok();
    let document = "---\nid: REQ-1\nstatus: approved\n---\n# Pay\n";
    write(&directory, "docs/requirements/a.md", document);
    write(
        &directory,
        "symbols.yaml",
        "symbols:\n  - {id: pay, file: src/pay.rs, implements: [REQ-1]}\n",
    );
    kb(&directory, &["sync"]).ok();
    let out = run(&directory, &["context", "src/pay.rs"]).ok();
    let expected = "\
§ pay  symbol active  pay
    src/pay.rs
§ REQ-1  req approved  Pay
    via pay implements REQ-1
";
    assert!(out.contains(expected), "{out}");
    write(&directory, ".kb/config.json", "{");
    let ran = run(&directory, &["context", "src/pay.rs"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "\nnothing is known about\n  src/pay.rs\n"));
    assert!(ran.err.starts_with("nothing from the KB: .kb/config.json:1: "), "{}", ran.err);
}
