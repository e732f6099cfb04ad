//! JSON values as columns that SQLite compares, for an index of properties.

use rusqlite::types::Value as Sql;
use serde_json::Value;

/// The kind of a value and the value that SQLite compares; none for null, arrays and objects.
pub(crate) fn scalar(value: &Value) -> Option<(&'static str, Sql)> {
    match value {
        Value::Bool(yes) => Some(("boolean", Sql::Integer((*yes).into()))),
        Value::Number(number) => {
            let whole = number.as_i64().map(Sql::Integer);
            let number = whole.unwrap_or_else(|| Sql::Real(number.as_f64().unwrap_or_default()));
            Some(("number", number))
        }
        Value::String(text) => Some(("string", Sql::Text(text.clone()))),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whether the column stores the value as a float that other whole numbers share: SQLite's integers end at 2^63.
pub(crate) fn is_rounded(value: &Value) -> bool {
    value.is_number() && value.as_i64().is_none() && value.as_f64() >= Some(2_f64.powi(63))
}
