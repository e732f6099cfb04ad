//! What a check found, in the formats of other programs.

use serde_json::{Value, json};

use super::super::output::plain;
use crate::kb::{CONFIG_FILE, Checked, Level, RULES, Rules, Violation};

/// Where the schema of SARIF is; readers compare the text.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A log of SARIF 2.1.0 with one run.
pub fn sarif(checked: &Checked, levels: &Rules) -> Value {
    let rules = RULES.iter().map(|rule| {
        let level = levels.level(rule);
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.about },
            "defaultConfiguration": {
                "enabled": level != Level::Off,
                // What is off has no level; SARIF knows the word none.
                "level": if level == Level::Off { "none" } else { level.as_str() },
            },
        })
    });
    let rules: Vec<Value> = rules.collect();
    let results: Vec<Value> = checked.violations.iter().map(result).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "graph kb check",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(violation: &Violation) -> Value {
    let Violation { rule, severity, entity, message, suggestion, source } = violation;
    // Code hosts refuse a whole log over one result without a file. What no file says, since a tool wrote it, is shown at
    // the settings of the KB, which are its own file in the repository.
    let (file, line) = source.as_deref().and_then(place).unwrap_or((CONFIG_FILE, 1));
    json!({
        "ruleId": rule,
        "ruleIndex": RULES.iter().position(|known| known.id == rule),
        "level": severity,
        "message": { "text": literal(&format!("{entity}: {message}. {suggestion}")) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(file), "uriBaseId": "%SRCROOT%" },
                "region": { "startLine": line },
            },
            "logicalLocations": [{ "name": entity, "kind": "resource" }],
        }],
        // The same finding has the same value in the next run, whatever its line; a dangling link differs by its message.
        "partialFingerprints": { "finding/v1": format!("{rule} {entity}: {message}") },
    })
}

/// Text that a message of SARIF shows as it is: there `{0}` is an argument, and `[a](b)` is a link.
fn literal(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

/// An annotation of GitHub Actions, on one line.
pub fn github(violation: &Violation) -> String {
    let Violation { rule, severity, entity, message, suggestion, source } = violation;
    let mut properties = Vec::new();
    if let Some((file, line)) = source.as_deref().and_then(place) {
        properties.push(format!("file={}", property(file)));
        properties.push(format!("line={line}"));
    }
    properties.push(format!("title={}", property(rule)));
    let text = data(&format!("{entity}: {message}. {suggestion}"));
    format!("::{severity} {}::{text}", properties.join(","))
}

/// `docs/adr/1.md:3`, taken apart.
fn place(source: &str) -> Option<(&str, u32)> {
    let (file, line) = source.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

/// A path as a relative reference: what is no plain letter there is written as its bytes.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn data(text: &str) -> String {
    plain(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violation(source: Option<&str>) -> Violation {
        Violation {
            rule: "no-cycles".to_owned(),
            severity: "error".to_owned(),
            entity: "A".to_owned(),
            message: "100%\nbad".to_owned(),
            suggestion: "cut it".to_owned(),
            source: source.map(str::to_owned),
        }
    }

    #[test]
    fn annotations_stay_on_their_line() {
        assert_eq!(
            github(&violation(Some("docs/a,b:c.md:7"))),
            "::error file=docs/a%2Cb%3Ac.md,line=7,title=no-cycles::A: 100%25\\nbad. cut it"
        );
        assert_eq!(github(&violation(None)), "::error title=no-cycles::A: 100%25\\nbad. cut it");
    }

    #[test]
    fn places_are_references_and_every_result_has_one() {
        let location = &result(&violation(Some("docs/ü b#.md:7")))["locations"][0];
        let physical = &location["physicalLocation"];
        assert_eq!(physical["artifactLocation"]["uri"], "docs/%C3%BC%20b%23.md");
        assert_eq!(physical["region"]["startLine"], 7);
        let location = &result(&violation(None))["locations"][0];
        assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], ".kb/config.json");
        assert_eq!(location["physicalLocation"]["region"]["startLine"], 1);
        assert_eq!(location["logicalLocations"][0]["name"], "A");
    }

    #[test]
    fn stored_text_is_neither_a_placeholder_nor_a_link_of_a_message() {
        let message = "`{0} [here](3)` is no status of req".to_owned();
        let reported = result(&Violation { message, ..violation(None) });
        assert_eq!(
            reported["message"]["text"],
            "A: `{{0}} [here] (3)` is no status of req. cut it"
        );
    }
}
