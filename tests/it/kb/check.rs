//! `kb_check`: each rule finds its violations, and nothing else.

use std::collections::BTreeMap;

use graph::kb::{self, Check, Level, RULES};
use serde_json::{Value, json};

use super::world::{Kb, each, file};
use crate::support::Fault;

/// Everything in order.
const SOUND: (&str, &str) = (
    "req R1, scenario S1, test T1, adr A1 A2, flag F1, event E1, symbol f, component c",
    "R1 specified_by S1, R1 verified_by T1, f implements R1, f covered_by T1, A1 affects f, F1 guards E1",
);

fn sound() -> Kb {
    let mut kb = Kb::of(SOUND.0, SOUND.1);
    kb.up(json!({ "entities": [{ "id": "R1", "priority": "must" }] }));
    kb
}

fn delete(kb: &mut Kb, link: &str) {
    kb.app.kb_delete(json!({ "relationships": super::world::links(link), "reason": "test" }));
}

#[test]
fn a_sound_branch_passes() {
    let mut kb = sound();
    assert_eq!(
        kb.app.kb_check(json!({})),
        json!({ "branch": "main", "passed": true, "violations": [],
            "counts": { "errors": 0, "warnings": 0, "by_rule": {} } })
    );
}

#[test]
fn must_coverage_wants_a_scenario_and_a_test() {
    let mut kb = sound();
    for (link, missing) in
        [("R1 specified_by S1", "no scenario"), ("R1 verified_by T1", "no verifying test")]
    {
        delete(&mut kb, link);
        let checked = kb.app.kb_check(json!({ "rules": ["must-coverage"] }));
        assert_eq!(checked["passed"], false);
        let found = &checked["violations"][0];
        assert_eq!((&found["entity"], &found["severity"]), (&json!("R1"), &json!("error")));
        assert!(found["message"].as_str().unwrap().contains(missing), "{found}");
        assert!(!found["suggestion"].as_str().unwrap().is_empty());
    }
    // One violation for one requirement, whatever it lacks; and none for a requirement that need not be.
    assert_eq!(kb.violations(json!({ "rules": ["must-coverage"] })), ["must-coverage R1"]);
    kb.up(json!({ "entities": [{ "id": "R1", "priority": "should" }] }));
    assert_eq!(kb.violations(json!({ "rules": ["must-coverage"] })), [""; 0]);
}

#[test]
fn no_cycles_shows_each_cycle_once() {
    let mut kb = sound();
    kb.put(
        "req a b d e g",
        "a depends_on b, b depends_on d, d depends_on a, d depends_on e, e depends_on g, g depends_on g",
    );
    let checked = kb.app.kb_check(json!({ "rules": ["no-cycles"] }));
    assert_eq!(
        each(&checked["violations"], "message"),
        ["depends_on runs in a cycle: a -> b -> d -> a", "depends_on runs in a cycle: g -> g"]
    );
    assert_eq!(checked["passed"], false);
}

#[test]
fn no_dangling_finds_links_with_a_missing_or_invalid_end() {
    let mut kb = sound();
    kb.sync(vec![file("docs/x.md", "req X1", "X1 verified_by T9, X1 depends_on R9")], &[]);
    let checked = kb.app.kb_check(json!({ "rules": ["no-dangling"] }));
    assert_eq!(checked["counts"]["by_rule"], json!({ "no-dangling": 2 }));
    let found = &checked["violations"][1];
    assert_eq!((&found["entity"], &found["source"]), (&json!("X1"), &json!("docs/x.md:2")));
    Fault(found.clone()).says(&["X1 verified_by T9", "there is no `T9`"]);
    // The end appears, as something that a test is not.
    let answer = kb.put("req R9, scenario T9", "");
    assert!(answer["warnings"][0].as_str().unwrap().contains("X1 verified_by T9"), "{answer}");
    let checked = kb.app.kb_check(json!({ "rules": ["no-dangling"] }));
    assert_eq!(checked["counts"]["errors"], 1);
    Fault(checked["violations"][0].clone()).says(&["req to scenario", "req to test"]);
}

#[test]
fn a_link_that_is_unresolved_or_leads_to_the_wrong_type_covers_nothing() {
    let mut kb = sound();
    let mut declared = file("docs/x.md", "req X1", "X1 specified_by S1, X1 verified_by T9");
    declared.facts.as_mut().unwrap().entities[0].entity.priority = Some("Must".into());
    kb.sync(vec![declared], &[]);
    let uncovered = json!({ "rules": ["must-coverage"] });
    assert_eq!(kb.violations(uncovered.clone()), ["must-coverage X1"]);
    kb.put("scenario T9", "");
    assert_eq!(kb.violations(uncovered), ["must-coverage X1"]);
}

