//! `.mcp.json`: the servers that MCP clients start in a repository.

use std::{collections::BTreeMap, ops::Range, path::Path};

use serde_json::{Value, json, value::RawValue};

use super::{Act, Launch, NAME, Step, Undo, line_end, text_of};
use crate::base::Result;

pub const FILE: &str = ".mcp.json";
const ABOUT: &str = "starts the server in MCP clients";
const SERVERS: &str = "mcpServers";

/// Plans to add the server's entry. Other servers and the format of the file stay.
pub fn step(root: &Path, launch: &Launch) -> Result<Step> {
    let entry = format!("\"{NAME}\": {}", entry(launch));
    let text = match text_of(root, FILE)? {
        Ok(Some(text)) if !text.trim().is_empty() => text,
        Ok(found) => {
            let text = format!("{{\n  \"{SERVERS}\": {{\n    {entry}\n  }}\n}}\n");
            let undo = Undo::Remove(FILE.to_owned());
            let act = if found.is_none() { Act::Create(text) } else { Act::Extend(text) };
            return Ok(noted(Step::new(FILE, ABOUT, act).undo(undo), launch));
        }
        Err(problem) => return Ok(Step::new(FILE, ABOUT, Act::Left(problem))),
    };
    Ok(match extended(&text, &entry) {
        Ok(Some(text)) => {
            let undo = Undo::Words(format!("remove `{NAME}` from `{SERVERS}`"));
            noted(Step::new(FILE, ABOUT, Act::Extend(text)).undo(undo), launch)
        }
        Ok(None) => Step::new(FILE, ABOUT, Act::Present),
        Err(problem) => Step {
            note: Some(format!("add this: {{\"{SERVERS}\": {{{entry}}}}}")),
            ..Step::new(FILE, ABOUT, Act::Left(problem))
        },
    })
}

fn noted(step: Step, launch: &Launch) -> Step {
    let note = "with an absolute path, since `graph` on PATH is not this binary";
    Step { note: (!launch.on_path).then(|| note.to_owned()), ..step }
}

/// The entry on one line.
fn entry(launch: &Launch) -> String {
    format!("{{ \"command\": {}, \"args\": [\"serve\"] }}", json!(launch.command))
}

type Members<'a> = BTreeMap<String, &'a RawValue>;

/// The text with the entry added, none where it has our server already, or why it cannot be added.
fn extended(text: &str, entry: &str) -> Result<Option<String>, String> {
    let whole: Members<'_> = serde_json::from_str(text).map_err(|error| match error.is_data() {
        true => "it is not a JSON object".to_owned(),
        false => format!("it is not JSON: {error}"),
    })?;
    let Some(servers) = whole.get(SERVERS) else {
        let start = text.find('{').unwrap_or_default();
        let end = text.rfind('}').map_or(text.len(), |last| last + 1);
        let indent = unit(text);
        let eol = line_end(text);
        let member = match is_multiline(text, &(start..end)) {
            true => format!("\"{SERVERS}\": {{{eol}{indent}{indent}{entry}{eol}{indent}}}"),
            false => format!("\"{SERVERS}\": {{ {entry} }}"),
        };
        return Ok(Some(with_member(text, start..end, &member)));
    };
    let span = span(text, servers.get());
    let servers: Members<'_> =
        serde_json::from_str(servers.get()).map_err(|_| format!("`{SERVERS}` is not an object"))?;
    if servers.values().any(|server| is_ours(server)) || is_present(&servers, entry) {
        return Ok(None);
    }
    if servers.contains_key(NAME) {
        return Err(format!("`{NAME}` is another server in it"));
    }
    Ok(Some(with_member(text, span, entry)))
}

/// Whether this entry is present; a renamed binary has a command that [`is_ours`] does not recognise.
fn is_present(servers: &Members<'_>, entry: &str) -> bool {
    let entries: Value = serde_json::from_str(&format!("{{{entry}}}")).unwrap_or_default();
    let present = servers.get(NAME).and_then(|server| serde_json::from_str(server.get()).ok());
    present.is_some_and(|present: Value| present == entries[NAME])
}

/// Whether an entry starts this program's server, at any path.
fn is_ours(server: &RawValue) -> bool {
    let server: Value = serde_json::from_str(server.get()).unwrap_or_default();
    let command = server["command"].as_str().unwrap_or_default();
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name == NAME
        && server["args"].as_array().is_some_and(|args| args.iter().any(|arg| arg == "serve"))
}

