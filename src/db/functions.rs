//! SQL functions that apply rules of `base` in a query.

use rusqlite::{Connection, functions::FunctionFlags};
use serde_json::Value;

use crate::base::{Result, props, text};

/// Registers the functions on a new connection.
pub(super) fn register(conn: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;

    // fold(text): the case-folded text, for substring search of needles too short for trigrams.
    conn.create_scalar_function("fold", 1, flags, |ctx| Ok(text::fold(ctx.get_raw(0).as_str()?)))?;

    // props_match(properties, filter): whether a JSON object fulfils the filter.
    conn.create_scalar_function("props_match", 2, flags, |ctx| {
        let filter = ctx.get_or_create_aux(1, |value| {
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(serde_json::from_str::<Value>(
                value.as_str()?,
            )?)
        })?;
        let properties: Value = serde_json::from_str(ctx.get_raw(0).as_str()?)
            .map_err(|error| rusqlite::Error::UserFunctionError(error.into()))?;
        Ok(match (&properties, &*filter) {
            (Value::Object(properties), Value::Object(filter)) => {
                props::matches(properties, filter)
            }
            _ => false,
        })
    })?;
    Ok(())
}
