//! The error model: a fault that the caller can fix, or a defect of this program.

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    code::ErrorCode,
    hint::{Hint, cmd, hint},
};

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the caller or of this program.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller can fix it, and receives all of it.
    #[error("{0}")]
    Fault(Box<Fault>),
    /// A defect; the caller receives a request id, and the log has the cause.
    #[error("{0}")]
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

/// An error as the caller receives it: a code, a sentence, and a safe next step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fault {
    /// The code to branch on.
    pub code: ErrorCode,
    /// Names the field, what was received and what is allowed.
    pub message: String,
    /// Machine-readable particulars, such as `current_version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// A safe next call, never a destructive one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
}

impl Fault {
    /// A fault with a code and a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Fault { code, message: message.into(), details: None, hint: None }
    }

    /// Bad input in `field`; the message begins with the field's name.
    pub fn invalid(field: &str, problem: impl std::fmt::Display) -> Self {
        Self::new(ErrorCode::ValidationError, format!("`{field}` {problem}"))
            .details(json!({ "field": field }))
    }

    /// `field` names a thing that does not exist.
    pub fn not_found(field: &str, what: &str, name: &str) -> Self {
        let name = super::text::shorten(name, 80);
        Self::new(
            ErrorCode::NotFound,
            format!("`{field}` is `{name}`, and there is no such {what}"),
        )
        .details(json!({ "field": field }))
    }

    /// Adds machine-readable particulars, merging objects.
    pub fn details(mut self, details: Value) -> Self {
        match (&mut self.details, details) {
            (Some(Value::Object(have)), Value::Object(more)) => have.extend(more),
            (slot, details) => *slot = Some(details),
        }
        self
    }

    /// The message with other names for fields: one that is about a field begins with its name.
    pub fn message_naming(&self, fields: &[(&str, &str)]) -> String {
        let renamed = fields.iter().find_map(|(field, name)| {
            let problem = self.message.strip_prefix(&format!("`{field}`"))?;
            Some(format!("`{name}`{problem}"))
        });
        renamed.unwrap_or_else(|| self.message.clone())
    }

    /// Adds the safe next step.
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Error::Fault(Box::new(fault))
    }
}

impl Error {
    /// A defect described in words.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Error::Internal(cause.into())
    }

    /// The code, where internal errors count as INTERNAL_ERROR.
    pub fn code(&self) -> ErrorCode {
        match self {
            Error::Fault(fault) => fault.code,
            Error::Internal(_) => ErrorCode::InternalError,
        }
    }

    /// The fault for the caller: for a defect it has the request id and not the cause.
    pub fn into_fault(self, request: &str) -> Fault {
        match self {
            Error::Fault(fault) => *fault,
            Error::Internal(_) => Fault::new(
                ErrorCode::InternalError,
                format!("internal error, request {request}"),
            )
            .details(json!({ "request": request }))
            .hint(hint!["the cause is in the server's log on stderr"; cmd("graph doctor"), " checks the file"]),
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Error::internal(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_error_shows_the_request_and_hides_the_cause() {
        let fault = Error::internal("secret path").into_fault("r7");
        assert_eq!(fault.code, ErrorCode::InternalError);
        let shown = serde_json::to_string(&fault).unwrap();
        assert!(shown.contains("r7") && !shown.contains("secret"), "{shown}");
    }

    #[test]
    fn details_merge() {
        let fault = Fault::invalid("limit", "is 0").details(json!({ "minimum": 1 }));
        assert_eq!(fault.details, Some(json!({ "field": "limit", "minimum": 1 })));
    }
}
