//! What several domains' answers and arguments look like on the wire.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, value::RawValue};

use super::text;

/// A good answer of a tool whose seed has an envelope.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Envelope<T> {
    /// Always true here; a fault has false.
    pub success: bool,
    /// The answer.
    pub data: T,
}

impl<T> Envelope<T> {
    /// `data` in its envelope.
    pub fn new(data: T) -> Self {
        Envelope { success: true, data }
    }
}

/// For leaving a count out when there is nothing to count.
pub fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Keeps an explicit null apart from an absent field.
pub fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads null as nothing said, which is how some programs write what they leave out.
pub fn or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Reads ids without the whitespace around them that pasting leaves.
pub fn trimmed<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Trim,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Trim::trim)
}

/// What [`trimmed`] reads.
pub trait Trim {
    /// The same without whitespace around it.
    #[must_use]
    fn trim(self) -> Self;
}

impl Trim for String {
    fn trim(self) -> Self {
        str::trim(&self).to_owned()
    }
}

impl<T: Trim> Trim for Option<T> {
    fn trim(self) -> Self {
        self.map(Trim::trim)
    }
}

impl<T: Trim> Trim for Vec<T> {
    fn trim(self) -> Self {
        self.into_iter().map(Trim::trim).collect()
    }
}

/// What is wrong with an object on one line that could not be read: by its field, or else by the column. The reader's
/// own count of lines is of that one line, and would mislead.
pub fn unreadable(line: &str, error: &serde_json::Error) -> String {
    let said = without_place(error);
    let said = match (error.is_data(), field_at(line, error.column())) {
        (true, Some(field)) => format!("`{}`: {said}", text::shorten(&field, 80)),
        (true, None) => said,
        (false, _) => format!("{said} at column {}", error.column()),
    };
    text::shorten(&said, 300)
}

/// What a JSON error says, without the line and column that it ends with.
pub fn without_place(error: &serde_json::Error) -> String {
    let mut said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    said.truncate(said.len() - if said.ends_with(&place) { place.len() } else { 0 });
    said
}

/// The field of an object whose value a column is in.
fn field_at(line: &str, column: usize) -> Option<String> {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(line).ok()?;
    let is_in = |value: &RawValue| {
        let start = value.get().as_ptr() as usize - line.as_ptr() as usize;
        (start..=start + value.get().len()).contains(&column)
    };
    fields.into_iter().find(|(_, value)| is_in(value)).map(|(field, _)| field)
}

/// Whether a text anywhere in a value has a NUL, which SQLite would take for its end.
pub fn has_nul(value: &Value) -> bool {
    let mut values = vec![value];
    while let Some(value) = values.pop() {
        match value {
            Value::String(text) if text.contains('\0') => return true,
            Value::Object(fields) if fields.keys().any(|key| key.contains('\0')) => return true,
            Value::Array(items) => values.extend(items),
            Value::Object(fields) => values.extend(fields.values()),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Thing {
        #[serde(deserialize_with = "or_default")]
        name: String,
        on: bool,
        inner: Vec<Thing>,
    }

    #[test]
    fn what_cannot_be_read_is_told_by_its_field() {
        for (line, expected) in [
            (r#"{"name":"a","on":"no"}"#, "`on`: invalid type: string \"no\", expected a boolean"),
            (r#"{"name":7,"on":true}"#, "`name`: invalid type: integer `7`, expected a string"),
            (
                r#"{"inner":[{"name":"ü","on":1}]}"#,
                "`inner`: invalid type: integer `1`, expected a boolean",
            ),
            (r#"{"inner":{}}"#, "`inner`: invalid type: map, expected a sequence"),
            (r#"{"nam":"a"}"#, "unknown field `nam`, expected one of `name`, `on`, `inner`"),
            (r#"{"name":"a""#, "EOF while parsing an object at column 11"),
            (r#"{"name":x}"#, "expected value at column 9"),
        ] {
            let error = serde_json::from_str::<Thing>(line).unwrap_err();
            assert_eq!(unreadable(line, &error), expected, "{line}");
        }
        let read: Thing = serde_json::from_str(r#"{"name":null}"#).unwrap();
        assert_eq!((read.name.as_str(), read.on, read.inner.len()), ("", false, 0));
    }

    #[test]
    fn nul_is_found_wherever_it_hides() {
        for (value, found) in [
            (json!({ "a": "x" }), false),
            (json!({ "a": "x\0" }), true),
            (json!({ "a\0": 1 }), true),
            (json!({ "a": [{ "b": ["\0"] }] }), true),
        ] {
            assert_eq!(has_nul(&value), found, "{value}");
        }
    }
}
