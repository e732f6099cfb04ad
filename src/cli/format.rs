//! How times, sizes, progress and changes read.

use serde_json::Value;

use super::output::{GOOD, QUIET, WARN, plain, styled};
use crate::{
    base::{Timestamp, props::Change, text::shorten},
    fresh::{Freshness, State},
};

/// Characters of one side of a change.
const VALUE: usize = 80;
/// Characters of a progress bar.
const BAR: i64 = 20;

/// `2026-01-02 03:04:05Z`: to the second, and openly UTC.
pub fn when(at: Timestamp) -> String {
    let text = at.to_string().replace('T', " ");
    match text.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => text,
    }
}

/// `5 minutes ago`, to the largest unit that fits.
pub fn ago(at: Timestamp, now: Timestamp) -> String {
    let seconds = (now.millis() - at.millis()) / 1000;
    for (unit, length) in [("day", 86_400), ("hour", 3_600), ("minute", 60)] {
        if seconds >= length {
            return format!("{} ago", count(seconds / length, unit));
        }
    }
    "just now".to_owned()
}

/// `1 node`, `2 nodes`, `2 entities`.
pub fn count(number: i64, noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (number, stem) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {noun}s"),
    }
}

/// [`count`] of a length.
pub fn number(number: usize, noun: &str) -> String {
    count(i64::try_from(number).unwrap_or(i64::MAX), noun)
}

/// `4.2 MB`.
pub fn size(bytes: u64) -> String {
    if bytes == 1 {
        return "1 byte".to_owned();
    }
    let mut scaled = bytes as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if scaled < 1000.0 {
            let digits = usize::from(unit != "bytes");
            return format!("{scaled:.digits$} {unit}");
        }
        scaled /= 1000.0;
    }
    format!("{scaled:.1} TB")
}

/// `█████░░░░░  50%`: full only when all is done.
pub fn progress(resolved: i64, total: i64) -> String {
    let of = |whole: i64| if total > 0 { resolved * whole / total } else { 0 };
    let filled = usize::try_from(of(BAR)).unwrap_or_default();
    let rest = usize::try_from(BAR).unwrap_or_default().saturating_sub(filled);
    format!(
        "{}{} {:>3}%",
        styled(GOOD, "█".repeat(filled)),
        styled(QUIET, "░".repeat(rest)),
        of(100)
    )
}

/// `  ✓ fresh` or `  ! 2 files changed since 2026-01-02 03:04:05Z (at 0123456789ab)`, to stand at the end of a line; nothing
/// where there is no mark.
pub fn freshness(mark: Option<&Freshness>) -> String {
    let Some(mark) = mark else { return String::new() };
    let shown = match mark.state {
        State::Fresh => styled(GOOD, "✓ fresh".to_owned()),
        State::Unknown => styled(QUIET, "? unknown".to_owned()),
        State::Changed => {
            let since = mark.since.map(|at| format!(" since {}", when(at))).unwrap_or_default();
            let commit = mark.commit.as_ref().map(|commit| format!(" (at {commit})"));
            let files = number(mark.files, "file");
            styled(WARN, format!("! {files} changed{since}{}", commit.unwrap_or_default()))
        }
    };
    format!("  {shown}")
}

/// `resolved: false → true`; what begins or ends shows one side only.
pub fn change(change: &Change) -> String {
    let field = plain(&change.field);
    match (&change.before, &change.after) {
        (Value::Null, after) => format!("{field}: {}", value(after)),
        (before, Value::Null) => format!("{field}: {} → (nothing)", value(before)),
        (before, after) => format!("{field}: {} → {}", value(before), value(after)),
    }
}

/// A value on one line: text as it is, evidence and changelogs in their own words, everything else as JSON.
pub fn value(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => evidence(items).unwrap_or_else(|| value.to_string()),
        Value::Object(_) => entry(value).unwrap_or_else(|| value.to_string()),
        other => other.to_string(),
    };
    plain(&shorten(&text, VALUE))
}

