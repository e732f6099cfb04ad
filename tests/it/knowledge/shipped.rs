//! Every call that a skill or a prompt shows is accepted unchanged, because agents copy it.

use serde_json::{Map, Value, json};

use crate::support::server::Server;

const SKILLS: [&str; 3] = [
    include_str!("../../../src/app/setup/skills/discovery.md"),
    include_str!("../../../src/app/setup/skills/planning.md"),
    include_str!("../../../src/app/setup/skills/execution.md"),
];
/// Tools that the texts call; an object without a name in front of it belongs to the last one.
const TOOLS: [&str; 10] = [
    "graph_onboard",
    "graph_open",
    "graph_next",
    "graph_brief",
    "graph_plan",
    "graph_update",
    "query_graph",
    "manage_graph",
    "manage_changelog",
    "kb_query",
];

/// The value for a placeholder that a text leaves to the caller.
type Fill = Map<String, Value>;

#[test]
fn every_call_that_is_shown_is_valid() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("graph_open", json!({ "project": "NAME" }));
    let nodes = json!([{ "ref": "t", "summary": "Pay by card" }]);
    let task = server.call("graph_plan", json!({ "nodes": nodes }))["created"][0]["id"].take();
    let new = json!({ "operation": "create", "entityType": "atom", "name": "A", "paths": ["src/**"], "knowledge": "x" });
    let atom = server.call("manage_graph", new)["data"]["atom"]["id"].take();

    let mut texts: Vec<String> = SKILLS.map(str::to_owned).to_vec();
    for name in ["discovery", "planning", "execution"] {
        let answer = server.ask(9, "prompts/get", json!({ "name": name, "arguments": {} }));
        let text = answer["result"]["messages"][0]["content"]["text"].as_str().unwrap();
        texts.push(text.split("What follows is data").next().unwrap().to_owned());
    }
    let mut called = Vec::new();
    for text in &texts {
        let mut tool = "";
        for (at, _) in text.match_indices('{') {
            // The inside of a call is not another one.
            if text[..at].matches('{').count() != text[..at].matches('}').count() {
                continue;
            }
            let before = text[..at].trim_end_matches([' ', '`', '\n']);
            tool = TOOLS.into_iter().find(|tool| before.ends_with(tool)).unwrap_or(tool);
            let get = json!({ "operation": "get", "entityType": "atom", "id": atom });
            let version = server.call("query_graph", get)["data"]["atom"]["version"].take();
            let fill = json!({
                "id": atom, "parentId": atom, "version": version, "knowledgeMode": "append",
                "knowledge": "y", "node_id": task, "taskId": task, "lastTaskId": task, "name": "B",
                "summary": "z", "query": "x", "paths": ["src/a.rs"],
                "nodes": [{ "ref": "n", "summary": "s" }],
                "add_evidence": [{ "type": "note", "ref": "done" }],
            });
            let Value::Object(fill) = fill else { unreachable!() };
            let arguments = Reader { rest: &text[at..], fill: &fill }.value("");
            let answer = server.try_call(tool, arguments.clone());
            assert!(answer.is_ok(), "{tool} {arguments}: {answer:?}");
            called.push(tool);
        }
    }
    server.end();
    for tool in TOOLS {
        assert!(called.contains(&tool), "{tool}: {called:?}");
    }
}

/// Reads an object as it is shown: JSON, or with bare words; `...` and a key alone leave the value open.
struct Reader<'a> {
    rest: &'a str,
    fill: &'a Fill,
}

impl Reader<'_> {
    fn value(&mut self, key: &str) -> Value {
        if self.takes("{") {
            let mut object = Map::new();
            while !self.takes("}") {
                let key = self.word();
                let value = if self.takes(":") { self.value(&key) } else { self.open(&key) };
                object.insert(key, value);
                self.takes(",");
            }
            return Value::Object(object);
        }
        if self.takes("[") {
            let mut list = Vec::new();
            while !self.takes("]") {
                if self.takes("...") {
                    assert!(self.takes("]"), "{}", self.rest);
                    return self.open(key);
                }
                list.push(self.value(key));
                self.takes(",");
            }
            return list.into();
        }
        if self.takes("...") {
            return self.open(key);
        }
        match self.word().as_str() {
            "true" => true.into(),
            word => word.into(),
        }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start();
        self.rest = rest.strip_prefix(sign).unwrap_or(rest);
        rest.starts_with(sign)
    }

    /// A word, or a text in quotes.
    fn word(&mut self) -> String {
        let quoted = self.takes("\"");
        let inside = |letter: char| match quoted {
            true => letter != '"',
            false => letter.is_ascii_alphanumeric() || letter == '_',
        };
        let end = self.rest.find(|letter| !inside(letter)).unwrap();
        assert!(quoted || end > 0, "{}", self.rest);
        let word = self.rest[..end].to_owned();
        self.rest = &self.rest[end + usize::from(quoted)..];
        word
    }

    fn open(&self, key: &str) -> Value {
        self.fill.get(key).unwrap_or_else(|| panic!("nothing to fill in for `{key}`")).clone()
    }
}