/// The range of a part of the text.
fn span(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

/// Whether an object is written on several lines.
fn is_multiline(text: &str, object: &Range<usize>) -> bool {
    let inner = &text[object.start + 1..object.end - 1];
    inner.trim().is_empty() || inner.contains('\n')
}

/// The text with one more member at the end of the object at `object`, formatted like the members before it.
fn with_member(text: &str, object: Range<usize>, member: &str) -> String {
    let inner = &text[object.start + 1..object.end - 1];
    let kept = inner.trim_end();
    let eol = line_end(text);
    let added = if kept.trim().is_empty() {
        let line = text[..object.start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = &text[line..object.start];
        let outer = &line[..line.len() - line.trim_start().len()];
        format!("{eol}{outer}{}{member}{eol}{outer}", unit(text))
    } else if is_multiline(text, &object) {
        let before = &inner[..inner.len() - inner.trim_start().len()];
        let indent = before.rsplit('\n').next().unwrap_or_default();
        format!("{kept},{eol}{indent}{member}{}", &inner[kept.len()..])
    } else {
        format!("{kept}, {member}{}", &inner[kept.len()..])
    };
    format!("{}{added}{}", &text[..=object.start], &text[object.end - 1..])
}

/// The indentation of one level: that of the first indented line.
fn unit(text: &str) -> &str {
    let indent = |line: &'_ str| line.len() - line.trim_start_matches([' ', '\t']).len();
    text.lines().find(|line| indent(line) > 0).map_or("  ", |line| &line[..indent(line)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = r#""graph": { "command": "graph", "args": ["serve"] }"#;

    #[test]
    fn the_entry_is_formatted_like_the_members_before_it() {
        for (text, expected) in [
            ("{}", "{\n  \"mcpServers\": {\n    E\n  }\n}"),
            ("{\"mcpServers\": {}}\n", "{\"mcpServers\": {\n  E\n}}\n"),
            (
                "{\n    \"mcpServers\": {\n    }\n}\n",
                "{\n    \"mcpServers\": {\n        E\n    }\n}\n",
            ),
            ("{\"mcpServers\":{\"a\":{}}}", "{\"mcpServers\":{\"a\":{}, E}}"),
            (
                "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}\r\n\t},\r\n\t\"x\": 1\r\n}\r\n",
                "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {},\r\n\t\tE\r\n\t},\r\n\t\"x\": 1\r\n}\r\n",
            ),
            ("{\n  \"x\": \"}\"\n}\n", "{\n  \"x\": \"}\",\n  \"mcpServers\": {\n    E\n  }\n}\n"),
            ("{\"x\": 1}", "{\"x\": 1, \"mcpServers\": { E }}"),
        ] {
            let extended = extended(text, ENTRY).unwrap().unwrap();
            assert_eq!(extended, expected.replace('E', ENTRY), "{text}");
            let (mut before, mut after): (Value, Value) =
                (serde_json::from_str(text).unwrap(), serde_json::from_str(&extended).unwrap());
            assert_eq!(after[SERVERS][NAME]["args"], json!(["serve"]));
            after[SERVERS].as_object_mut().unwrap().remove(NAME);
            before[SERVERS] = before.get(SERVERS).cloned().unwrap_or(json!({}));
            assert_eq!(after, before, "nothing else changes: {text}");
        }
    }

    #[test]
    fn the_same_entry_is_ours_under_any_program_name() {
        let entry = r#""graph": { "command": "/tmp/graph-new", "args": ["serve"] }"#;
        let text = extended("{}", entry).unwrap().unwrap();
        assert_eq!(extended(&text, entry), Ok(None));
        let other = entry.replace("new", "old");
        assert!(extended(&text, &other).unwrap_err().contains("another server"));
    }

    #[test]
    fn our_server_is_recognised_by_its_command() {
        for (server, ours) in [
            (r#"{"command": "graph", "args": ["serve"]}"#, true),
            (r#"{"command": "/opt/bin/graph", "args": ["--db", "x", "serve"]}"#, true),
            (r#"{"command": "C:\\bin\\graph.exe", "args": ["serve"]}"#, true),
            (r#"{"command": "graph", "args": []}"#, false),
            (r#"{"command": "npx", "args": ["serve"]}"#, false),
            (r#"{"url": "http://graph"}"#, false),
            ("7", false),
        ] {
            let text = format!("{{\"mcpServers\": {{\"mine\": {server}}}}}");
            assert_eq!(extended(&text, ENTRY).unwrap().is_none(), ours, "{server}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_extended_has_a_reason() {
        for (text, problem) in [
            ("{", "it is not JSON: EOF while parsing an object at line 1 column 1"),
            ("{\n// no\n}", "it is not JSON: key must be a string at line 2 column 1"),
            ("[]", "it is not a JSON object"),
            ("{\"mcpServers\": []}", "`mcpServers` is not an object"),
            (
                "{\"mcpServers\": {\"graph\": {\"command\": \"x\"}}}",
                "`graph` is another server in it",
            ),
        ] {
            assert_eq!(extended(text, ENTRY).unwrap_err(), problem, "{text}");
        }
    }
}
