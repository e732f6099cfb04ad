//! JSON as clients really write it: deep, and with halves of surrogate pairs.

use std::fmt;

use serde::Deserialize;
use serde_json::{Number, Value};

use crate::base::unique::Unique;

/// Levels of nesting that are parsed at all; what is allowed where is the reader's business.
pub const MAX_LEVELS: usize = 512;

/// Values in one message: each takes some 70 bytes in memory, whatever it takes on the line.
pub const MAX_VALUES: usize = 2_000_000;

/// Why a text could not be read.
#[derive(Debug)]
pub enum Unreadable {
    /// Nested deeper than [`MAX_LEVELS`].
    TooDeep,
    /// More than [`MAX_VALUES`] values.
    TooMany,
    /// Not JSON, or a key twice.
    Syntax(serde_json::Error),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::TooDeep => write!(f, "nested deeper than {MAX_LEVELS} levels"),
            Unreadable::TooMany => write!(f, "more than {MAX_VALUES} values"),
            Unreadable::Syntax(error) if error.is_data() => error.fmt(f),
            Unreadable::Syntax(error) => write!(f, "not JSON: {error}"),
        }
    }
}

/// Parses `text`, with every unpaired surrogate read as NUL.
///
/// `JSON.stringify` writes half a pair as an escape that no Rust string can hold. Read as NUL it
/// reaches the argument reader, which refuses NUL anyway and can name the field.
pub fn parse(text: &str) -> Result<Value, Unreadable> {
    check_shape(text.as_bytes())?;
    match parse_strictly(text) {
        Ok(value) => Ok(value),
        Err(error) => match pair_surrogates(text) {
            Some(repaired) => parse_strictly(&repaired).map_err(Unreadable::Syntax),
            None => Err(Unreadable::Syntax(error)),
        },
    }
}

/// Returns the number as an integer, if that loses nothing.
pub fn whole(number: &Number) -> Option<Number> {
    /// Up to here every whole number has a floating-point value of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if !number.is_f64() {
        // All our integers are signed.
        return number.as_i64().map(Number::from);
    }
    let float = number.as_f64()?;
    let exact = float.fract() == 0.0 && float.abs() <= EXACT;
    exact.then(|| Number::from(float as i64))
}

/// serde_json's own limit of 128 levels would turn a deep argument into a parse error without a
/// name; the stack is safe because the levels were counted before.
fn parse_strictly(text: &str) -> serde_json::Result<Value> {
    let mut parser = serde_json::Deserializer::from_str(text);
    parser.disable_recursion_limit();
    let Unique(value) = Unique::deserialize(&mut parser)?;
    parser.end()?;
    Ok(value)
}

/// Counts levels and values outside of strings, before anything is built from them.
fn check_shape(text: &[u8]) -> Result<(), Unreadable> {
    let (mut depth, mut values) = (0_usize, 1_usize);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                values += 1;
                if depth > MAX_LEVELS {
                    return Err(Unreadable::TooDeep);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => values += 1,
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    if values > MAX_VALUES { Err(Unreadable::TooMany) } else { Ok(()) }
}

/// Moves past the closing quote of a string.
pub fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(at) = memchr::memchr2(b'"', b'\\', bytes.as_slice()) {
        if bytes.nth(at) == Some(&b'"') {
            return;
        }
        // The character after a backslash belongs to it.
        bytes.next();
    }
    *bytes = [].iter();
}

/// Writes `\u0000` for each unpaired surrogate escape; `None` when there is none.
fn pair_surrogates(text: &str) -> Option<String> {
    let mut repaired = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        match (surrogate(text, at), surrogate(text, at + 6)) {
            (Some(Half::High), Some(Half::Low)) => at += 12,
            (Some(_), _) => {
                repaired.push_str(&text[copied..at]);
                repaired.push_str("\\u0000");
                at += 6;
                copied = at;
            }
            // Any other escape: the next character belongs to it, even when it is a backslash.
            (None, _) => {
                let escaped = text[at + 1..].chars().next();
                at += 1 + escaped.map_or(0, char::len_utf8);
            }
        }
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(&text[copied..]);
    Some(repaired)
}

#[derive(Clone, Copy)]
enum Half {
    High,
    Low,
}

/// Which half the escape `\uXXXX` at byte `at` is, if it is one.
fn surrogate(text: &str, at: usize) -> Option<Half> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpaired_surrogates_are_read_as_nul_and_pairs_are_kept() {
        for (text, expected) in [
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\ud800""#, "\0"),
            (r#""a\udc00b""#, "a\0b"),
            (r#""\ud800\ud83d\ude00""#, "\0😀"),
            (r#""\uD800\n\\udc00""#, "\0\n\\udc00"),
            (r#""\\\\ud800 \ud800""#, "\\\\ud800 \0"),
            (r#""ä\\ud800ä\ud800ä""#, "ä\\ud800ä\0ä"),
        ] {
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn values_are_those_of_the_usual_reader_and_no_key_is_given_twice() {
        for text in [
            r#"{"a":[1,-1,1.5,1e300,18446744073709551615,-9223372036854775808,true,null,"ä\n"],"b":{"a":{}}}"#,
            "-0.0",
            "1e2",
        ] {
            assert_eq!(
                parse(text).unwrap(),
                serde_json::from_str::<Value>(text).unwrap(),
                "{text}"
            );
        }
        for text in [r#"{"ids":1,"x":2,"ids":3}"#, r#"[{"a":{"b":1,"\u0062":1}}]"#] {
            let said = parse(text).unwrap_err().to_string();
            assert!(said.contains("` is given twice"), "{said}");
        }
    }

    #[test]
    fn what_is_not_json_stays_an_error() {
        for text in ["", "{", r#""\ud800"#, r#""\ud8""#, r#"{"\ud800": }"#, "1 2", "\\", "\\ä"] {
            assert!(matches!(parse(text), Err(Unreadable::Syntax(_))), "{text}");
        }
    }

    #[test]
    fn nesting_is_read_to_its_limit_and_strings_do_not_count() {
        let nest = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(&nest(MAX_LEVELS)).is_ok());
        for text in [nest(MAX_LEVELS + 1), "[".repeat(1_000_000)] {
            assert!(matches!(parse(&text), Err(Unreadable::TooDeep)));
        }
        let quoted = format!(r#"["\"{}", 1]"#, "[".repeat(600));
        assert!(parse(&quoted).is_ok());
        let siblings = format!("[{}[]]", "[],".repeat(2000));
        assert!(parse(&siblings).is_ok());
    }
}
