//! The format of an export, and how it differs from the files of other programs.

use serde_json::{Value, json};

use crate::base::{
    ErrorCode, Fault, Result,
    hint::{cmd, hint},
    text,
};

pub const HEADER: &str = "{\"format\":\"graph\",\"version\":1}";
/// The last line. A file without it is incomplete.
pub(super) const FOOTER: &str = "{\"end\":true}";
/// The version of the format that this program reads.
const VERSION: i64 = 1;

/// What a file of lines contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The output of `graph export`.
    Records,
    /// The file of the reference memory server.
    MemoryJsonl,
    /// Issues of beads.
    Beads,
}

/// Detects the format of a file from its start. Anything unknown counts as records, whose reader says what is wrong.
pub fn format_of(start: &[u8]) -> Format {
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start_matches('\u{feff}');
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let first: Value = serde_json::from_str(line).unwrap_or_default();
    let has = |keys: &[&str]| keys.iter().all(|key| first.get(key).is_some());
    match first["type"].as_str() {
        Some("entity") if has(&["name", "observations"]) => Format::MemoryJsonl,
        Some("relation") if has(&["from", "to", "relationType"]) => Format::MemoryJsonl,
        _ if has(&["id", "title", "issue_type"]) || has(&["id", "title", "status"]) => {
            Format::Beads
        }
        _ => Format::Records,
    }
}

/// Refuses a first line that is not the header of a version that this program reads.
pub(super) fn check_header(text: &str) -> Result<()> {
    let header: Value = serde_json::from_str(text).unwrap_or_default();
    if header["format"] != "graph" {
        let message = format!("line 1 is not {HEADER}: graph export did not write this file");
        return Err(Fault::new(ErrorCode::ValidationError, message)
            .hint(hint![cmd("graph import --help"), " lists what else can be imported"])
            .into());
    }
    if header["version"] != VERSION {
        let version = text::shorten(&header["version"].to_string(), 40);
        let message =
            format!("line 1: the file has version {version}, and this program reads {VERSION}");
        return Err(Fault::new(ErrorCode::ValidationError, message)
            .hint("import it with the version of graph that wrote it, or a newer one")
            .details(json!({ "line": 1 }))
            .into());
    }
    Ok(())
}

/// Whether a line ends the file; whitespace is ignored.
pub(super) fn is_footer(line: &[u8]) -> bool {
    line.len() < 40
        && serde_json::from_slice(line).is_ok_and(|it: Value| it == json!({ "end": true }))
}
