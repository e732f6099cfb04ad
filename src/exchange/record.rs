//! A record: one stored thing as one line of an export.

use std::collections::BTreeMap;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{
    base::{Fault, Result, Timestamp, props::Change, text, wire},
    db::UPDATED_BY,
};

/// The highest version: every reader of JSON keeps it exactly.
const LAST_VERSION: i64 = 1 << 53;
/// Bytes of the name of an author.
const NAME: usize = 1 << 10;

/// What decides between two records of one thing, from the left: the higher version, then the newer, then whose name
/// sorts last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp<'a> {
    /// The number of changes; 1 if the domain does not count them.
    pub version: i64,
    pub updated_at: Timestamp,
    pub updated_by: &'a str,
}

impl Stamp<'_> {
    /// Refuses what an export could not have written.
    pub fn check(&self) -> Result<()> {
        if !(1..=LAST_VERSION).contains(&self.version) {
            let problem = format!("is {}; allowed: 1 to {LAST_VERSION}", self.version);
            return Err(Fault::invalid("version", problem).into());
        }
        text::bounded("updated_by", self.updated_by, NAME).map(|_| ())
    }
}

/// A thing as one line of an export; defined by `record!`.
pub trait Record: Serialize + DeserializeOwned {
    /// Domain and kind: `work.node`.
    const TYPE: &'static str;

    /// Whether the domain counts its changes.
    const COUNTED: bool;

    /// Its name among those of its type.
    fn id(&self) -> &str;

    /// What decides between it and another of that name.
    fn stamp(&self) -> Stamp<'_>;
}

/// Defines a record: first the fields of every record in a fixed order, then its own fields. The type is followed by
/// `counted` if the domain counts versions.
macro_rules! record {
    ($(#[$about:meta])* $name:ident = $type:literal $($counted:ident)? { $($(#[$of_field:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            pub r#type: String,
            pub id: String,
            pub version: i64,
            pub updated_at: $crate::base::Timestamp,
            pub updated_by: String,
            $($(#[$of_field])* pub $field: $kind,)*
        }

        impl $crate::exchange::Record for $name {
            const TYPE: &'static str = $type;
            const COUNTED: bool = !stringify!($($counted)?).is_empty();

            fn id(&self) -> &str {
                &self.id
            }

            fn stamp(&self) -> $crate::exchange::Stamp<'_> {
                let (version, updated_at) = (self.version, self.updated_at);
                $crate::exchange::Stamp { version, updated_at, updated_by: &self.updated_by }
            }
        }
    };
}

pub(crate) use record;

/// Refuses a version of a type that has no versions.
pub fn check_version<R: Record>(record: &R) -> Result<()> {
    let version = record.stamp().version;
    if R::COUNTED || version == 1 {
        return Ok(());
    }
    let problem = format!("is {version}; {} has no versions, so that it must be 1", R::TYPE);
    Err(Fault::invalid("version", problem).into())
}

/// The line of a record: equal content gives equal bytes.
pub fn line<R: Record>(record: &R) -> Result<String> {
    let fields = sorted_inside(serde_json::to_value(record)?);
    Ok(serde_json::to_string(&fields)?)
}

/// Sorts the keys below the first level; those of the record itself have a fixed order.
fn sorted_inside(record: Value) -> Value {
    match record {
        Value::Object(fields) => {
            fields.into_iter().map(|(key, value)| (key, sorted(value))).collect()
        }
        other => other,
    }
}

/// The same value with sorted keys. Stored values are shallow enough for this recursion.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(fields) => {
            let fields: BTreeMap<String, Value> =
                fields.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            Value::Object(fields.into_iter().collect())
        }
        other => other,
    }
}

/// The changes that an event contains, with properties one by one. The author is always included: `db::author` reads it
/// there.
pub fn changes<R: Record>(before: Option<&R>, after: &R) -> Result<Vec<Change>> {
    let before = before.map_or(Ok(Map::new()), fields)?;
    let after_fields = fields(after)?;
    let gone = before.iter().filter(|(field, _)| !after_fields.contains_key(*field));
    let mut changes: Vec<Change> =
        gone.map(|(field, value)| Change::new(field.clone(), value.clone(), ())).collect();
    for (field, value) in after_fields {
        let was = before.get(&field).cloned().unwrap_or_default();
        if was != value {
            changes.push(Change::new(field, was, value));
        }
    }
    let stamp = after.stamp();
    changes.push(Change::new(UPDATED_BY, (), stamp.updated_by));
    Ok(changes)
}

fn fields<R: Record>(record: &R) -> Result<Map<String, Value>> {
    let mut told = Map::new();
    let Value::Object(fields) = serde_json::to_value(record)? else {
        return Ok(told);
    };
    for (field, value) in fields {
        match (field.as_str(), value) {
            ("type" | "id" | UPDATED_BY | "order", _) | (_, Value::Null) => {}
            ("properties", Value::Object(properties)) => {
                told.extend(
                    properties.into_iter().map(|(key, value)| (format!("properties.{key}"), value)),
                );
            }
            (_, value) => _ = told.insert(field, value),
        }
    }
    Ok(told)
}

/// Refuses NUL in a record, except in its content: SQLite would take it for the end of a text.
pub fn check_text<R: Record>(record: &R) -> Result<()> {
    let Value::Object(fields) = serde_json::to_value(record)? else {
        return Ok(());
    };
    let bad = fields.iter().find(|(field, value)| *field != "content" && wire::has_nul(value));
    match bad {
        Some((field, _)) => {
            Err(Fault::invalid(field, "contains NUL, which no text may contain").into())
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    record! {
        Thing = "test.thing" counted {
            #[serde(default, skip_serializing_if = "Map::is_empty")]
            properties: Map<String, Value>,
        }
    }

    fn thing(version: i64, at: i64, by: &str, properties: Value) -> Thing {
        Thing {
            r#type: Thing::TYPE.to_owned(),
            id: "t".to_owned(),
            version,
            updated_at: Timestamp::from_millis(at),
            updated_by: by.to_owned(),
            properties: properties.as_object().cloned().unwrap_or_default(),
        }
    }

    #[test]
    fn equal_content_is_an_equal_line() {
        let one = thing(1, 0, "m", json!({ "b": { "y": 1, "x": 2 }, "a": [{ "d": 1, "c": 2 }] }));
        let two = thing(1, 0, "m", json!({ "a": [{ "c": 2, "d": 1 }], "b": { "x": 2, "y": 1 } }));
        assert_eq!(line(&one).unwrap(), line(&two).unwrap());
        assert_eq!(
            line(&one).unwrap(),
            "{\"type\":\"test.thing\",\"id\":\"t\",\"version\":1,\"updated_at\":\"1970-01-01T00:00:00.000Z\",\
             \"updated_by\":\"m\",\"properties\":{\"a\":[{\"c\":2,\"d\":1}],\"b\":{\"x\":2,\"y\":1}}}"
        );
    }

    #[test]
    fn nul_is_refused_by_its_field() {
        assert!(check_text(&thing(1, 0, "m", json!({ "a": "x" }))).is_ok());
        let refused = check_text(&thing(1, 0, "m", json!({ "a": "x\0" }))).unwrap_err();
        assert!(refused.to_string().contains("`properties` contains NUL"), "{refused}");
    }
}