#[test]
fn required_fields_finds_fields_that_a_file_omits() {
    let mut kb = sound();
    let mut bare = file("docs/x.md", "req X1 X2", "");
    let facts = bare.facts.as_mut().unwrap();
    facts.entities[0].entity.title = None;
    facts.entities[0].entity.status = Some("  ".into());
    kb.sync(vec![bare], &[]);
    let checked = kb.app.kb_check(json!({}));
    assert_eq!(
        checked["violations"],
        json!([{ "rule": "required-fields", "severity": "error", "entity": "X1",
            "message": "req has no title and no status", "suggestion": "add title and status", "source": "docs/x.md:1" }])
    );
    let entity = kb.entity("X1");
    assert!(entity.get("title").is_none() && entity.get("status").is_none(), "{entity}");
}

#[test]
fn symbol_coverage_warns_of_code_without_a_test() {
    let mut kb = sound();
    kb.put("symbol g h", "g implements R1");
    let checked = kb.app.kb_check(json!({}));
    assert_eq!(
        checked["counts"],
        json!({ "errors": 0, "warnings": 1, "by_rule": { "symbol-coverage": 1 } })
    );
    assert_eq!(checked["violations"][0]["entity"], "g");
    assert_eq!(checked["passed"], true, "a warning is no failure");
}

#[test]
fn a_deprecated_adr_needs_a_successor() {
    let mut kb = sound();
    for status in ["deprecated", "superseded"] {
        kb.up(json!({ "entities": [{ "id": "A1", "status": status }] }));
        assert_eq!(kb.violations(json!({})), ["deprecated-adr-without-successor A1"], "{status}");
    }
    // Superseding another is not being superseded.
    kb.put("", "A1 supersedes A2");
    assert_eq!(kb.violations(json!({})), ["deprecated-adr-without-successor A1"]);
    kb.put("adr A3", "A3 supersedes A1");
    assert_eq!(kb.violations(json!({})), [""; 0]);
}

#[test]
fn unknown_status_warns_and_suggests() {
    let mut kb = sound();
    kb.up(json!({ "entities": [{ "id": "R1", "status": "aproved" }] }));
    let checked = kb.app.kb_check(json!({}));
    assert_eq!(
        checked["violations"],
        json!([{ "rule": "unknown-status", "severity": "warning", "entity": "R1",
            "message": "`aproved` is no status of req", "suggestion": "did you mean `approved`?" }])
    );
}

#[test]
fn flags_guard_and_tests_verify() {
    let mut kb = sound();
    kb.put("flag F2, test T2 T3", "f covered_by T2");
    assert_eq!(kb.violations(json!({})), ["flag-guards-nothing F2", "test-verifies-nothing T3"]);
    kb.put("", "F2 guards R1, R1 verified_by T3");
    assert_eq!(kb.violations(json!({})), [""; 0]);
}

#[test]
fn rules_and_ids_narrow_the_check() {
    let mut kb = sound();
    kb.put("flag F2 F3, test T2", "");
    assert_eq!(kb.violations(json!({ "rules": ["flag-guards-nothing"] })).len(), 2);
    assert_eq!(
        kb.violations(json!({ "ids": ["F2", "T2"] })),
        ["flag-guards-nothing F2", "test-verifies-nothing T2"]
    );
    assert_eq!(kb.violations(json!({ "ids": "F3", "rules": "test-verifies-nothing" })), [""; 0]);
}

#[test]
fn a_cycle_concerns_everything_on_it() {
    let mut kb = sound();
    kb.put("req C1 C2 C3", "C1 depends_on C2, C2 depends_on C3, C3 depends_on C1");
    for id in ["C1", "C2", "C3"] {
        let found = kb.violations(json!({ "ids": [id], "rules": ["no-cycles"] }));
        assert_eq!(found, ["no-cycles C1"], "{id}");
    }
}

#[test]
fn an_adr_does_not_succeed_itself() {
    let mut kb = sound();
    kb.put("adr A9", "A9 supersedes A9");
    kb.up(json!({ "entities": [{ "id": "A9", "status": "superseded" }] }));
    assert_eq!(kb.violations(json!({})), ["deprecated-adr-without-successor A9"]);
}

