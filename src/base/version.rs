//! The one optimistic check: a writer says which version it has seen.

use serde_json::json;

use super::{ErrorCode, Fault, Result};

/// CONFLICT, with the current version in the details, unless `expected` is `current`; `word` is what a version is called
/// there.
pub fn check_version(word: &str, id: &str, expected: i64, current: i64) -> Result<()> {
    if expected == current {
        return Ok(());
    }
    let cause = match expected < current {
        true => "it was changed after you read it",
        false => "it never had that",
    };
    let message = format!("`{id}` is at {word} {current}, not {expected}: {cause}");
    Err(Fault::new(ErrorCode::Conflict, message)
        .details(json!({ "id": id, "expected_version": expected, "current_version": current }))
        .hint(format!("read it again, then repeat the change with the current {word}"))
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflict_carries_the_current_version() {
        assert!(check_version("rev", "n_1", 3, 3).is_ok());
        for (expected, words) in
            [(2, "at rev 3, not 2: it was changed"), (4, "not 4: it never had")]
        {
            let fault = check_version("rev", "n_1", expected, 3).unwrap_err().into_fault("r");
            assert_eq!(fault.code, ErrorCode::Conflict);
            assert!(fault.message.contains(words), "{}", fault.message);
            assert_eq!(fault.details.unwrap()["current_version"], 3);
        }
    }
}
