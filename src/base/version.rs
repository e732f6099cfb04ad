//! The one optimistic check: a writer says which version it has seen.

use serde_json::json;

use super::{ErrorCode, Fault, Result};

/// CONFLICT, with the current version in the details, unless `expected` is `current`.
pub fn check_version(id: &str, expected: i64, current: i64) -> Result<()> {
    if expected == current {
        return Ok(());
    }
    Err(Fault::new(
        ErrorCode::Conflict,
        format!(
            "`{id}` is at version {current}, not {expected}: someone changed it since you read it"
        ),
    )
    .details(json!({ "id": id, "expected_version": expected, "current_version": current }))
    .hint("read it again, then repeat the change with the current version")
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflict_carries_the_current_version() {
        assert!(check_version("n_1", 3, 3).is_ok());
        let fault = check_version("n_1", 2, 3).unwrap_err().into_fault("r");
        assert_eq!(fault.code, ErrorCode::Conflict);
        assert_eq!(fault.details.unwrap()["current_version"], 3);
    }
}
