//! Settings that are right, and settings that are wrong in every way.

use std::fs;

use super::*;

fn words() -> Words<'static> {
    Words {
        types: vec!["req", "scenario", "test", "adr", "flag", "event", "symbol", "risk"],
        rules: vec!["must-coverage", "no-cycles", "no-dangling"],
    }
}

fn parse(text: &str) -> KbConfig {
    KbConfig::parse(text, &words()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn what_is_left_out_keeps_its_default() {
    assert_eq!(parse("{}"), KbConfig::default());
    assert_eq!(parse("\u{feff}{}"), KbConfig::default());
    assert_eq!(parse(&initial_text()), KbConfig::default());
    let config = parse(
        r#"{"defaultBranch": "develop", "paths": {"req": "./specs\\req/", "risk": "docs/risks"},
            "manifests": ["a/symbols.yml", "a//symbols.yml"], "rules": {"no-cycles": "off"}}"#,
    );
    assert_eq!(config.default_branch.as_deref(), Some("develop"));
    assert_eq!(config.paths["req"], "specs/req");
    assert_eq!(config.paths["risk"], "docs/risks");
    assert_eq!(config.paths["adr"], "docs/adr");
    assert_eq!(config.manifests, ["a/symbols.yml"]);
    assert_eq!(config.rules["no-cycles"], Level::Off);
    assert_eq!(parse(r#"{"manifests": []}"#).manifests, [""; 0]);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (text, message, hint) in [
        ("{\n\"defaultbranch\": \"x\"}", ":2: unknown key `defaultbranch`", "`defaultBranch`?"),
        ("{\n\n\"zzz\": 1}", ":3: unknown key `zzz`", "known: defaultBranch, paths"),
        ("{\n// why\n}", ":2: not readable as JSON: key must", "one JSON object"),
        ("{\n// why\n}", "; JSON has no comments", "one JSON object"),
        ("{\n  \"rules\": {}, /* why */\n}", "; JSON has no comments", "one JSON object"),
        ("# why\n{}", "; JSON has no comments", "one JSON object"),
        ("{} // why", "trailing characters; JSON has no comments", "one JSON object"),
        ("{\"rules\": {},\n}", ":2: not readable as JSON: trailing comma", "one JSON object"),
        ("", ":1: not readable as JSON: EOF", "one JSON object"),
        ("[]", ":1: the file is a list, but must be an object", "known keys"),
        (
            "{\"rules\": {},\n\"rules\": {}}",
            ":2: not readable as JSON: the key `rules` is given twice",
            "one JSON object",
        ),
        ("{\"paths\": 3}", ":1: `paths` is 3, but must be an object of types", "known keys"),
        (
            "{\"manifests\": \"a.yaml\"}",
            "`manifests` is \"a.yaml\", but must be a list",
            "known keys",
        ),
        ("{\"paths\": {\n\"reqs\": \"a\"}}", ":2: `paths` has the unknown type `reqs`", "`req`?"),
        ("{\"paths\": {\"req\": 3}}", "`paths.req` is 3, but must be text", "known keys"),
        ("{\"paths\": {\n\"req\": \"../x\"}}", ":2: `paths.req` has a `..`", "relative"),
        ("{\"paths\": {\"req\": \"/etc\"}}", "`paths.req` is absolute", "relative"),
        ("{\"paths\": {\"req\": \"\"}}", "`paths.req` names no file", "relative"),
        (
            "{\"paths\": {\"req\": \"a\",\n\"req\": \"b\"}}",
            ":2: not readable as JSON: the key `req` is given twice",
            "one JSON object",
        ),
        ("{\"manifests\": [\"a.yaml\",\n\"b.toml\"]}", ":2: `manifests` has `b.toml`", "yaml, yml"),
        ("{\"rules\": {\n\"no-cycle\": \"off\"}}", ":2: unknown rule `no-cycle`", "`no-cycles`?"),
        (
            "{\"rules\": {\"no-cycles\": \"no\"}}",
            "rule `no-cycles` is \"no\"",
            "error, warning, off",
        ),
        ("{\"rules\": {\"no-cycles\": true}}", "rule `no-cycles` is true", "error, warning, off"),
        ("{\"defaultBranch\": \"\"}", "names no branch", "leave it out"),
        ("{\"defaultBranch\": \"a b\"}", "names no branch", "leave it out"),
        ("{\"defaultBranch\": null}", "`defaultBranch` is null, but must be text", "known keys"),
    ] {
        let fault = KbConfig::parse(text, &words()).unwrap_err().into_fault("r");
        assert_eq!(fault.code, ErrorCode::ValidationError);
        assert!(fault.message.starts_with(".kb/config.json:"), "{text}: {fault}");
        assert!(fault.message.contains(message), "{text}: {fault}");
        let said = fault.hint.map_or_else(String::new, |hint| hint.to_string());
        assert!(said.contains(hint), "{text}: {said}");
    }
}

#[test]
fn creating_is_idempotent_and_overwrites_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    assert_eq!(KbConfig::load(root, &words()).unwrap(), KbConfig::default());
    let schema = [("types.json", "{}\n"), ("relations.json", "{}\n")];
    let created = create(root, &schema, &words()).unwrap();
    assert_eq!(created.len(), 3 + DEFAULT_PATHS.len(), "{created:?}");
    assert!(root.join("docs/requirements").is_dir());
    assert_eq!(create(root, &schema, &words()).unwrap(), [""; 0]);

    fs::write(root.join(FILE), "{\"paths\": {\"req\": \"specs\"}}").unwrap();
    fs::write(root.join(".kb/schema/types.json"), "{ }").unwrap();
    assert_eq!(create(root, &schema, &words()).unwrap(), ["specs/"]);
    assert_eq!(KbConfig::load(root, &words()).unwrap().paths["req"], "specs");
    let files = schema_files(root).unwrap();
    let expected = [(".kb/schema/relations.json", "{}\n"), (".kb/schema/types.json", "{ }")];
    assert_eq!(files, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));

    // Settings that cannot be used are not built upon.
    fs::write(root.join(FILE), "{\"path\": {}}").unwrap();
    fs::remove_dir(root.join("specs")).unwrap();
    assert!(create(root, &schema, &words()).is_err());
    assert!(!root.join("specs").exists());
    // A directory in the place of the file.
    fs::remove_file(root.join(FILE)).unwrap();
    fs::create_dir(root.join(FILE)).unwrap();
    let fault = KbConfig::load(root, &words()).unwrap_err().into_fault("r");
    assert!(fault.message.contains("not a regular file"), "{fault}");
}

