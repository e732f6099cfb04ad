//! Arguments that a tool's schema allows, or nearly.

use serde_json::{Map, Value, json};

use crate::torture::rng::Rng;

/// Texts with a meaning: ids that exist, and known problem cases.
pub const TEXTS: &[&str] = &[
    "",
    " ",
    "p",
    "a",
    "alpha",
    "Note",
    "About",
    "req",
    "REQ-1",
    "main",
    "n_0000000001",
    "n_0000000002",
    "n_0000000007",
    "mem_0000000003",
    "conn_0000000005",
    "src/a.rs",
    "src/**",
    "*.rs",
    "./src//a.rs",
    "../../etc/passwd",
    "/etc/passwd",
    "C:\\x",
    "..",
    "{a,b",
    "[!",
    "[z-a]",
    "**{",
    "\\",
    "{{{{{{{{{{{{{{{{{{{{{{",
    "a/**/**/**/**/b",
    "\u{1b}[31mred",
    "\u{202e}txt",
    "\u{feff}",
    "\u{0}",
    "a\nb\r\nc",
    "\t",
    "\"",
    "'; DROP TABLE events; --",
    "NEAR(a b)",
    "a\" OR \"b",
    "*",
    "%s%n%x",
    "{}",
    "{0}",
    "${HOME}",
    "$(id)",
    "null",
    "true",
    "5",
    "-1",
    "1e999",
    "99999999999999999999",
    "0x10",
    "NaN",
    "[1,2]",
    "{\"a\":1}",
    "2026-01-01T00:00:00.000Z",
    "2026-02-30T25:61:61Z",
    "yesterday",
    "ẞßſıİ",
    "e\u{301}",
    "𝕏🧨",
    "create",
    "update",
    "delete",
    "atom",
    "molecule",
    "task",
    "depends_on",
    "base64",
    "utf-8",
    "====",
    "YQ==",
    "eyJhIjoxfQ",
    "graph://node/n_0000000001",
    "relates_to",
    "specified_by",
    "must",
    "draft",
    "move",
    "merge",
    "drop",
];

pub fn text(rng: &mut Rng) -> String {
    let word = *rng.pick(TEXTS);
    match rng.below(40) {
        0 => word.repeat(1 + rng.below(2_000)),
        1 => format!("{word}{}", rng.pick(TEXTS)),
        2 => {
            (0..rng.below(30)).filter_map(|_| char::from_u32(rng.below(0x11_0000) as u32)).collect()
        }
        _ => word.to_owned(),
    }
}

pub fn number(rng: &mut Rng) -> Value {
    match rng.below(12) {
        0 => json!(i64::MAX),
        1 => json!(i64::MIN),
        2 => json!(u64::MAX),
        3 => json!(1e308),
        4 => json!(-0.0),
        5 => json!(0.1),
        6 => json!(1e18),
        _ => json!(rng.below(20) as i64 - 3),
    }
}

/// Any value.
pub fn anything(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth == 0 { 5 } else { 8 }) {
        0 => Value::Null,
        1 => json!(rng.once_in(2)),
        2 => number(rng),
        3 | 4 => json!(text(rng)),
        5 => (0..rng.below(5)).map(|_| anything(rng, depth - 1)).collect(),
        6 => Value::Object(
            (0..rng.below(5)).map(|_| (text(rng), anything(rng, depth - 1))).collect(),
        ),
        _ => {
            // Deep, but narrow.
            let mut value = json!(1);
            for _ in 0..rng.below(700) {
                // Moved, not copied at every level.
                value = match rng.once_in(2) {
                    true => Value::Array(vec![value]),
                    false => Value::Object([("k".to_owned(), value)].into_iter().collect()),
                };
            }
            value
        }
    }
}

/// A value that the schema allows, whatever its description demands.
pub fn value(schema: &Value, rng: &mut Rng, depth: usize) -> Value {
    if depth == 0 {
        return anything(rng, 0);
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return rng.pick(allowed).clone();
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => rng.pick(kinds).as_str().unwrap_or_default(),
        Some(kind) => kind.as_str().unwrap_or_default(),
        None => "",
    };
    match kind {
        "object" => match schema.get("properties").and_then(Value::as_object) {
            Some(known) => Value::Object(fields(schema, known, rng, depth)),
            None => {
                Value::Object((0..rng.below(4)).map(|_| (text(rng), anything(rng, 1))).collect())
            }
        },
        "array" => {
            let each = schema.get("items").unwrap_or(&Value::Null);
            (0..rng.below(5)).map(|_| value(each, rng, depth - 1)).collect()
        }
        "string" => json!(text(rng)),
        "integer" if !rng.once_in(8) => json!(rng.below(12) as i64 - 1),
        "integer" | "number" => number(rng),
        "boolean" => json!(rng.once_in(2)),
        "null" => Value::Null,
        _ => anything(rng, 2),
    }
}

fn fields(
    schema: &Value,
    known: &Map<String, Value>,
    rng: &mut Rng,
    depth: usize,
) -> Map<String, Value> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fields = Map::new();
    for (name, field) in known {
        let wanted =
            if required.contains(&name.as_str()) { !rng.once_in(30) } else { rng.once_in(3) };
        if wanted {
            fields.insert(name.clone(), value(field, rng, depth - 1));
        }
    }
    fields
}
