use super::*;
use crate::base::{ErrorCode, Fault};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "summary": { "type": "string", "maxLength": 5 },
            "limit": { "type": "integer", "minimum": 1, "maximum": 100 },
            "ratio": { "type": "number", "minimum": 0.5 },
            "claim": { "type": "boolean" },
            "sort": { "type": "string", "enum": ["readiness", "depth", "NEW"] },
            "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 3 },
            "globs": { "type": "array", "items": { "type": "string", "format": "glob" } },
            "counts": { "type": "array", "items": { "type": "integer" } },
            "evidence": { "type": ["string", "null"] },
            "title": { "type": "string", "nullable": false },
            "parent_ref": { "type": "string" },
            "properties": { "type": "object" },
            "labels": { "type": "object", "additionalProperties": { "type": "integer" } },
            "value": {},
            "nodes": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": { "summary": { "type": "string" }, "done": { "type": "boolean" } },
                    "required": ["summary"],
                },
            },
        },
    })
}

fn fault(arguments: Value) -> Fault {
    let shown = arguments.to_string();
    let error = read(&schema(), arguments).expect_err(&shown);
    assert_eq!(error.code(), ErrorCode::ValidationError, "{shown}");
    error.into_fault("r")
}

#[test]
fn what_models_send_becomes_what_the_schema_says() {
    for (sent, expected) in [
        (json!(null), json!({})),
        (json!("{\"limit\": \"5\"}"), json!({ "limit": 5 })),
        (json!({ "limit": "5" }), json!({ "limit": 5 })),
        (json!({ "limit": " 5 " }), json!({ "limit": 5 })),
        (json!({ "globs": "src/{a, b}/**" }), json!({ "globs": ["src/{a, b}/**"] })),
        (
            json!({ "globs": "a/**, {b,c}/*,d\n\n[ab]*" }),
            json!({ "globs": ["a/**", "{b,c}/*,d", "[ab]*"] }),
        ),
        (json!({ "globs": " [\"a\", \"b\"] " }), json!({ "globs": ["a", "b"] })),
        (json!({ "limit": 5.0 }), json!({ "limit": 5 })),
        (json!({ "limit": "5.0" }), json!({ "limit": 5 })),
        (json!({ "ratio": "0.75" }), json!({ "ratio": 0.75 })),
        (json!({ "ratio": 2 }), json!({ "ratio": 2 })),
        (json!({ "claim": "True" }), json!({ "claim": true })),
        (json!({ "claim": " FALSE" }), json!({ "claim": false })),
        (json!({ "summary": 5 }), json!({ "summary": "5" })),
        (json!({ "summary": true }), json!({ "summary": "true" })),
        (json!({ "sort": "Depth" }), json!({ "sort": "depth" })),
        (json!({ "sort": "new" }), json!({ "sort": "NEW" })),
        (json!({ "tags": "a, b" }), json!({ "tags": ["a, b"] })),
        (json!({ "tags": "[\"a\", \"b\"]" }), json!({ "tags": ["a", "b"] })),
        (json!({ "tags": "[wip]" }), json!({ "tags": ["[wip]"] })),
        (json!({ "tags": 7 }), json!({ "tags": ["7"] })),
        (json!({ "counts": "7" }), json!({ "counts": [7] })),
        (json!({ "counts": ["7", 8.0] }), json!({ "counts": [7, 8] })),
        (json!({ "limit": null, "tags": null }), json!({})),
        (json!({ "evidence": null, "value": null }), json!({ "evidence": null, "value": null })),
        (json!({ "nodes": { "summary": "a" } }), json!({ "nodes": [{ "summary": "a" }] })),
        (
            json!({ "nodes": "[{\"summary\": \"a\", \"done\": \"true\"}]" }),
            json!({ "nodes": [{ "summary": "a", "done": true }] }),
        ),
        (
            json!({ "nodes": ["{\"summary\": 1, \"done\": null}"] }),
            json!({ "nodes": [{ "summary": "1" }] }),
        ),
        (json!({ "properties": "{\"a\": \"5\"}" }), json!({ "properties": { "a": "5" } })),
        (
            json!({ "properties": { "a": "true", "b": "[1]", "c": null } }),
            json!({ "properties": { "a": "true", "b": "[1]", "c": null } }),
        ),
        (json!({ "labels": { "a": "5" } }), json!({ "labels": { "a": 5 } })),
        (json!({ "value": "{\"a\": 1}" }), json!({ "value": "{\"a\": 1}" })),
    ] {
        assert_eq!(read(&schema(), sent.clone()).unwrap(), expected, "{sent}");
    }
}

