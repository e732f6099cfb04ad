//! Properties: how they are merged and matched.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::{Fault, Result};

/// A free-form property bag, in the order it was written.
pub type Properties = Map<String, Value>;

/// Levels of nesting that a property value may have.
pub const MAX_DEPTH: usize = 64;

/// One field's value before and after a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Change {
    /// The field, or `properties.<key>`.
    pub field: String,
    /// Absent where there was nothing.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub before: Value,
    /// Absent where nothing is left.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub after: Value,
}

impl Change {
    /// A change of `field`.
    pub fn new(
        field: impl Into<String>,
        before: impl Into<Value>,
        after: impl Into<Value>,
    ) -> Self {
        Change { field: field.into(), before: before.into(), after: after.into() }
    }
}

/// Merges `patch` into `target`; null deletes a key. Answers what changed.
pub fn merge(target: &mut Properties, patch: &Properties) -> Vec<Change> {
    let mut changes = Vec::new();
    for (key, after) in patch {
        let before = target.get(key).cloned().unwrap_or(Value::Null);
        if before == *after {
            continue;
        }
        if after.is_null() {
            target.shift_remove(key);
        } else {
            target.insert(key.clone(), after.clone());
        }
        changes.push(Change::new(format!("properties.{key}"), before, after.clone()));
    }
    changes
}

/// One change of each field, from what it was to what it became; none of what became what it was.
pub fn net(changes: Vec<Change>) -> Vec<Change> {
    let mut net: Vec<Change> = Vec::with_capacity(changes.len());
    for change in changes {
        match net.iter_mut().find(|known| known.field == change.field) {
            Some(known) => known.after = change.after,
            None => net.push(change),
        }
    }
    net.retain(|change| change.before != change.after);
    net
}

/// Whether every key of `filter` is present with an equal value; null requires that the key is absent.
pub fn matches(properties: &Properties, filter: &Properties) -> bool {
    filter.iter().all(|(key, wanted)| match properties.get(key) {
        Some(value) => equal(value, wanted),
        None => wanted.is_null(),
    })
}

/// Exact and type-aware: 1 equals 1.0, and neither equals "1".
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => match (whole(a), whole(b)) {
            (None, None) => a.as_f64() == b.as_f64(),
            (a, b) => a == b,
        },
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => left == right,
    }
}

/// A text that equal values have in common, and no others: keys in order, numbers without their spelling.
pub fn canonical(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(",");
    match value {
        Value::Number(number) => {
            whole(number).map_or_else(|| number.to_string(), |whole| whole.to_string())
        }
        Value::Array(items) => format!("[{}]", list(items.iter().map(canonical).collect())),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            let field = |(key, value): (&String, &Value)| {
                format!("{}:{}", Value::from(key.as_str()), canonical(value))
            };
            format!("{{{}}}", list(fields.into_iter().map(field).collect()))
        }
        other => other.to_string(),
    }
}

/// A number without a fraction, exactly: as floating point 2^53 and 2^53 + 1 would be one.
fn whole(number: &Number) -> Option<i128> {
    if let Some(whole) = number.as_i128() {
        return Some(whole);
    }
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a float below 2^127 without a fraction fits"
    )]
    let exact = |float: f64| float as i128;
    number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 2_f64.powi(127)).map(exact)
}

/// Refuses a value nested deeper than [`MAX_DEPTH`]; walks without recursion.
pub fn check_depth(field: &str, value: &Value) -> Result<()> {
    let mut level = vec![value];
    for _ in 0..=MAX_DEPTH {
        let next: Vec<&Value> = level
            .into_iter()
            .flat_map(|value| match value {
                Value::Array(items) => items.iter().collect::<Vec<_>>(),
                Value::Object(fields) => fields.values().collect(),
                _ => Vec::new(),
            })
            .collect();
        if next.is_empty() {
            return Ok(());
        }
        level = next;
    }
    let problem = format!("is nested deeper than {MAX_DEPTH} levels");
    Err(Fault::invalid(field, problem).hint("store deep data in a file and link to it").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bag(value: Value) -> Properties {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn merge_replaces_adds_and_deletes() {
        let mut target = bag(json!({ "a": 1, "b": 2, "c": 3 }));
        let changes =
            merge(&mut target, &bag(json!({ "a": 1, "b": null, "c": 4, "d": 5, "e": null })));
        assert_eq!(Value::Object(target), json!({ "a": 1, "c": 4, "d": 5 }));
        let fields: Vec<_> = changes.iter().map(|change| change.field.as_str()).collect();
        assert_eq!(fields, ["properties.b", "properties.c", "properties.d"]);
    }

    #[test]
    fn match_is_exact_and_type_aware() {
        let properties = bag(json!({ "n": 1, "s": "1", "t": true, "o": { "x": [1, 2.0] } }));
        for (filter, expected) in [
            (json!({}), true),
            (json!({ "n": 1.0 }), true),
            (json!({ "n": "1" }), false),
            (json!({ "s": 1 }), false),
            (json!({ "t": "true" }), false),
            (json!({ "n": 1, "t": true }), true),
            (json!({ "n": 1, "t": false }), false),
            (json!({ "o": { "x": [1.0, 2] } }), true),
            (json!({ "missing": null }), true),
            (json!({ "n": null }), false),
        ] {
            assert_eq!(matches(&properties, &bag(filter.clone())), expected, "{filter}");
        }
    }

    #[test]
    fn equal_values_have_one_canonical_text() {
        for (left, right, expected) in [
            (json!([1, 2.0]), json!([1.0, 2]), true),
            (json!({ "a": 1, "b": [true] }), json!({ "b": [true], "a": 1.0 }), true),
            (json!(["1"]), json!([1]), false),
            (json!(["a,b"]), json!(["a", "b"]), false),
            (json!([0.1]), json!([0.10]), true),
            (json!([]), json!({}), false),
        ] {
            assert_eq!(equal(&left, &right), expected, "{left} {right}");
            assert_eq!(canonical(&left) == canonical(&right), expected, "{left} {right}");
        }
    }

    #[test]
    fn whole_numbers_are_compared_to_their_last_digit() {
        for (left, right, expected) in [
            (json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992_i64), false),
            (json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992.0), false),
            (json!(9_007_199_254_740_992_i64), json!(9_007_199_254_740_992.0), true),
            (json!(u64::MAX), json!(u64::MAX - 1), false),
            (json!(u64::MAX), json!(u64::MAX), true),
            (json!(u64::MAX), json!(18_446_744_073_709_551_616.0), false),
            (json!(i64::MIN), json!(-9_223_372_036_854_775_808.0), true),
            (json!(0), json!(-0.0), true),
            (json!(1e300), json!(1e300), true),
            (json!(1e300), json!(2e300), false),
            (json!(0.1), json!(0.1), true),
            (json!(1), json!(1.5), false),
        ] {
            assert_eq!(equal(&left, &right), expected, "{left} {right}");
            assert_eq!(equal(&right, &left), expected, "{right} {left}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nest = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert!(check_depth("properties", &nest(MAX_DEPTH)).is_ok());
        assert!(check_depth("properties", &nest(MAX_DEPTH + 1)).is_err());
    }
}
