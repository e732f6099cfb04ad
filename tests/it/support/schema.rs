//! Checks responses against the output schemas of their tools, which use a small part of JSON Schema.

use serde_json::{Map, Value};

/// Panics where `value` does not fit the schema, or the schema has a keyword that is not known here.
pub fn check(root: &Value, schema: &Value, value: &Value) {
    if let Err(problem) = fit(root, schema, value) {
        panic!("{problem}\nin {value}\nagainst {root}");
    }
}

fn fit(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    for (keyword, wanted) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "$ref" => {
                assert_eq!(wanted, "#", "the only reference");
                fit(root, root, value)?;
            }
            "type" => {
                let mut types =
                    wanted.as_array().map_or(vec![wanted], |all| all.iter().collect()).into_iter();
                if !types.any(|name| has_type(name, value)) {
                    return Err(format!("{value} is not of type {wanted}"));
                }
            }
            "enum" => {
                if !wanted.as_array().unwrap().contains(value) {
                    return Err(format!("{value} is not one of {wanted}"));
                }
            }
            "anyOf" => {
                let schemas = wanted.as_array().unwrap();
                if schemas.iter().all(|schema| fit(root, schema, value).is_err()) {
                    return Err(format!("{value} is none of {wanted}"));
                }
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    fit(root, wanted, item)?;
                }
            }
            "properties" => fields(root, value, |name| wanted.get(name))?,
            "patternProperties" => {
                let patterns: Vec<_> = wanted.as_object().unwrap().iter().collect();
                fields(root, value, |name| {
                    let mut found = patterns.iter().filter(|(pattern, _)| matches(pattern, name));
                    let schema = found.next().map(|(_, schema)| *schema);
                    assert!(found.next().is_none(), "{name} is in two patterns of {wanted}");
                    schema
                })?;
            }
            "additionalProperties" => {
                let free = Map::new();
                for value in value.as_object().unwrap_or(&free).values() {
                    fit(root, wanted, value)?;
                }
            }
            other => panic!("unknown keyword {other} in {schema}"),
        }
    }
    Ok(())
}

/// Each field of an object has to be known, and to fit: a field without a type would be one that the schema lost.
fn fields<'a>(
    root: &Value,
    value: &Value,
    schema_of: impl Fn(&str) -> Option<&'a Value>,
) -> Result<(), String> {
    for (name, value) in value.as_object().into_iter().flatten() {
        let schema = schema_of(name).ok_or_else(|| format!("the schema has no field {name}"))?;
        fit(root, schema, value).map_err(|problem| format!("{name}: {problem}"))?;
    }
    Ok(())
}

/// Whether a pattern such as `^(a|b|.*c)$` or `^a$` matches the name.
fn matches(pattern: &str, name: &str) -> bool {
    let names = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')).expect(pattern);
    let inner = names.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(names);
    let is_plain = |text: &str| text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    inner.split('|').any(|known| match known.strip_prefix(".*") {
        Some(ending) => is_plain(ending) && name.ends_with(ending),
        None => {
            assert!(is_plain(known), "{pattern} is not a list of names");
            known == name
        }
    })
}

fn has_type(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("unknown type {other}"),
    }
}
