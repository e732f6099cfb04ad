//! What several domains' answers and arguments look like on the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// A good answer of a tool whose seed has an envelope.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Envelope<T> {
    /// Always true here; a fault has false.
    pub success: bool,
    /// The answer.
    pub data: T,
}

impl<T> Envelope<T> {
    /// `data` in its envelope.
    pub fn new(data: T) -> Self {
        Envelope { success: true, data }
    }
}

/// For leaving a count out when there is nothing to count.
pub fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Keeps an explicit null apart from an absent field.
pub fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}
