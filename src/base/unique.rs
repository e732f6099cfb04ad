//! JSON in which no object has a key twice.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value, map::Entry};

use super::text::shorten;

/// Reads JSON that every parser understands in the same way.
pub fn from_str(json: &str) -> serde_json::Result<Value> {
    serde_json::from_str::<Unique>(json).map(|Unique(value)| value)
}

/// A value that is refused where a key is given twice: which of the two counts is nobody's to guess.
#[derive(Debug)]
pub struct Unique(pub Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Unique)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Unique(value))) = entries.next_entry::<String, Unique>()? {
            match map.entry(key) {
                Entry::Vacant(place) => place.insert(value),
                Entry::Occupied(place) => {
                    let key = shorten(place.key(), 80);
                    return Err(A::Error::custom(format!("`{key}` is given twice")));
                }
            };
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_counts_once_at_every_depth() {
        for json in [
            "null",
            "[]",
            r#"{"a":[1,-2,2.5,1e3,18446744073709551615,"x",true,null,{"a":{"a":1}}],"b":{}}"#,
        ] {
            assert_eq!(from_str(json).unwrap(), serde_json::from_str::<Value>(json).unwrap());
        }
        for json in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"c":2,"a":3}}]"#, r#"{"a":1,"\u0061":2}"#]
        {
            let problem = from_str(json).unwrap_err().to_string();
            assert!(problem.contains("`a` is given twice at line 1"), "{problem}");
        }
        assert!(from_str(r#"{"a":1"#).is_err());
    }
}
