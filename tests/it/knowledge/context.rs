//! query_graph context: what to know about these files.

use serde_json::{Value, json};

use super::world::{World, each, names};

/// The example of the specification.
fn payments() -> World {
    let mut w = World::new();
    w.molecule(
        "Payment Domain",
        json!({ "knowledge": "Communicates with Stripe, idempotent webhooks" }),
    );
    w.atom(
        "Stripe Integration",
        &["src/payments/gateway/**", "src/payments/stripe-*.ts"],
        json!({ "moleculeId": "@Payment Domain" }),
    );
    let related = json!([{ "atomId": "@Stripe Integration", "reason": "webhooks call gateway for processing" }]);
    let extra = json!({ "moleculeId": "@Payment Domain", "relatedAtoms": related, "knowledge": "8 handlers" });
    w.atom("Webhook Handlers", &["src/payments/webhook-*.ts"], extra);
    w.atom(
        "Retry Utilities",
        &["src/shared/retry-utils.ts"],
        json!({ "knowledge": "Generic exponential backoff" }),
    );
    w
}

#[test]
fn the_response_is_as_in_the_specification() {
    let mut w = payments();
    w.note("Webhook Handlers", "30 s timeout");
    let paths =
        "src/payments/webhook-handler.ts,src/shared/retry-utils.ts,src/payments/new-handler.ts";
    assert_eq!(
        w.context(paths),
        json!({
            "molecules": [{
                "id": "@Payment Domain", "name": "Payment Domain",
                "knowledge": "Communicates with Stripe, idempotent webhooks", "version": 1,
                "atoms": [{
                    "id": "@Webhook Handlers", "name": "Webhook Handlers", "knowledge": "8 handlers", "version": 1,
                    "matchedPaths": ["src/payments/webhook-handler.ts"],
                    "relatedAtoms": [{ "atomId": "@Stripe Integration", "name": "Stripe Integration",
                        "reason": "webhooks call gateway for processing" }],
                    "changelog": [{ "taskId": "@t", "summary": "30 s timeout", "createdAt": "2026-01-01T00:00:00.000Z" }],
                }],
            }],
            "orphanAtoms": [{
                "id": "@Retry Utilities", "name": "Retry Utilities", "knowledge": "Generic exponential backoff",
                "version": 1, "matchedPaths": ["src/shared/retry-utils.ts"],
            }],
            "unmatchedPaths": ["src/payments/new-handler.ts"],
        })
    );
}

#[test]
fn lists_are_present_although_nothing_matches() {
    let mut w = World::new();
    let expected = json!({ "molecules": [], "orphanAtoms": [], "unmatchedPaths": ["a.ts"] });
    assert_eq!(w.context("a.ts"), expected);
}

#[test]
fn paths_come_as_comma_separated_text_as_a_json_array_or_as_a_list() {
    let mut w = World::new();
    w.atom("a", &["src/**"], json!({}));
    for paths in [
        json!("src/a.ts,src/b.ts,x.ts"),
        json!(" src/a.ts , src/b.ts,, x.ts ,"),
        json!("[\"src/a.ts\", \"src/b.ts\", \"x.ts\"]"),
        json!(["src/a.ts", "src/b.ts", "x.ts"]),
    ] {
        let context = w.context(paths.clone());
        assert_eq!(
            context["orphanAtoms"][0]["matchedPaths"],
            json!(["src/a.ts", "src/b.ts"]),
            "{paths}"
        );
        assert_eq!(context["unmatchedPaths"], json!(["x.ts"]), "{paths}");
    }
    let comma = w.context(json!(["src/a,b.ts"]));
    assert_eq!(
        comma["orphanAtoms"][0]["matchedPaths"],
        json!(["src/a,b.ts"]),
        "in a list a comma is a letter"
    );
    assert_eq!(w.context("src/[id].ts")["orphanAtoms"][0]["matchedPaths"], json!(["src/[id].ts"]));
}

#[test]
fn each_path_is_normalised_and_returned_in_the_spelling_of_the_request() {
    let mut w = World::new();
    w.atom("a", &["src/pages/*.ts"], json!({}));
    let root = w.app.app.config().root.to_str().unwrap().to_owned();
    let spellings = vec![
        "src/pages/a.ts".to_owned(),
        "./src/pages/a.ts".to_owned(),
        "src\\pages\\a.ts".to_owned(),
        "src//pages/./a.ts".to_owned(),
        format!("{root}/src/pages/a.ts"),
    ];
    let mut asked = spellings.clone();
    asked.extend(["./lib/b.ts".to_owned(), "lib\\b.ts".to_owned()]);
    let context = w.context(json!(asked));
    assert_eq!(context["orphanAtoms"][0]["matchedPaths"], json!(spellings));
    assert_eq!(context["unmatchedPaths"], json!(["./lib/b.ts", "lib\\b.ts"]));
}

