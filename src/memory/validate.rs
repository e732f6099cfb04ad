//! What a node or a connection may contain.

use serde_json::Value;

use super::types::limits;
use crate::base::{Fault, Result, props::Properties, text};

/// A type's name, a format or a property's key, trimmed.
pub(super) fn name(field: &str, name: &str) -> Result<String> {
    text::bounded(field, name, limits::NAME)
}

/// Properties of a query: as those of a node, and few.
pub(super) fn filter(field: &str, wanted: &Properties) -> Result<()> {
    text::check_count(field, wanted.len(), limits::FILTER)?;
    properties(field, wanted)
}

/// Properties of a node, of a connection or of a filter: flat and small.
pub(super) fn properties(field: &str, properties: &Properties) -> Result<()> {
    for (key, value) in properties {
        if key.is_empty() {
            return Err(Fault::invalid(field, "has a property without a name").into());
        }
        let property = format!("{field}.{}", text::shorten(key, 80));
        text::check_size(&property, key.len(), limits::NAME)?;
        let received = match value {
            Value::String(_) | Value::Bool(_) => continue,
            Value::Number(number) if number.as_f64().is_some_and(f64::is_finite) => continue,
            Value::Number(_) => "a number that is not finite",
            Value::Null => "null",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        let problem = format!("is {received}; a property is text, a number, true or false");
        return Err(Fault::invalid(&property, problem)
            .hint("leave a property out to create a thing without it, or to keep it in an update; put nested data into the content")
            .into());
    }
    let size = serde_json::to_string(properties)?.len();
    text::check_size(field, size, limits::PROPERTIES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn properties_are_flat() {
        for (value, problem) in [
            (json!({}), None),
            (json!({ "s": "", "n": -1.5, "b": false, "big": u64::MAX }), None),
            (json!({ "x": null }), Some("`properties.x` is null")),
            (json!({ "ok": 1, "x": [1] }), Some("`properties.x` is a list")),
            (json!({ "x": { "y": 1 } }), Some("`properties.x` is an object")),
            (json!({ "": 1 }), Some("without a name")),
            (json!({ "k".repeat(201): 1 }), Some("201 bytes")),
            (json!({ "x": "y".repeat(limits::PROPERTIES) }), Some("at most 65536")),
        ] {
            let found = properties("properties", value.as_object().unwrap())
                .err()
                .map(|error| error.into_fault("r").message);
            match (found, problem) {
                (None, None) => {}
                (Some(found), Some(problem)) => assert!(found.contains(problem), "{found}"),
                (found, _) => panic!("{value}: {found:?}"),
            }
        }
    }
}