#[test]
fn rules_can_be_set_to_error_warning_or_off() {
    let mut kb = sound();
    kb.put("flag F2", "");
    let mut setting = kb.setting();
    for (level, expected) in
        [(Level::Error, (false, 1, 0)), (Level::Warning, (true, 0, 1)), (Level::Off, (true, 0, 0))]
    {
        setting.rules = BTreeMap::from([("flag-guards-nothing".to_owned(), level)]).into();
        let ask = Check { rules: vec!["flag-guards-nothing".into()], ..Check::default() };
        let checked = kb.read(|tx, _| kb::check(tx, &setting, &ask)).unwrap();
        let counts = &checked.counts;
        assert_eq!((checked.passed, counts.errors, counts.warnings), expected, "{level:?}");
        assert_eq!(checked.skipped.is_empty(), level != Level::Off, "asked for and off is said");
    }
}

#[test]
fn the_rules_are_those_of_the_model() {
    let rules: Vec<_> = RULES.iter().map(|rule| (rule.id, rule.default.as_str())).collect();
    assert_eq!(
        rules,
        [
            ("must-coverage", "error"),
            ("no-cycles", "error"),
            ("no-dangling", "error"),
            ("required-fields", "error"),
            ("symbol-coverage", "warning"),
            ("deprecated-adr-without-successor", "error"),
            ("unknown-status", "warning"),
            ("flag-guards-nothing", "warning"),
            ("test-verifies-nothing", "warning"),
        ]
    );
}

#[test]
fn a_long_list_of_violations_is_cut_and_counted_with_errors_first() {
    let mut kb = Kb::empty();
    let flags: Vec<_> = (0..300).map(|i| format!("F{i}")).collect();
    kb.put(&format!("flag {}, req R1", flags.join(" ")), "R1 depends_on R1");
    let checked = kb.app.kb_check(json!({}));
    let listed = checked["violations"].as_array().unwrap();
    assert!(checked.to_string().len() < 8_500);
    assert_eq!(listed.len() as u64 + checked["violations_omitted"].as_u64().unwrap(), 301);
    assert_eq!(checked["counts"]["warnings"], 300);
    let severities: Vec<&Value> = listed.iter().map(|it| &it["severity"]).take(2).collect();
    assert_eq!(severities, ["error", "warning"]);
}

/// A branch with cycles, dangling links and gaps, always the same one.
fn untidy() -> Kb {
    let mut kb = Kb::empty();
    let (mut seed, mut links) = (7_u32, Vec::new());
    let mut next = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    };
    for _ in 0..40 {
        let (from, to) = (next(12), next(14));
        links.push(format!("R{from} depends_on R{to}"));
        links.push(format!("s{} implements R{}", next(6), next(12)));
        links.push(format!("R{} verified_by T{}", next(12), next(6)));
        links.push(format!("A{} supersedes A{}", next(4), next(4)));
    }
    links.sort();
    links.dedup();
    let names = |letter: &str, count: u32| {
        (0..count).map(|at| format!("{letter}{at}")).collect::<Vec<_>>().join(" ")
    };
    let entities = format!(
        "req R0 R2 R3 R5 R6 R8 R9 R10 R11, test {}, symbol {}, adr {}",
        names("T", 6),
        names("s", 6),
        names("A", 4)
    );
    kb.sync(vec![file("docs/all.md", &entities, &links.join(", "))], &[]);
    for id in ["R1", "R4", "R7"] {
        kb.up(json!({ "entities": [{ "id": id, "type": "req", "title": "t", "status": "odd", "priority": "must" }] }));
    }
    kb
}

#[test]
fn a_check_of_some_ids_finds_what_a_full_check_finds_for_them() {
    let mut kb = untidy();
    let whole = kb.app.kb_check(json!({}));
    let all = kb.query(json!({ "limit": 200 }))["entities"].as_array().unwrap().clone();
    let mut found = 0;
    for id in all.iter().map(|entity| entity["id"].as_str().unwrap()) {
        let cycle = |it: &Value| {
            let words = it["message"].as_str().unwrap().split_whitespace();
            it["rule"] == "no-cycles" && words.into_iter().any(|word| word == id)
        };
        let expected: Vec<&Value> = whole["violations"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["entity"] == *id || cycle(it))
            .collect();
        let some = kb.app.kb_check(json!({ "ids": [id] }));
        let some: Vec<&Value> = some["violations"].as_array().unwrap().iter().collect();
        assert_eq!(some, expected, "{id}");
        found += some.len();
    }
    assert!(found >= 20, "there is something to find: {found}");
}