#[test]
fn unmatched_paths_come_in_the_order_asked() {
    let mut w = World::new();
    w.atom("a", &["src/**"], json!({}));
    let context = w.context("z.ts,src/x,b.ts,a.ts,src/y,c/d.ts");
    assert_eq!(context["unmatchedPaths"], json!(["z.ts", "b.ts", "a.ts", "c/d.ts"]));
    assert_eq!(context["orphanAtoms"][0]["matchedPaths"], json!(["src/x", "src/y"]));
}

#[test]
fn matched_paths_come_in_the_order_asked_and_each_once() {
    let mut w = World::new();
    w.atom("a", &["src/**", "src/*.ts", "**/*.ts"], json!({}));
    let context = w.context("src/b.ts,src/a.ts,src/b.ts");
    assert_eq!(context["orphanAtoms"][0]["matchedPaths"], json!(["src/b.ts", "src/a.ts"]));
}

#[test]
fn a_file_can_match_several_atoms_and_all_are_returned() {
    let mut w = World::new();
    w.molecule("Auth", json!({}));
    w.molecule("Payments", json!({}));
    w.atom("Sessions", &["src/auth/**", "src/shared/*.ts"], json!({ "moleculeId": "@Auth" }));
    w.atom(
        "Gateway",
        &["src/payments/**", "src/shared/money.ts"],
        json!({ "moleculeId": "@Payments" }),
    );
    w.atom("Ledger", &["src/**/money.*"], json!({ "moleculeId": "@Payments" }));
    w.atom("Everything", &["**"], json!({}));
    let context = w.context("src/shared/money.ts");
    assert_eq!(names(&context["molecules"]), "Auth Payments");
    assert_eq!(names(&context["molecules"][0]["atoms"]), "Sessions");
    assert_eq!(names(&context["molecules"][1]["atoms"]), "Gateway Ledger");
    assert_eq!(names(&context["orphanAtoms"]), "Everything");
    assert_eq!(context["unmatchedPaths"], json!([]));
}

#[test]
fn molecules_and_atoms_come_by_name_and_equal_names_by_id() {
    let mut w = World::new();
    let mut molecules = Vec::new();
    for _ in 0..3 {
        w.molecule("same", json!({}));
        molecules.push(w.id("same"));
    }
    w.molecule("earlier", json!({}));
    let mut atoms = Vec::new();
    for molecule in molecules.iter().rev() {
        for name in ["z", "twin", "twin", "a"] {
            w.atom(name, &["src/**"], json!({ "moleculeId": molecule }));
            atoms.push((molecule.clone(), name, w.id(name)));
        }
    }
    w.atom("only", &["src/**"], json!({ "moleculeId": "@earlier" }));
    molecules.sort();
    let answer = w.app.query_graph(json!({ "operation": "context", "paths": "src/x" }));
    let found = answer["data"]["molecules"].as_array().unwrap();
    assert_eq!(found[0]["name"], "earlier");
    for (found, molecule) in found[1..].iter().zip(&molecules) {
        assert_eq!(found["id"], json!(molecule));
        let mut expected: Vec<_> = atoms
            .iter()
            .filter(|(of, _, _)| of == molecule)
            .map(|(_, name, id)| (*name, id.as_str()))
            .collect();
        expected.sort_unstable();
        let have: Vec<_> =
            each(&found["atoms"], "name").into_iter().zip(each(&found["atoms"], "id")).collect();
        assert_eq!(have, expected);
    }
    assert_eq!(found.len(), 4);
}

#[test]
fn only_atoms_that_matched_are_shown_in_their_molecule() {
    let mut w = payments();
    let context = w.context("src/payments/stripe-gateway.ts");
    assert_eq!(names(&context["molecules"][0]["atoms"]), "Stripe Integration");
}

