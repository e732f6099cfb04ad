//! Reads the parts of a response.

use serde_json::Value;

#[track_caller]
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text")).to_owned()
}

#[track_caller]
pub fn items(list: &Value) -> &[Value] {
    list.as_array().unwrap_or_else(|| panic!("{list} is not a list"))
}

/// The texts of a list of texts.
#[track_caller]
pub fn texts(list: &Value) -> Vec<&str> {
    items(list).iter().map(|item| item.as_str().unwrap()).collect()
}

/// The text in `field` of each item of a list.
#[track_caller]
pub fn each<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    items(list).iter().map(|item| item[field].as_str().unwrap()).collect()
}

/// Adds fields to an object, in place of those of the same name.
pub fn extend(object: &mut Value, more: Value) {
    let Value::Object(more) = more else { panic!("{more} is not an object") };
    object.as_object_mut().unwrap().extend(more);
}

/// The rows of a table: one a line, with ` | ` between its cells.
pub fn table<const N: usize>(text: &str) -> Vec<[&str; N]> {
    let rows = text.lines().map(str::trim).filter(|row| !row.is_empty());
    let cells = |row: &'_ str| row.split(" | ").count();
    rows.inspect(|row| assert_eq!(cells(row), N, "cells of {row}"))
        .map(|row| row.split(" | ").collect::<Vec<_>>().try_into().unwrap())
        .collect()
}
