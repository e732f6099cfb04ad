//! Files and settings that are wrong in every way: each is reported, and the rest counts.

use std::fs;

use serde_json::json;

use super::cli::{kb, requirement, write};
use crate::support::binary::{directory, run};

#[test]
fn files_that_cannot_be_used_are_reported_with_line_and_reason_and_the_rest_is_synced() {
    let (_keep, directory) = directory();
    kb(&directory, &["init"]).ok();
    let front = |text: &str| format!("---\n{text}\n---\n# x\n");
    let bomb = (0..12).fold(String::from("a0: &a0 [x, x]\n"), |text, level| {
        let (next, refs) = (level + 1, vec![format!("*a{level}"); 9].join(", "));
        format!("{text}a{next}: &a{next} [{refs}]\n")
    });
    let huge = front("id: HUGE") + &"words ".repeat(10 << 18);
    for (path, text) in [
        ("docs/requirements/good.md", &requirement("GOOD", "")),
        ("docs/requirements/tabs.md", &front("id: TABS\n\tstatus: x")),
        ("docs/requirements/twice.md", &front("id: TWICE\nstatus: a\nstatus: b")),
        ("docs/requirements/bomb.md", &front(&format!("id: BOMB\n{bomb}"))),
        ("docs/requirements/colon.md", &front("id: COLON\ntitle: Fix: it")),
        ("docs/requirements/newline.md", &front("id: \"a\\nb\"")),
        ("docs/requirements/nul.md", &front("id: NUL\ntitle: \"a\\0b\"")),
        ("docs/requirements/escape.md", &"---\nid: ESC\n---\n# a\u{1b}[31mb\n".to_owned()),
        ("docs/requirements/slip.md", &requirement("SLIP", "verifed_by: T-1\n")),
        ("docs/requirements/huge.md", &huge),
        ("symbols.yaml", &"- id: f\n".to_owned()),
        ("symbols.json", &"{\"symbols\": [{\"id\": \"g\"}], // no\n}".to_owned()),
    ] {
        write(&directory, path, text);
    }
    fs::write(directory.join("docs/requirements/latin.md"), b"---\nid: L\n---\n# \xff\n").unwrap();
    let ran = kb(&directory, &["sync"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.out.contains("  created  GOOD SLIP\n"), "{}", ran.out);
    for part in [
        "! docs/requirements/tabs.md:3: ",
        "! docs/requirements/twice.md:4: ",
        "! docs/requirements/bomb.md:",
        "! docs/requirements/colon.md:3: ",
        "! docs/requirements/newline.md:2: ",
        "! docs/requirements/nul.md:2: `title` has the control character '\\0'",
        "! docs/requirements/escape.md:2: `title` has the control character '\\u{1b}'",
        "did you mean `verified_by`?",
        "! docs/requirements/huge.md: it has ",
        "! docs/requirements/latin.md:4: it is not UTF-8",
        "! symbols.yaml:1: ",
        "! symbols.json:1: ",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let object = kb(&directory, &["sync", "--json"]);
    assert_eq!((object.code, object.json()["problems"].as_array().unwrap().len()), (1, 12));
    let found = kb(&directory, &["query", "--json"]).json();
    assert_eq!((&found["total"], &found["entities"][0]["id"]), (&json!(2), &json!("GOOD")));
}

#[test]
fn problems_of_a_file_are_listed_up_to_a_limit_and_the_rest_counted() {
    let (_keep, directory) = directory();
    kb(&directory, &["init"]).ok();
    write(&directory, "docs/requirements/good.md", &requirement("GOOD", ""));
    write(&directory, "symbols.yaml", &format!("symbols:\n{}- id: f\n", "- text\n".repeat(5_000)));
    let twice = "{\"id\": \"g\"},".repeat(3_000);
    write(&directory, "symbols.json", &format!("{{\"symbols\": [{twice}{{\"id\": \"h\"}}]}}"));
    let object = kb(&directory, &["sync", "--json"]).json();
    assert_eq!(object["created"], json!(["GOOD", "g", "h", "f"]));
    let problems = object["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 202, "a hundred of each, and how many more");
    let last = json!({ "path": "symbols.yaml", "line": 102, "reason": "here and below are 4900 more problems" });
    assert_eq!(problems[201], last);
}

#[test]
fn settings_that_are_not_understood_are_refused_with_their_line_and_nothing_changes() {
    let (_keep, directory) = directory();
    kb(&directory, &["init"]).ok();
    write(&directory, "docs/requirements/a.md", &requirement("REQ-1", ""));
    for (path, text, message) in [
        (".kb/config.json", "{\n// why\n}", ".kb/config.json:2: "),
        (".kb/config.json", "{\n\"pahts\": {}}", ".kb/config.json:2: unknown key `pahts`"),
        (".kb/config.json", "{\"rules\": {\"no-cycles\": \"no\"}}", "rule `no-cycles` is \"no\""),
        (".kb/config.json", "{\"paths\": {\"req\": \"../x\"}}", "`paths.req` has a `..`"),
        (".kb/schema/types.json", "[]", ".kb/schema/types.json"),
        (".kb/schema/types.json", "{\"types\": {\"a b\": {}}}", "`a b` is not a valid name"),
    ] {
        let before = fs::read_to_string(directory.join(path)).unwrap();
        write(&directory, path, text);
        for arguments in [&["sync"][..], &["query"], &["check"], &["init"], &["branch"]] {
            let err = kb(&directory, arguments).failed(1);
            assert!(err.contains(message) && err.contains("\nhint: "), "{arguments:?}: {err}");
        }
        let fault = run(&directory, &["tool", "kb_query", "{}"]).json();
        assert_eq!(fault["error"]["code"], "VALIDATION_ERROR", "{fault}");
        write(&directory, path, &before);
    }
    assert!(kb(&directory, &["query"]).ok().contains("nothing on main fits"));
}

#[test]
fn a_file_in_place_of_the_directory_of_settings_is_refused() {
    let (_keep, directory) = directory();
    run(&directory, &["tool", "kb_query", "{}"]);
    fs::write(directory.join(".kb"), "x").unwrap();
    for arguments in [&["init"][..], &["query"], &["sync"]] {
        let err = kb(&directory, arguments).failed(1);
        assert!(err.contains(".kb: is not a directory") && err.contains("\nhint: "), "{err}");
    }
}

#[test]
#[cfg(unix)]
fn settings_that_lead_out_of_the_repository_are_not_followed() {
    let (_keep, directory) = directory();
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("config.json"), "{}").unwrap();
    std::os::unix::fs::symlink(other.path(), directory.join(".kb")).unwrap();
    let err = kb(&directory, &["init"]).failed(1);
    assert!(err.contains(".kb: is a symbolic link out of the repository"), "{err}");
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1);
}

#[test]
fn an_added_type_has_its_directory_and_works_from_file_to_query() {
    let (_keep, directory) = directory();
    kb(&directory, &["init"]).ok();
    write(
        &directory,
        ".kb/schema/risk.json",
        r#"{"types": {"risk": {"statuses": ["open"]}}, "relations": {"threatens": {"ends": [["risk", "req"]]}}}"#,
    );
    write(&directory, ".kb/config.json", r#"{"paths": {"risk": "docs/risks"}}"#);
    write(
        &directory,
        "docs/risks/r.md",
        "---\nid: RISK-1\nstatus: open\nthreatens: REQ-1\n---\n# Rain\n",
    );
    write(&directory, "docs/requirements/a.md", &requirement("REQ-1", ""));
    // A manifest may declare any type, with added relations too.
    write(
        &directory,
        "symbols.yaml",
        "symbols:\n- {id: RISK-2, type: risk, status: open, threatens: [REQ-1]}\n",
    );
    kb(&directory, &["sync"]).ok();
    let of_manifest =
        kb(&directory, &["query", "--has", "threatens=REQ-1", "--source", "file:symbols.yaml"])
            .ok();
    assert!(of_manifest.starts_with("RISK-2  risk  RISK-2\n"), "{of_manifest}");
    let found = kb(&directory, &["query", "--has", "threatens"]).ok();
    assert!(found.starts_with("RISK-1  risk  Rain\n    open  docs/risks/r.md:2\n"), "{found}");
}

#[test]
fn a_property_with_nul_is_reported_and_skipped() {
    let (_keep, directory) = directory();
    kb(&directory, &["init"]).ok();
    let zero =
        "---\nid: ZERO\ntitle: t\nstatus: draft\nextra: [\"x\\0y\"]\n\"k\\0\": v\nfine: yes\n---\n";
    write(&directory, "docs/requirements/zero.md", zero);
    let ran = kb(&directory, &["sync"]);
    assert!(ran.out.contains("zero.md:5: `extra` contains NUL"), "{}", ran.out);
    assert!(ran.out.contains("zero.md:6: "), "{}", ran.out);
    let found = kb(&directory, &["query", "--json"]).json();
    assert_eq!(found["entities"][0]["properties"], json!({ "fine": "yes" }), "{found}");
}