#[test]
fn what_is_refused_is_named_with_what_is_allowed() {
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    for (sent, expected) in [
        (json!([1]), "`arguments` is [1]; it needs an object"),
        (json!("text"), "`arguments` is \"text\"; it needs an object"),
        (json!({ "limit": 5.5 }), "`limit` is 5.5; it needs a whole number"),
        (json!({ "limit": "five" }), "`limit` is \"five\"; it needs a whole number"),
        (json!({ "limit": 0 }), "`limit` is 0; allowed: 1 to 100"),
        (json!({ "limit": "1000" }), "`limit` is 1000; allowed: 1 to 100"),
        (json!({ "ratio": -1 }), "`ratio` is -1; allowed: 0.5 or more"),
        (json!({ "claim": "yes" }), "`claim` is \"yes\"; it needs true or false"),
        (json!({ "claim": 1 }), "`claim` is 1; it needs true or false"),
        (json!({ "summary": ["a"] }), "`summary` is [\"a\"]; it needs text"),
        (json!({ "summary": "äöüßäö" }), "`summary` has 6 characters; allowed: at most 5"),
        (json!({ "tags": [1, 2, 3, 4] }), "`tags` has 4 items; allowed: at most 3"),
        (
            json!({ "globs": "['a', 'b']" }),
            "`globs` seems to be a list written as text, and is not JSON: expected value at line 1 column 2",
        ),
        (
            json!({ "tags": "[\"a\", ]" }),
            "`tags` seems to be a list written as text, and is not JSON: trailing comma at line 1 column 7",
        ),
        (json!({ "tags": ["a", null] }), "`tags[1]` is null; it needs text"),
        (json!({ "title": null }), "`title` is null; it needs text"),
        (
            json!({ "sort": "dept" }),
            "`sort` is \"dept\", did you mean `depth`?; allowed: readiness, depth, NEW",
        ),
        (
            json!({ "nodes": [{ "summary": "a" }, {}] }),
            "`nodes[1].summary` is missing: text is required",
        ),
        (
            json!({ "nodes": [{ "summary": null }] }),
            "`nodes[0].summary` is missing: text is required",
        ),
        (
            json!({ "nodes": [{ "sumary": "a" }] }),
            "`nodes[0].sumary` is not a known field, did you mean `summary`? (allowed: summary, done)",
        ),
        (json!({ "properties": "text" }), "`properties` is \"text\"; it needs an object"),
        (json!({ "properties": { "a": deep } }), "`properties` is nested deeper than 64 levels"),
        (
            json!({ "summary": "a\0" }),
            "`summary` contains NUL or an unpaired surrogate; neither can be stored",
        ),
        (
            json!({ "value": [{ "a\0": 1 }] }),
            "`value[0]` contains NUL or an unpaired surrogate; neither can be stored",
        ),
        (
            json!({ "properties": { "a": ["b\0"] } }),
            "`properties.a[0]` contains NUL or an unpaired surrogate; neither can be stored",
        ),
    ] {
        assert_eq!(fault(sent.clone()).message, expected, "{sent}");
    }
}

#[test]
fn variants_of_a_known_name_are_suggested_and_not_accepted() {
    for name in ["parentRef", "ParentRef", "parent-ref", "PARENT_REF", "parent_rf"] {
        let fault = fault(json!({ name: "x" }));
        assert_eq!(fault.details.unwrap()["did_you_mean"], "parent_ref", "{name}");
    }
}

#[test]
fn messages_stay_short_whatever_was_sent() {
    let long = "x".repeat(100_000);
    let many: Vec<_> = (0..100_000).collect();
    for sent in [
        json!({ long.as_str(): 1 }),
        json!({ "limit": long }),
        json!({ "sort": long }),
        json!({ "summary": many }),
        json!({ "properties": { long.as_str(): "\0" } }),
    ] {
        let fault = fault(sent);
        assert!(serde_json::to_string(&fault).unwrap().len() < 2000);
    }
}

#[test]
fn a_tool_without_arguments_says_so() {
    let schema = json!({ "type": "object", "properties": {} });
    let error = read(&schema, json!({ "a": 1 })).unwrap_err();
    assert_eq!(error.into_fault("r").message, "`a` is not a known field (allowed: none)");
}
