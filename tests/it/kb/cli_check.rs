//! `graph kb check` through the real binary: for people, and in the formats of machines.

use serde_json::json;

use super::cli::{filled, kb, requirement, write};
use crate::support::binary::{Ran, run};

#[test]
fn check_ends_with_1_on_errors_in_every_format() {
    let (_keep, directory) = filled();
    let ran = kb(&directory, &["check"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    assert!(ran.out.starts_with("error   REQ-2  "), "{}", ran.out);
    assert!(ran.out.contains("docs/requirements/b.md:2\n        → "), "{}", ran.out);
    assert!(ran.out.ends_with("\n✗ main: 1 error, 0 warnings\n"), "{}", ran.out);

    let json = kb(&directory, &["check", "--format", "json"]);
    assert_eq!(json.json(), run(&directory, &["tool", "kb_check", "{}"]).json());
    assert_eq!(json.json(), kb(&directory, &["check", "--json"]).json());
    assert_eq!(json.code, 1);

    let github = kb(&directory, &["check", "--format", "github"]);
    let line = "::error file=docs/requirements/b.md,line=2,title=must-coverage::REQ-2: ";
    assert!(github.out.starts_with(line), "{}", github.out);
    assert_eq!((github.out.lines().count(), github.code), (1, 1));

    sarif(&kb(&directory, &["check", "--format", "sarif"]));

    // Warnings alone pass, and so do rules that are off.
    write(&directory, ".kb/config.json", r#"{"rules": {"must-coverage": "warning"}}"#);
    assert!(kb(&directory, &["check"]).ok().ends_with("\n✓ main: 1 warning\n"));
    write(&directory, ".kb/config.json", r#"{"rules": {"must-coverage": "off"}}"#);
    assert_eq!(kb(&directory, &["check"]).ok(), "✓ main is in order\n");
    let asked = kb(&directory, &["check", "--rule", "must-coverage"]).ok();
    assert!(asked.starts_with("must-coverage is off: .kb/config.json"), "{asked}");
    assert!(asked.ends_with("\nmain was not checked\n"), "{asked}");
    // A rule that did not run is not reported as passed.
    for (arguments, said) in [
        (&["--rule", "no-cycles"][..], "✓ main: no-cycles holds\n"),
        (
            &["--rule", "no-cycles", "--rule", "no-dangling"],
            "✓ main: no-cycles, no-dangling hold\n",
        ),
        (&["--id", "REQ-1"], "✓ main is in order for REQ-1\n"),
        (&["--rule", "no-cycles", "--id", "REQ-1"], "✓ main: no-cycles holds for REQ-1\n"),
    ] {
        assert_eq!(kb(&directory, &[&["check"], arguments].concat()).ok(), said);
    }
    assert_eq!(kb(&directory, &["check", "--format", "github"]).ok(), "");
    let err = kb(&directory, &["check", "--rule", "must-cover"]).failed(1);
    assert!(err.contains("did you mean `must-coverage`?"), "{err}");
    let fault = kb(&directory, &["check", "--format", "json", "--id", "none"]);
    assert_eq!((fault.code, &fault.json()["error"]["code"]), (1, &json!("NOT_FOUND")));
}

/// What SARIF 2.1.0 requires of a log, and code hosts of its results.
fn sarif(ran: &Ran) {
    assert_eq!(ran.code, 1);
    let log = ran.json();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].is_string() && driver["version"].is_string());
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 9);
    for rule in rules {
        assert!(rule["id"].is_string() && rule["shortDescription"]["text"].is_string(), "{rule}");
        let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
        assert!(["none", "note", "warning", "error"].contains(&level), "{rule}");
    }
    let [result] = &run["results"].as_array().unwrap()[..] else { panic!("{run}") };
    let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(rules[index]["id"], result["ruleId"]);
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("must-coverage"), &json!("error")));
    assert!(result["message"]["text"].as_str().unwrap().starts_with("REQ-2: "));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "docs/requirements/b.md");
    assert_eq!(place["region"]["startLine"], 2);
    assert!(result["partialFingerprints"].as_object().is_some_and(|prints| !prints.is_empty()));
}

#[test]
fn every_sarif_result_is_valid_for_every_violation() {
    let (_keep, directory) = filled();
    write(&directory, "docs/requirements/ü {0} #b.md", &requirement("REQ-9", "verified_by: T-9\n"));
    kb(&directory, &["sync"]).ok();
    let flag = json!({ "id": "F-1", "type": "flag", "title": "t", "status": "{0} [a](3) %" });
    let ran = run(&directory, &["tool", "kb_upsert", &json!({ "entities": [flag] }).to_string()]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let log = kb(&directory, &["check", "--format", "sarif"]).json();
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4, "{run}");
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"], "{result}");
        assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()), "{result}");
        let text = result["message"]["text"].as_str().unwrap();
        assert!(!text.replace("{{", "").replace("}}", "").contains(['{', '}']), "{text}");
        assert!(!text.contains("]("), "{text}");
        // Code hosts refuse the whole report if one result has no file.
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
        assert!(uri.bytes().all(plain) && !uri.starts_with('/'), "{uri}");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1, "{place}");
    }
    let place = |rule: &str| {
        let result = results.iter().find(|result| result["ruleId"] == rule).unwrap();
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap()
    };
    assert_eq!(place("no-dangling"), "docs/requirements/%C3%BC%20%7B0%7D%20%23b.md");
    assert_eq!(place("unknown-status"), ".kb/config.json", "a tool wrote it, and no file says it");
}
