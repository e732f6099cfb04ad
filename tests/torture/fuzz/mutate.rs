//! How valid things are broken.

use serde_json::Value;

use super::generate;
use crate::torture::rng::Rng;

/// Replaces, removes, wraps or encodes something somewhere inside.
pub fn tree(value: &mut Value, rng: &mut Rng) {
    let nodes = count(value);
    let mut at = rng.below(nodes);
    visit(value, &mut at, rng);
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

fn visit(value: &mut Value, at: &mut usize, rng: &mut Rng) {
    if *at == 0 {
        change(value, rng);
        *at = usize::MAX;
        return;
    }
    *at -= 1;
    let below: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    for part in below {
        if *at == usize::MAX {
            return;
        }
        visit(part, at, rng);
    }
}

fn change(value: &mut Value, rng: &mut Rng) {
    match (rng.below(6), &mut *value) {
        // As models do: JSON as text, one for a list, a list for one.
        (0, _) => *value = Value::String(value.to_string()),
        (1, _) => *value = Value::Array(vec![value.take()]),
        (2, Value::Object(fields)) => {
            let name = fields.keys().nth(rng.below(fields.len().max(1))).cloned();
            if let Some(old) = name.and_then(|name| fields.shift_remove(&name)) {
                fields.insert(generate::text(rng), old);
            }
        }
        (3, Value::Array(items)) if !items.is_empty() => {
            let copy = items[rng.below(items.len())].clone();
            items.extend(std::iter::repeat_n(copy, rng.below(40)));
        }
        _ => *value = generate::anything(rng, 2),
    }
}

/// Bytes that mean something to a reader of JSON, YAML, globs or lines.
const PIECES: &[&[u8]] = &[
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00\\ud800",
    b"null",
    b"-",
    b"1e400",
    b"\r",
    b"\t",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"---",
    b"&a",
    b"*a",
    b"!!binary",
    b"<<: *a",
    b"|",
    b">",
    b"# ",
    b"? ",
    b"{{",
    b"**",
    b"..",
    b"/",
    b"=",
    b"99999999999999999999",
    b" ",
    b"\xe2\x80\xae",
];

/// Flips, deletes, copies and inserts bytes; never a line feed, which would split the line.
pub fn bytes(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        let end = (at + rng.below(24)).min(bytes.len());
        match rng.below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let copy = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                let times = 1 + rng.below(8);
                bytes.splice(to..to, copy.repeat(times));
            }
            3 if rng.once_in(4) => bytes.truncate(at),
            _ => drop(bytes.splice(at..at, rng.pick(PIECES).iter().copied())),
        }
    }
    bytes.retain(|byte| *byte != b'\n');
}