#[test]
fn matching_rules_of_the_specification() {
    for (patterns, path, expected) in [
        (&["src/pages/checkout/**"][..], "src/pages/checkout/a.tsx", true),
        (&["src/pages/checkout/**"], "src/pages/checkout/steps/pay/card.tsx", true),
        (&["src/pages/checkout/**"], "src/pages/checkout2/a.tsx", false),
        (
            &["src/payments/gateway/**", "src/payments/stripe-*.ts"],
            "src/payments/gateway/x/y.go",
            true,
        ),
        (
            &["src/payments/gateway/**", "src/payments/stripe-*.ts"],
            "src/payments/stripe-client.ts",
            true,
        ),
        (
            &["src/payments/gateway/**", "src/payments/stripe-*.ts"],
            "src/payments/stripe-client.tsx",
            false,
        ),
        (&["src/payments/stripe-*.ts"], "src/payments/stripe-x/y.ts", false),
        (&["src/shared/email-client.ts"], "src/shared/email-client.ts", true),
        (&["src/shared/email-client.ts"], "lib/src/shared/email-client.ts", false),
        (&["*"], "a.ts", true),
        (&["*"], "a/b.ts", false),
        (&["**"], "a/b/c.ts", true),
        (&["**/*.ts"], "a.ts", true),
        (&["**/*.ts"], "a/b/c.ts", true),
        (&["src/**/test/*.ts"], "src/test/a.ts", true),
        (&["src/**/test/*.ts"], "src/a/b/test/c.ts", true),
        (&["src/?.ts"], "src/a.ts", true),
        (&["src/?.ts"], "src/ab.ts", false),
        (&["src?a.ts"], "src/a.ts", false),
        (&["src/{a,b}.ts"], "src/b.ts", true),
        (&["src/[ab].ts"], "src/a.ts", true),
        (&["src/[!ab].ts"], "src/a.ts", false),
        (&["src/*"], "src/.env", true),
        (&["**"], ".github/workflows/ci.yml", true),
        (&["*.config.*"], ".eslint.config.js", true),
        (&["SRC/*"], "src/a.ts", false),
        (&["src/größe/*.ts"], "src/größe/日.ts", true),
        (&["src/my file *.ts"], "src/my file 1.ts", true),
    ] {
        let mut w = World::new();
        w.atom("a", patterns, json!({}));
        let matched = w.context(json!([path]))["orphanAtoms"][0]["id"] == "@a";
        assert_eq!(matched, expected, "{patterns:?} {path}");
    }
}

#[test]
fn atoms_of_other_projects_are_ignored() {
    let mut w = World::new();
    w.open("q");
    w.atom("ours", &["src/**"], json!({}));
    w.atom("theirs", &["src/**"], json!({ "projectId": "q" }));
    assert_eq!(names(&w.context("src/a")["orphanAtoms"]), "ours");
    assert_eq!(
        names(&w.context_with("src/a", json!({ "projectId": "q" }))["orphanAtoms"]),
        "theirs"
    );
    let ask = json!({ "operation": "context", "paths": "src/a" });
    w.refused("VALIDATION_ERROR", "query_graph", ask).says(&["projectId"]);
}

#[test]
fn the_changelog_is_limited_as_asked_on_atoms_and_molecules() {
    let mut w = World::new();
    w.molecule("m", json!({}));
    w.atom("a", &["src/**"], json!({ "moleculeId": "@m" }));
    for index in 0..7 {
        w.note("a", &format!("atom {index}"));
        w.note("m", &format!("molecule {index}"));
    }
    for (extra, count) in [
        (json!({}), 5),
        (json!({ "changelogLimit": 2 }), 2),
        (json!({ "changelogLimit": 50 }), 7),
        (json!({ "includeChangelog": false }), 0),
    ] {
        let context = w.context_with("src/a", extra.clone());
        let molecule = &context["molecules"][0];
        for (thing, word) in [(molecule, "molecule"), (&molecule["atoms"][0], "atom")] {
            let shown = thing.get("changelog").cloned().unwrap_or(json!([]));
            let expected: Vec<String> =
                (0..7).rev().take(count).map(|index| format!("{word} {index}")).collect();
            assert_eq!(each(&shown, "summary"), expected, "{extra}");
        }
    }
}

#[test]
fn a_relation_to_a_deleted_atom_is_marked() {
    let mut w = payments();
    w.delete("Stripe Integration", json!({}));
    let related =
        w.context("src/payments/webhook-a.ts")["molecules"][0]["atoms"][0]["relatedAtoms"].take();
    let reason = "webhooks call gateway for processing";
    assert_eq!(
        related,
        json!([{ "atomId": "@Stripe Integration", "missing": true, "reason": reason }])
    );
}