/// `n_0123456789: what changed`, if that is what the object is; its id would leave no room for it.
fn entry(object: &Value) -> Option<String> {
    Some(format!("{}: {}", object["taskId"].as_str()?, object["summary"].as_str()?))
}

/// `git: abc123, test: all green`, if that is what the items are.
fn evidence(items: &[Value]) -> Option<String> {
    let one = |item: &Value| Some(format!("{}: {}", item["type"].as_str()?, item["ref"].as_str()?));
    let all: Option<Vec<String>> = items.iter().map(one).collect();
    all.filter(|all| !all.is_empty()).map(|all| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn times() {
        let now = at("2026-03-01T12:00:00.000Z");
        assert_eq!(when(now), "2026-03-01 12:00:00Z");
        for (earlier, expected) in [
            ("2026-03-01T12:00:00.000Z", "just now"),
            ("2026-03-01T12:00:09.000Z", "just now"),
            ("2026-03-01T11:59:00.000Z", "1 minute ago"),
            ("2026-03-01T11:00:01.000Z", "59 minutes ago"),
            ("2026-03-01T10:00:00.000Z", "2 hours ago"),
            ("2026-02-27T12:00:00.000Z", "2 days ago"),
        ] {
            assert_eq!(ago(at(earlier), now), expected, "{earlier}");
        }
    }

    #[test]
    fn marks() {
        let mark = Freshness { state: State::Fresh, files: 0, since: None, commit: None };
        let bare =
            |mark: Option<&Freshness>| anstream::adapter::strip_str(&freshness(mark)).to_string();
        assert_eq!(bare(None), "");
        assert_eq!(bare(Some(&mark)), "  ✓ fresh");
        let since = Some(at("2026-03-01T12:00:00.000Z"));
        let changed = Freshness { state: State::Changed, files: 2, since, commit: None };
        assert_eq!(bare(Some(&changed)), "  ! 2 files changed since 2026-03-01 12:00:00Z");
        let changed = Freshness { commit: Some("0123456789ab".to_owned()), files: 1, ..changed };
        assert_eq!(
            bare(Some(&changed)),
            "  ! 1 file changed since 2026-03-01 12:00:00Z (at 0123456789ab)"
        );
    }

    #[test]
    fn nouns() {
        assert_eq!(count(1, "node"), "1 node");
        assert_eq!(count(0, "node"), "0 nodes");
        assert_eq!(count(2, "day"), "2 days");
        assert_eq!(number(2, "entity"), "2 entities");
    }

    #[test]
    fn sizes() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (4_096, "4.1 kB"),
            (12_300_000, "12.3 MB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn a_bar_is_full_only_when_all_is_done() {
        let bare =
            |resolved, total| anstream::adapter::strip_str(&progress(resolved, total)).to_string();
        assert_eq!(bare(0, 0), format!("{}   0%", "░".repeat(20)));
        assert_eq!(bare(1, 2), format!("{}{}  50%", "█".repeat(10), "░".repeat(10)));
        assert_eq!(bare(999, 1000), format!("{}░  99%", "█".repeat(19)));
        assert_eq!(bare(3, 3), format!("{} 100%", "█".repeat(20)));
    }

    #[test]
    fn changes() {
        for (before, after, expected) in [
            (json!(false), json!(true), "f: false → true"),
            (json!(null), json!("a\nb"), "f: a\\nb"),
            (json!(1), json!(null), "f: 1 → (nothing)"),
            (json!(["a"]), json!([]), "f: [\"a\"] → []"),
            (
                json!(null),
                json!([{ "type": "git", "ref": "abc" }, { "type": "note", "ref": "x" }]),
                "f: git: abc, note: x",
            ),
            (
                json!(null),
                json!({ "id": "0".repeat(90), "taskId": "n_1", "summary": "why" }),
                "f: n_1: why",
            ),
            (json!(null), json!({ "summary": "why" }), "f: {\"summary\":\"why\"}"),
        ] {
            assert_eq!(change(&Change::new("f", before, after)), expected);
        }
    }
}
