//! The error of a call that was refused.

use std::{fmt, ops::Deref};

use serde::Serialize;
use serde_json::Value;

/// An error as a client receives it.
#[derive(Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Fault(pub Value);

impl Fault {
    /// Asserts that the message contains all these parts.
    #[track_caller]
    pub fn says(&self, parts: &[&str]) -> &Self {
        let message = self["message"].as_str().unwrap_or_else(|| panic!("no message in {self}"));
        for part in parts {
            assert!(message.contains(part), "`{part}` is not in: {message}");
        }
        self
    }
}

impl Deref for Fault {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
