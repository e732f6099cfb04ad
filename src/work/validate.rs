//! What a node may hold, checked once on the way in.

use serde_json::Value;

use super::types::{CLAIMED_AT, CLAIMED_BY, NewEvidence, PRIORITY, limits};
use crate::base::{
    Result,
    props::{self, Properties},
    text,
};

/// A summary, trimmed.
pub(super) fn summary(field: &str, summary: &str) -> Result<String> {
    text::bounded(field, summary, limits::TEXT)
}

/// Free-form properties, small and shallow enough to be read completely.
///
/// The claim does not count, so that a node whose properties are full can be claimed and resolved.
pub(super) fn properties(field: &str, properties: &Properties) -> Result<()> {
    let own = properties.iter().filter(|(key, value)| !is_claim(key, value));
    json(field, &Value::Object(own.map(|(key, value)| (key.clone(), value.clone())).collect()))
}

/// One half of a claim, as the engine writes it; anything longer is a property like any other.
fn is_claim(key: &str, value: &Value) -> bool {
    [CLAIMED_BY, CLAIMED_AT].contains(&key)
        && value.as_str().is_some_and(|text| text.len() <= 2 * limits::WORD)
}

/// Any JSON value within the bounds.
pub(super) fn json(field: &str, value: &Value) -> Result<()> {
    props::check_depth(field, value)?;
    text::check_size(field, value.to_string().len(), limits::JSON)
}

/// Links, trimmed and each once, in the order given.
pub(super) fn links(field: &str, links: &[String]) -> Result<Vec<String>> {
    // First of all: what follows compares each with each.
    text::check_count(field, links.len(), limits::LINKS)?;
    let mut distinct: Vec<String> = Vec::with_capacity(links.len());
    for (index, link) in links.iter().enumerate() {
        let link = text::bounded(&format!("{field}[{index}]"), link, limits::LINK)?;
        if !distinct.contains(&link) {
            distinct.push(link);
        }
    }
    Ok(distinct)
}

/// Evidence, trimmed.
pub(super) fn evidence(field: &str, evidence: &NewEvidence) -> Result<NewEvidence> {
    Ok(NewEvidence {
        r#type: text::bounded(&format!("{field}.type"), &evidence.r#type, limits::WORD)?,
        r#ref: text::bounded(&format!("{field}.ref"), &evidence.r#ref, limits::TEXT)?,
    })
}

/// `properties.priority` as ranking reads it: a number, or text that is one; else 0.
pub(super) fn priority(properties: &Properties) -> f64 {
    let number = match properties.get(PRIORITY) {
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn priority_is_a_number_or_text_that_is_one() {
        for (value, expected) in [
            (json!({}), 0.0),
            (json!({ "priority": 3 }), 3.0),
            (json!({ "priority": -1.5 }), -1.5),
            (json!({ "priority": " 7 " }), 7.0),
            (json!({ "priority": "high" }), 0.0),
            (json!({ "priority": "inf" }), 0.0),
            (json!({ "priority": true }), 0.0),
            (json!({ "priority": [9] }), 0.0),
        ] {
            assert_eq!(priority(value.as_object().unwrap()), expected, "{value}");
        }
    }
}
