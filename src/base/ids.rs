//! Ids: short random ones that a model reads cheaply and does not confuse.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use super::hint::{Hint, hint, tool_or};

/// Crockford's alphabet, lower case: no `i`, `l`, `o` or `u`.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH: usize = 10;

/// The source of ids; counted in tests so that answers can be compared whole.
#[derive(Debug, Clone)]
pub enum Ids {
    /// 50 random bits. Never time-ordered: models mix up ids with a common prefix.
    Random,
    /// 1, 2, 3 …
    Counted(Arc<AtomicU64>),
}

impl Ids {
    /// Counted ids from 1.
    pub fn counted() -> Self {
        Ids::Counted(Arc::new(AtomicU64::new(0)))
    }

    /// `prefix` and ten characters. May collide: the insertion retries.
    pub fn short(&self, prefix: &str) -> String {
        let mut bits = match self {
            Ids::Random => random_bits(),
            Ids::Counted(last) => last.fetch_add(1, Ordering::Relaxed) + 1,
        };
        let mut digits = [0; LENGTH];
        for digit in digits.iter_mut().rev() {
            *digit = ALPHABET[(bits % 32) as usize];
            bits /= 32;
        }
        let mut id = String::with_capacity(prefix.len() + LENGTH);
        id.push_str(prefix);
        id.extend(digits.iter().map(|&digit| char::from(digit)));
        id
    }
}

impl Ids {
    /// A version 4 UUID, dashed and lower case.
    pub fn uuid(&self) -> String {
        match self {
            Ids::Random => random().to_string(),
            Ids::Counted(last) => {
                let number = last.fetch_add(1, Ordering::Relaxed) + 1;
                let bytes = u128::from(number).to_be_bytes();
                uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
            }
        }
    }
}

/// A UUID as it is stored, from any of its spellings: dashed or not, any case.
pub fn parse_uuid(text: &str) -> Option<String> {
    uuid::Uuid::try_parse(text.trim()).ok().map(|uuid| uuid.to_string())
}

/// Whether `text` has the shape of an id that `short(prefix)` makes.
pub fn is_short(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix)
        .is_some_and(|rest| rest.len() == LENGTH && rest.bytes().all(|b| ALPHABET.contains(&b)))
}

/// Whether a text is an id, or one that was mistyped: a letter too few or too many, or in capitals.
pub fn resembles_short(prefix: &str, text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.strip_prefix(prefix).is_some_and(|rest| {
        rest.len().abs_diff(LENGTH) <= 2
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && rest.bytes().any(|byte| byte.is_ascii_digit())
    })
}

/// What an id names by its shape, and the tool that reads such a thing.
const SHAPES: [(&str, &str, &str); 3] = [
    ("n_", "a work node", "graph_context"),
    ("mem_", "a memory", "get_node"),
    ("conn_", "a connection of memories", "get_connection"),
];

/// The hint for an id that is not found, where its shape is not that of `prefix` but of something else's.
pub fn meant_elsewhere(prefix: &str, id: &str) -> Option<Hint> {
    let (_, what, tool) =
        SHAPES.iter().find(|(other, ..)| *other != prefix && is_short(other, id.trim()))?;
    Some(hint!["that is the id of ", *what, ", which ", tool_or(tool, "graph show"), " reads"])
}

#[allow(clippy::disallowed_methods, reason = "the one home of random ids")]
fn random() -> uuid::Uuid {
    uuid::Uuid::new_v4()
}

/// The low 62 bits of a version 4 UUID are all random.
fn random_bits() -> u64 {
    random().as_u64_pair().1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_ids_count_and_have_the_shape() {
        let ids = Ids::counted();
        assert_eq!(ids.short("n_"), "n_0000000001");
        assert_eq!(ids.short("n_"), "n_0000000002");
        assert!(is_short("n_", &Ids::Random.short("n_")));
    }

    #[test]
    fn what_may_be_a_mistyped_id() {
        for (text, expected) in [
            ("n_0123456789", true),
            ("N_0123456789", true),
            ("n_012345678", true),
            ("n_mz09b87d17x", true),
            ("n_roadmap", false),
            ("n_observability", false),
            ("n_2026", false),
            ("n 0123456789", false),
        ] {
            assert_eq!(resembles_short("n_", text), expected, "{text}");
        }
    }

    #[test]
    fn uuids_are_read_in_any_spelling() {
        let uuid = Ids::counted().uuid();
        assert_eq!(uuid, "00000000-0000-4000-8000-000000000001");
        for spelling in [uuid.clone(), uuid.to_uppercase(), uuid.replace('-', "")] {
            assert_eq!(parse_uuid(&spelling), Some(uuid.clone()), "{spelling}");
        }
        for wrong in ["", "n_0000000001", "00000000-0000-4000-8000-00000000000g"] {
            assert_eq!(parse_uuid(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_id_of_something_else_says_what_reads_it() {
        for (prefix, id, tool) in [
            ("n_", "mem_0123456789", Some("get_node")),
            ("n_", "conn_0123456789", Some("get_connection")),
            ("mem_", "n_0123456789", Some("graph_context")),
            ("mem_", "mem_0123456789", None),
            ("mem_", "n_", None),
        ] {
            let hint = meant_elsewhere(prefix, id).map(|hint| hint.to_string());
            assert_eq!(hint.is_some(), tool.is_some(), "{id}");
            assert!(hint.unwrap_or_default().contains(tool.unwrap_or_default()), "{id}");
        }
    }

    #[test]
    fn shapes() {
        for (text, expected) in [
            ("n_0123456789", true),
            ("n_012345678", false),
            ("n_012345678l", false),
            ("m_0123456789", false),
            ("", false),
        ] {
            assert_eq!(is_short("n_", text), expected, "{text}");
        }
    }
}