#[test]
#[cfg(unix)]
fn a_link_out_of_the_repository_is_refused() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("repo");
    fs::create_dir_all(directory.path().join("elsewhere")).unwrap();
    fs::create_dir(&root).unwrap();
    symlink("../elsewhere", root.join(".kb")).unwrap();
    for fault in [
        KbConfig::load(&root, &words()).unwrap_err().into_fault("r"),
        schema_files(&root).unwrap_err().into_fault("r"),
        create(&root, &[], &words()).unwrap_err().into_fault("r"),
    ] {
        assert!(fault.message.starts_with(".kb: is a symbolic link out of"), "{fault}");
    }
    assert_eq!(fs::read_dir(directory.path().join("elsewhere")).unwrap().count(), 0);

    // Inside it a link is as good as a directory.
    fs::remove_file(root.join(".kb")).unwrap();
    fs::create_dir(root.join("settings")).unwrap();
    symlink("settings", root.join(".kb")).unwrap();
    create(&root, &[], &words()).unwrap();
    assert!(root.join("settings/config.json").is_file());
    // The file alone may lead out, too, and its content must not be shown.
    fs::write(directory.path().join("elsewhere/secret.json"), r#"{ "secret": 1 }"#).unwrap();
    fs::remove_file(root.join("settings/config.json")).unwrap();
    symlink("../../elsewhere/secret.json", root.join("settings/config.json")).unwrap();
    let fault = KbConfig::load(&root, &words()).unwrap_err().into_fault("r");
    assert!(fault.message.starts_with(".kb/config.json: is a symbolic link out of"), "{fault}");
    fs::remove_file(root.join("settings/config.json")).unwrap();
    // A link to nothing, and a directory for documents that leads out.
    fs::remove_dir(root.join("docs/adr")).unwrap();
    symlink("../../elsewhere", root.join("docs/adr")).unwrap();
    let fault = create(&root, &[], &words()).unwrap_err().into_fault("r");
    assert!(fault.message.starts_with("docs/adr: is a symbolic link out of"), "{fault}");
    fs::remove_file(root.join(".kb")).unwrap();
    symlink("nowhere", root.join(".kb")).unwrap();
    let fault = KbConfig::load(&root, &words()).unwrap_err().into_fault("r");
    assert!(fault.message.starts_with(".kb: cannot be followed"), "{fault}");
}
