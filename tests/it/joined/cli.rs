//! `graph brief` and `graph search` as people read them.

use std::path::PathBuf;

use serde_json::json;

use super::world::Shop;
use crate::support::binary::{directory, run};

fn directory_of(shop: &Shop) -> PathBuf {
    shop.app.db_path().parent().unwrap().to_owned()
}

#[test]
fn a_briefing_prints_the_known_before_the_unknown() {
    let mut shop = Shop::full();
    shop.app.call("bob", "graph_next", json!({ "scope": shop.backend, "claim": true })).unwrap();
    let out = run(&directory_of(&shop), &["brief", "src/pay.rs", "docs/none.md"]).ok();
    let expected = "\
● Payments  in Money  00000000-0000-4000-8000-000000000005
    src/pay.rs
    Idempotent by order id.
● All code  00000000-0000-4000-8000-000000000006
    src/pay.rs
    No unwrap.
◎ Money  00000000-0000-4000-8000-000000000004
    Amounts are integers of cents.
✗ REQ-1  must requirement has no scenario and no verifying test
    → add specified_by to a scenario and verified_by to a test
✗ pay  symbol implements a requirement and is covered by no test
    → add covered_by to a test
§ REQ-1  req approved  Pay by card
    via pay implements REQ-1
§ ADR-1  adr accepted  One provider
    via ADR-1 affects pay
§ pay  symbol active  pay()
    src/pay.rs
▶ n_0000000003  Take cards
    src/pay.rs

last changes
";
    assert!(out.starts_with(expected), "{out}");
    assert!(out.contains("resolved: node n_0000000008  Choose a provider — note: Stripe"), "{out}");
    assert!(out.contains("\nnothing is known about\n  docs/none.md\n\n2 files, "), "{out}");
    let none = run(&directory_of(&shop), &["brief", "docs/none.md"]).ok();
    assert!(none.starts_with("nothing is known about\n  docs/none.md\n\n1 file, "), "{none}");
    let node = run(&directory_of(&shop), &["brief", "--node", &shop.pay]).ok();
    assert!(node.starts_with("n_0000000003  Take cards"), "{node}");
    let small = run(&directory_of(&shop), &["brief", "src/pay.rs", "--max-tokens", "200"]).ok();
    assert!(small.contains("left out: ") && small.contains("--max-tokens makes room"), "{small}");
}

#[test]
fn kb_entities_are_listed_although_no_atom_covers_the_file() {
    let mut shop = Shop::new();
    let file = json!({ "file": "docs/only.md" });
    let symbol = json!({ "id": "only", "type": "symbol", "title": "x", "status": "active", "properties": file });
    shop.app.kb_upsert(json!({ "entities": [symbol] }));
    for command in ["brief", "context"] {
        let out = run(&directory_of(&shop), &[command, "docs/only.md", "docs/none.md"]).ok();
        assert!(out.contains("§ only  symbol active"), "{command}: {out}");
        let (_, unknown) = out.split_once("\nnothing is known about\n").unwrap();
        assert!(unknown.contains("docs/none.md") && !unknown.contains("only"), "{command}: {out}");
        let out = run(&directory_of(&shop), &[command, "docs/only.md"]).ok();
        assert!(!out.contains("nothing is known"), "{command}: {out}");
    }
}

#[test]
fn stored_text_cannot_control_the_terminal() {
    let mut shop = Shop::new();
    shop.atom("Na\u{1b}[31mme", &["src/pay.rs"], "needle \u{1b}]0;title\u{7} \u{202e}", None);
    let directory = directory_of(&shop);
    for arguments in [&["brief", "src/pay.rs"][..], &["search", "needle"]] {
        let out = run(&directory, arguments).ok();
        let unsafe_letter =
            |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
        assert!(out.contains("needle") && !out.contains(unsafe_letter), "{out:?}");
    }
}

#[test]
fn search_prints_domain_subject_and_snippet() {
    let mut shop = Shop::full();
    let directory = directory_of(&shop);
    let out = run(&directory, &["search", "order", "id"]).ok();
    let expected = "\
00000000-0000-4000-8000-000000000005  knowledge atom  Payments
    Idempotent by order id.
";
    assert!(out.starts_with(expected), "{out}");
    let expected =
        shop.search(json!({ "query": "order id", "limit": 1, "domains": ["knowledge"] }));
    let shown =
        run(&directory, &["--json", "search", "--limit", "1", "--domain", "knowledge", "order id"])
            .json();
    assert_eq!(shown, expected);
    assert_eq!(run(&directory, &["search", "zeppelin"]).ok(), "nothing has this text\n");
    for at in 0..12 {
        shop.atom(&format!("copy {at}"), &["x"], "", None);
    }
    let out = run(&directory, &["search", "copy"]).ok();
    assert!(out.ends_with("\n2 more hits; --limit 50 shows more\n"), "{out}");
}

#[test]
fn without_a_file_both_say_how_to_begin() {
    let (_keep, directory) = directory();
    for arguments in [&["brief", "a.rs"][..], &["search", "x"]] {
        let err = run(&directory, arguments).failed(1);
        assert!(err.contains("no projects yet"), "{err}");
        assert!(!directory.join("graph.db").exists());
    }
}
