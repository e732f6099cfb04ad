//! What a fact may hold, checked once on the way in: from a tool, and from a file.

use serde_json::Value;

use super::types::limits;
use crate::base::{
    Fault, Result,
    props::Properties,
    text::{self, shorten},
};

/// An id: letters, digits and `._:/-`.
pub(super) fn id(field: &str, id: &str) -> Result<()> {
    check_id(id).map_err(|problem| Fault::invalid(field, problem).into())
}

/// Refuses what cannot be an id; the reason continues a sentence that begins with the id.
pub(super) fn check_id(id: &str) -> std::result::Result<(), String> {
    match id.chars().count() {
        0 => Err("is empty: it needs an id".to_owned()),
        length if length > limits::ID => {
            Err(format!("has {length} characters; at most {} are allowed", limits::ID))
        }
        _ => match id.chars().find(|&letter| !is_id_letter(letter)) {
            Some(letter) => {
                let id = shorten(id, 80);
                Err(format!(
                    "is {id:?}, which contains {letter:?}; allowed are letters, digits and `._:/-`"
                ))
            }
            None => Ok(()),
        },
    }
}

fn is_id_letter(letter: char) -> bool {
    letter.is_alphanumeric() || "._:/-".contains(letter)
}

/// A title: one line, trimmed.
pub(super) fn title(field: &str, title: &str) -> Result<String> {
    line(field, title, limits::TEXT)
}

/// A status, an owner, a source: one short line, trimmed.
pub(super) fn word(field: &str, word: &str) -> Result<String> {
    line(field, word, limits::WORD)
}

/// A path or URL, trimmed.
pub(super) fn link(field: &str, link: &str) -> Result<String> {
    line(field, link, limits::LINK)
}

/// Text that is shown among other text: a control character would change the text around it.
fn line(field: &str, text: &str, max: usize) -> Result<String> {
    let text = text::bounded(field, text, max)?;
    match text.chars().find(|letter| letter.is_control()) {
        Some(letter) => {
            let problem = format!("has the control character {letter:?}; use one plain line");
            Err(Fault::invalid(field, problem).into())
        }
        None => Ok(text),
    }
}

/// Tags or URLs, each once, in the order given.
pub(super) fn list(
    field: &str,
    items: &[String],
    check: fn(&str, &str) -> Result<String>,
) -> Result<Vec<String>> {
    // First of all: what follows compares each with each.
    text::check_count(field, items.len(), limits::LIST)?;
    let mut distinct: Vec<String> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let item = check(&format!("{field}[{index}]"), item)?;
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    Ok(distinct)
}

/// Flat properties: values, or lists of values, but nothing inside them.
pub(super) fn properties(field: &str, properties: &Properties) -> Result<()> {
    for (key, value) in properties {
        let flat = match value {
            Value::Object(_) => false,
            Value::Array(items) => items.iter().all(|item| !item.is_array() && !item.is_object()),
            _ => true,
        };
        if !flat {
            let key = shorten(key, 80);
            let problem =
                "is nested: a property is a text, a number, true, false or a list of those";
            return Err(Fault::invalid(&format!("{field}.{key}"), problem).into());
        }
    }
    text::check_size(field, serde_json::to_string(properties)?.len(), limits::JSON)
}

/// A confidence, from 0 to 1.
pub(super) fn confidence(field: &str, confidence: Option<f64>) -> Result<()> {
    match confidence {
        Some(number) if !(0.0..=1.0).contains(&number) => {
            Err(Fault::invalid(field, format!("is {number}; allowed is 0 to 1")).into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids() {
        for (text, expected) in [
            ("REQ-1", true),
            ("src/a.rs::parse_args", true),
            ("größe.1", true),
            (&"ü".repeat(200), true),
            (&"ü".repeat(201), false),
            ("", false),
            ("a b", false),
            ("a\nb", false),
            ("a#b", false),
            ("a'b", false),
        ] {
            assert_eq!(id("id", text).is_ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn titles_words_and_links_are_plain_lines() {
        for text in ["a\0b", "a\u{1b}[31mb", "a\nb", "a\tb", "a\u{85}b"] {
            for check in [title, word, link] {
                let fault = check("title", text).unwrap_err().into_fault("r");
                assert!(fault.message.contains("has the control character"), "{text:?}: {fault}");
            }
        }
        assert_eq!(title("title", " a – b\n").unwrap(), "a – b");
    }

    #[test]
    fn properties_are_flat() {
        for (value, expected) in [
            (json!({ "a": 1, "b": "x", "c": true, "d": null, "e": ["x", 1] }), true),
            (json!({ "a": {} }), false),
            (json!({ "a": [[1]] }), false),
            (json!({ "a": [{ "b": 1 }] }), false),
            (json!({ "a": "x".repeat(20_000) }), false),
        ] {
            let flat = properties("properties", value.as_object().unwrap());
            assert_eq!(flat.is_ok(), expected, "{value}");
        }
    }
}
