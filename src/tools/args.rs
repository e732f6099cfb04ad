//! The one lenient argument reader, driven by a tool's own schema.
//!
//! Models send `"5"` for 5, `"true"`, lists and objects as JSON text, one value where a list is
//! expected. Those are accepted; what is left is exactly what the schema says, so that the tool's
//! type can be read strictly. A misspelt field is refused, never ignored. Inside free-form values
//! nothing is touched: there, `"5"` is what the caller wants to store.
//!
//! An object schema with `properties` is closed, one without is free.

use serde_json::{Map, Value, json};

use super::{
    complaint::{Path, main_type, missing, mistyped, not_allowed, out_of_range, unknown_field},
    input::{CSV, GLOB},
    json,
};
use crate::base::{Result, props};

/// Reads the arguments of a call by the tool's input schema; null means none.
pub(super) fn read(schema: &Value, mut arguments: Value) -> Result<Value> {
    if arguments.is_null() {
        arguments = json!({});
    }
    read_value(schema, &mut arguments, &Path::Root)?;
    Ok(arguments)
}

fn read_value(schema: &Value, value: &mut Value, path: &Path<'_>) -> Result<()> {
    if value.is_null() && allows_null(schema) {
        return Ok(());
    }
    match schema.get("type").and_then(main_type) {
        Some("object") => read_object(schema, value, path),
        Some("array") => read_array(schema, value, path),
        Some("string") => read_string(schema, value, path),
        Some("integer") => read_integer(schema, value, path),
        Some("number") => read_number(schema, value, path),
        Some("boolean") => read_boolean(schema, value, path),
        _ => check_free(value, path),
    }
}

fn has_format(schema: &Value, format: &str) -> bool {
    schema.get("format").is_some_and(|named| named == format)
}

fn allows_null(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
        Some(_) => false,
        None => true,
    }
}

fn read_object(schema: &Value, value: &mut Value, path: &Path<'_>) -> Result<()> {
    if let Value::String(written) = value
        && let Ok(parsed @ Value::Object(_)) = json::parse(written)
    {
        *value = parsed;
    }
    if !value.is_object() {
        return Err(mistyped(path, schema, value));
    }
    match (schema.get("properties"), &mut *value) {
        (Some(Value::Object(known)), Value::Object(fields)) => {
            read_closed(schema, known, fields, path)
        }
        _ => read_open(schema, value, path),
    }
}

/// An object whose fields the schema names. Unknown ones come first: a misspelt required field is
/// better called misspelt than missing.
fn read_closed(
    schema: &Value,
    known: &Map<String, Value>,
    fields: &mut Map<String, Value>,
    path: &Path<'_>,
) -> Result<()> {
    if let Some(name) = fields.keys().find(|name| !known.contains_key(*name)) {
        return Err(unknown_field(path, name, known));
    }
    let keeps_null = |field: &Value| allows_null(field) || field.get("nullable").is_some();
    fields.retain(|name, value| !value.is_null() || known.get(name).is_some_and(keeps_null));
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            let field = known.get(name).unwrap_or(&Value::Null);
            return Err(missing(&Path::Field(path, name), field));
        }
    }
    for (name, value) in fields {
        if let Some(field) = known.get(name) {
            read_value(field, value, &Path::Field(path, name))?;
        }
    }
    Ok(())
}

/// An object with free keys; only a schema for their values is checked.
fn read_open(schema: &Value, value: &mut Value, path: &Path<'_>) -> Result<()> {
    check_free(value, path)?;
    if let Some(each @ Value::Object(_)) = schema.get("additionalProperties")
        && let Value::Object(fields) = value
    {
        for (name, value) in fields {
            read_value(each, value, &Path::Field(path, name))?;
        }
    }
    Ok(())
}

fn read_array(schema: &Value, value: &mut Value, path: &Path<'_>) -> Result<()> {
    if value.is_null() {
        return Err(mistyped(path, schema, value));
    }
    let each = schema.get("items").unwrap_or(&Value::Null);
    if let Value::String(written) = value {
        match json::parse(written) {
            Ok(parsed @ Value::Array(_)) => *value = parsed,
            // One glob is a list of one, but JSON that is no list is a mistake.
            Ok(_) if has_format(each, GLOB) => return Err(mistyped(path, schema, value)),
            // Stored as one item, no search would find it, and the caller would not notice.
            Err(problem) if seems_a_list(written) => {
                let problem = format!("seems to be a list written as text, and is {problem}");
                return Err(path.fault(problem).hint("send a JSON list of texts").into());
            }
            Err(_) if has_format(each, GLOB) => {
                *value = split_globs(written).into_iter().map(Value::from).collect();
            }
            _ if has_format(schema, CSV) => {
                let parts = written.split(',').map(str::trim).filter(|part| !part.is_empty());
                *value = parts.map(Value::from).collect();
            }
            _ => {}
        }
    }
    if !value.is_array() {
        *value = Value::Array(vec![value.take()]);
    }
    let Value::Array(items) = value else {
        return Ok(());
    };
    let bound = |key| schema.get(key).and_then(Value::as_u64);
    let count = items.len() as u64;
    let received = || format!("has {count} items");
    check_bounds(path, received, count, bound("minItems"), bound("maxItems"))?;
    for (index, item) in items.iter_mut().enumerate() {
        read_value(each, item, &Path::Item(path, index))?;
    }
    Ok(())
}