#[test]
fn a_related_atom_that_was_renamed_has_its_new_name() {
    let mut w = payments();
    w.update("Stripe Integration", json!({ "name": "Gateway" }));
    let context = w.context("src/payments/webhook-a.ts");
    assert_eq!(context["molecules"][0]["atoms"][0]["relatedAtoms"][0]["name"], "Gateway");
}

#[test]
fn paths_edited_with_plain_sql_match() {
    let mut w = World::new();
    w.atom("a", &["src/**"], json!({}));
    let id = w.id("a");
    assert_eq!(w.context("src/x")["unmatchedPaths"], json!([]));
    w.app
        .sql()
        .execute(
            "UPDATE graph_atoms SET paths = '[\"lib/*.ts\", \"docs/a.md\"]' WHERE id = ?1",
            [&id],
        )
        .unwrap();
    let context = w.context("src/x,lib/y.ts,docs/a.md");
    assert_eq!(context["unmatchedPaths"], json!(["src/x"]));
    assert_eq!(context["orphanAtoms"][0]["matchedPaths"], json!(["lib/y.ts", "docs/a.md"]));
    w.app.sql()
        .execute(
            "INSERT INTO graph_atoms (id, project_id, name, paths, created_by_task_id, last_task_id, created_at, updated_at)
             SELECT '0f0f0f0f-0000-4000-8000-000000000000', project_id, 'by hand', '[\"src/**\"]', 't', 't', created_at, updated_at
               FROM graph_atoms WHERE id = ?1",
            [&id],
        )
        .unwrap();
    assert_eq!(names(&w.context("src/x")["orphanAtoms"]), "by hand");
    w.app.sql().execute("DELETE FROM graph_atoms WHERE name = 'by hand'", []).unwrap();
    assert_eq!(w.context("src/x")["unmatchedPaths"], json!(["src/x"]));
}

#[test]
fn an_invalid_glob_written_with_plain_sql_breaks_no_other() {
    let deep = "{".repeat(300) + &"}".repeat(300);
    for paths in [json!(["src/[", 5]), json!([deep]), json!(["*".repeat(5_000) + "x"])] {
        let mut w = World::new();
        w.atom("a", &["src/**"], json!({}));
        w.atom("b", &["lib/**"], json!({}));
        let edit = "UPDATE graph_atoms SET paths = ?1 WHERE name = 'a'";
        w.app.sql().execute(edit, [paths.to_string()]).unwrap();
        let context = w.context("src/x,lib/y");
        assert_eq!(names(&context["orphanAtoms"]), "b");
        assert_eq!(context["unmatchedPaths"], json!(["src/x"]));
        w.update("b", json!({ "knowledge": "still editable" }));
    }
}

#[test]
fn a_change_of_another_process_is_seen_by_the_next_call() {
    let mut w = World::new();
    w.atom("a", &["src/**"], json!({}));
    assert_eq!(names(&w.context("src/x")["orphanAtoms"]), "a");
    let mut other = w.app.another();
    let change = json!({ "operation": "update", "entityType": "atom", "id": w.id("a"), "version": 1, "paths": ["lib/**"] });
    other.manage_graph(change);
    assert_eq!(w.context("src/x")["unmatchedPaths"], json!(["src/x"]));
    assert_eq!(names(&w.context("lib/x")["orphanAtoms"]), "a");
    let new =
        json!({ "operation": "create", "entityType": "atom", "name": "b", "paths": ["src/*"] });
    other.manage_graph(new);
    assert_eq!(names(&w.context("src/x")["orphanAtoms"]), "b");
}

#[test]
fn a_response_stays_within_its_characters_and_names_every_match() {
    let mut w = World::new();
    w.atom("target", &["lib/**"], json!({}));
    let related: Vec<Value> =
        (0..50).map(|_| json!({ "atomId": "@target", "reason": "r".repeat(1_000) })).collect();
    for index in 0..30 {
        let extra = json!({ "knowledge": "x".repeat(4_000), "relatedAtoms": related });
        w.atom(&format!("a{index:02}"), &["src/**"], extra);
    }
    let context = w.context("src/x");
    assert_eq!(context["orphanAtoms"].as_array().unwrap().len(), 30, "all matches are returned");
    assert!(context.to_string().len() < 50_000, "{}", context.to_string().len());
    assert!(context["leftOut"].as_i64().unwrap() > 0);
}
