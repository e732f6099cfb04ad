//! Ids: short random ones that a model reads cheaply and does not confuse.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

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

/// Whether `text` has the shape of an id that `short(prefix)` makes.
pub fn is_short(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix)
        .is_some_and(|rest| rest.len() == LENGTH && rest.bytes().all(|b| ALPHABET.contains(&b)))
}

/// The low 62 bits of a version 4 UUID are all random.
#[allow(clippy::disallowed_methods, reason = "the one home of random ids")]
fn random_bits() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().1
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