/// Whether a text begins like a JSON list of texts.
fn seems_a_list(written: &str) -> bool {
    let inside = written.trim_start().strip_prefix('[').map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with(['"', '\'']))
}

/// Globs in one text, separated by line breaks, or by commas with a space after them outside of braces.
fn split_globs(written: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut space_follows = written.chars().skip(1).map(char::is_whitespace);
    let ends = |letter: char| {
        let before_space = space_follows.next().unwrap_or(false);
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == '\n' || (letter == ',' && depth == 0 && before_space)
    };
    let globs: Vec<&str> =
        written.split(ends).map(str::trim).filter(|glob| !glob.is_empty()).collect();
    if globs.is_empty() { vec![written] } else { globs }
}

fn read_string(schema: &Value, value: &mut Value, path: &Path<'_>) -> Result<()> {
    let mut written = match value {
        Value::String(written) => {
            check_nul(written, path)?;
            std::mem::take(written)
        }
        Value::Number(number) if !has_format(schema, GLOB) => number.to_string(),
        Value::Bool(yes) if !has_format(schema, GLOB) => yes.to_string(),
        _ => return Err(mistyped(path, schema, value)),
    };
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        let mut names = allowed.iter().filter_map(Value::as_str);
        // Exact first: two allowed names may differ in case alone.
        let found = names.clone().find(|name| *name == written);
        let found = found.or_else(|| names.find(|name| name.eq_ignore_ascii_case(written.trim())));
        match found {
            Some(name) => written = name.to_owned(),
            None => return Err(not_allowed(path, written, allowed)),
        }
    }
    let bound = |key| schema.get(key).and_then(Value::as_u64);
    let (least, most) = (bound("minLength"), bound("maxLength"));
    if least.is_some() || most.is_some() {
        let length = written.chars().count() as u64;
        let received = || format!("has {length} characters");
        check_bounds(path, received, length, least, most)?;
    }
    *value = Value::String(written);
    Ok(())
}

fn read_integer(schema: &Value, value: &mut Value, path: &Path<'_>) -> Result<()> {
    let whole = match value {
        Value::Number(number) => json::whole(number),
        Value::String(written) => written.trim().parse().ok().as_ref().and_then(json::whole),
        _ => None,
    };
    match whole {
        Some(number) => *value = Value::Number(number),
        None => return Err(mistyped(path, schema, value)),
    }
    check_range(schema, value, path)
}

fn read_number(schema: &Value, value: &mut Value, path: &Path<'_>) -> Result<()> {
    if let Value::String(written) = value
        && let Ok(number) = written.trim().parse()
    {
        *value = Value::Number(number);
    }
    if !value.is_number() {
        return Err(mistyped(path, schema, value));
    }
    check_range(schema, value, path)
}

fn check_range(schema: &Value, value: &Value, path: &Path<'_>) -> Result<()> {
    let bound = |key| schema.get(key).and_then(Value::as_f64);
    let number = value.as_f64().unwrap_or_default();
    let received = || format!("is {value}");
    check_bounds(path, received, number, bound("minimum"), bound("maximum"))
}

fn check_bounds<N: PartialOrd + std::fmt::Display>(
    path: &Path<'_>,
    received: impl Fn() -> String,
    number: N,
    least: Option<N>,
    most: Option<N>,
) -> Result<()> {
    let below = least.as_ref().is_some_and(|least| number < *least);
    let above = most.as_ref().is_some_and(|most| number > *most);
    if below || above {
        return Err(out_of_range(path, received(), least, most));
    }
    Ok(())
}

fn read_boolean(schema: &Value, value: &mut Value, path: &Path<'_>) -> Result<()> {
    let written = match value {
        Value::Bool(_) => return Ok(()),
        Value::String(written) => written.trim(),
        _ => return Err(mistyped(path, schema, value)),
    };
    let yes = written.eq_ignore_ascii_case("true");
    if !yes && !written.eq_ignore_ascii_case("false") {
        return Err(mistyped(path, schema, value));
    }
    *value = Value::Bool(yes);
    Ok(())
}

/// A value without a schema: bounded in depth, and storable.
fn check_free(value: &Value, path: &Path<'_>) -> Result<()> {
    if matches!(value, Value::Array(_) | Value::Object(_)) {
        props::check_depth(&path.name(), value)?;
    }
    check_free_text(value, path)
}

/// Recursion is safe here: the depth was checked before.
fn check_free_text(value: &Value, path: &Path<'_>) -> Result<()> {
    match value {
        Value::String(written) => check_nul(written, path),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| check_free_text(item, &Path::Item(path, index))),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            check_nul(name, path)?;
            check_free_text(value, &Path::Field(path, name))
        }),
        _ => Ok(()),
    }
}

/// SQLite would cut the text at NUL in places, and half a pair is no character at all.
fn check_nul(written: &str, path: &Path<'_>) -> Result<()> {
    if written.contains('\0') {
        let problem = "contains NUL or an unpaired surrogate; neither can be stored";
        return Err(path.fault(problem).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
