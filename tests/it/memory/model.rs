//! Random calls against a naive memory: every response must be the one of plain lists of rows.

use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, FileFailurePersistence, TestCaseResult},
};
use serde_json::{Map, Value, json};

use super::world::{Memory, equal, text};

const KINDS: [&str; 3] = ["Action", "Person", "Project"];
const LINKS: [&str; 4] = ["DependsOn", "NextAction", "WaitingFor", "Unheard"];
const KEYS: [&str; 5] = ["since", "follow_up_date", "a b", "$.x\"", "ключ"];
const TEXTS: [&str; 7] =
    ["Kitchen sink", "KITCHEN", "οδός ΟΔΟΣ", "ab", "", "100% _x_ \"AND\"", "日本語テキスト"];
const NEEDLES: [&str; 6] = ["kitchen", "ΟΔΌΣ", "b", "% _", "\"and\"", "本語"];

/// Numbers that are used modulo the number of existing things, so that every case shrinks.
type Bag = Vec<(u8, u8)>;

#[derive(Debug, Clone)]
enum Call {
    Create { kind: u8, text: u8, bytes: bool, bag: Bag },
    Update { node: u8, text: Option<u8>, bytes: bool, bag: Bag },
    Delete(u8),
    Connect { kind: u8, from: u8, to: u8, bag: Bag },
    Reconnect { connection: u8, bag: Bag },
    Disconnect(u8),
    Ensure { kind: u8, newest: bool, bag: Bag },
    Reopen,
}

fn bag() -> impl Strategy<Value = Bag> {
    vec((0..KEYS.len() as u8, any::<u8>()), 0..3)
}

fn call() -> impl Strategy<Value = Call> {
    let number = any::<u8>;
    prop_oneof![
        6 => (number(), number(), prop::bool::weighted(0.2), bag())
            .prop_map(|(kind, text, bytes, bag)| Call::Create { kind, text, bytes, bag }),
        3 => (number(), prop::option::of(number()), prop::bool::weighted(0.3), bag())
            .prop_map(|(node, text, bytes, bag)| Call::Update { node, text, bytes, bag }),
        1 => number().prop_map(Call::Delete),
        6 => (number(), number(), number(), bag())
            .prop_map(|(kind, from, to, bag)| Call::Connect { kind, from, to, bag }),
        2 => (number(), bag()).prop_map(|(connection, bag)| Call::Reconnect { connection, bag }),
        1 => number().prop_map(Call::Disconnect),
        2 => (number(), any::<bool>(), bag())
            .prop_map(|(kind, newest, bag)| Call::Ensure { kind, newest, bag }),
        1 => Just(Call::Reopen),
    ]
}

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    Config {
        cases: cases.unwrap_or(24),
        // A failing case is kept beside this file, and run first from then on.
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/it/memory/regressions.txt"
        )))),
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_memory_behaves_like_a_naive_one(calls in vec((call(), bag(), any::<u8>()), 1..40)) {
        let mut pair = Pair { memory: Memory::new(), nodes: Vec::new(), connections: Vec::new() };
        for (call, filter, look) in &calls {
            pair.step(call)?;
            pair.compare(&properties(filter), *look)?;
        }
        let ctx = pair.memory.app.ctx("a");
        let health = pair.memory.app.app.health(&ctx).unwrap();
        prop_assert_eq!(health.miscounts, Vec::<String>::new());
    }
}

/// Values of every type, with neighbours that rounding would make equal.
fn properties(bag: &Bag) -> Map<String, Value> {
    let values = [
        json!(1),
        json!(1.0),
        json!("1"),
        json!(true),
        json!("true"),
        json!(0),
        json!(false),
        json!(""),
        json!(9_007_199_254_740_993_i64),
        json!(9_007_199_254_740_992.0),
        json!(u64::MAX),
        json!(u64::MAX - 1),
    ];
    let pick = |(key, value): &(u8, u8)| {
        (KEYS[usize::from(*key)].to_owned(), values[usize::from(*value) % values.len()].clone())
    };
    bag.iter().map(pick).collect()
}

fn of<'a>(all: &[&'a str], number: u8) -> &'a str {
    all[usize::from(number) % all.len()]
}

struct Node {
    id: String,
    kind: &'static str,
    text: &'static str,
    bytes: bool,
    properties: Map<String, Value>,
}

struct Connection {
    id: String,
    kind: &'static str,
    from: String,
    to: String,
    properties: Map<String, Value>,
}

/// The memory under test, and plain lists of what it should hold, oldest first.
struct Pair {
    memory: Memory,
    nodes: Vec<Node>,
    connections: Vec<Connection>,
}

fn fits(properties: &Map<String, Value>, wanted: &Map<String, Value>) -> bool {
    wanted.iter().all(|(key, value)| properties.get(key).is_some_and(|held| equal(held, value)))
}

/// Content as it travels.
fn wire(text: &str, bytes: bool) -> (String, &'static str) {
    use base64::{Engine, engine::general_purpose::STANDARD};
    if bytes { (STANDARD.encode(text), "base64") } else { (text.to_owned(), "utf-8") }
}

impl Pair {
    /// The index of a node, sometimes of one that does not exist.
    fn node(&self, number: u8) -> Option<usize> {
        let place = usize::from(number) % (self.nodes.len() + 1);
        (place < self.nodes.len()).then_some(place)
    }

    fn id(&self, number: u8) -> String {
        self.node(number).map_or("mem_zzzzzzzzzz".to_owned(), |place| self.nodes[place].id.clone())
    }

    fn connection(&self, number: u8) -> Option<usize> {
        let place = usize::from(number) % (self.connections.len() + 1);
        (place < self.connections.len()).then_some(place)
    }

    fn connection_id(&self, number: u8) -> String {
        let found = self.connection(number);
        found.map_or("conn_zzzzzzzzzz".to_owned(), |place| self.connections[place].id.clone())
    }

    /// Calls a tool that must succeed where `refusal` is none, and else fail with that code.
    fn call(
        &mut self,
        tool: &str,
        ask: Value,
        refusal: Option<&str>,
    ) -> Result<Value, TestCaseError> {
        match self.memory.app.call("a", tool, ask.clone()) {
            Ok(answer) => {
                prop_assert_eq!(refusal, None, "{} {}", tool, ask);
                Ok(answer)
            }
            Err(error) => {
                prop_assert_eq!(
                    Some(error.code().as_str()),
                    refusal,
                    "{} {}: {}",
                    tool,
                    ask,
                    error
                );
                Ok(Value::Null)
            }
        }
    }

    fn step(&mut self, call: &Call) -> TestCaseResult {
        match call {
            Call::Create { kind, text: number, bytes, bag } => {
                let (kind, held, properties) =
                    (of(&KINDS, *kind), of(&TEXTS, *number), properties(bag));
                let (content, encoding) = wire(held, *bytes);
                let ask = json!({ "type": kind, "content": content, "encoding": encoding, "properties": properties });
                let id = text(&self.call("create_node", ask, None)?["node_id"]);
                self.nodes.push(Node { id, kind, text: held, bytes: *bytes, properties });
            }
            Call::Update { node, text: number, bytes, bag } => {
                let (place, properties) = (self.node(*node), properties(bag));
                let mut ask = json!({ "node_id": self.id(*node), "properties": properties });
                let held = number.map(|number| of(&TEXTS, number));
                if let Some(held) = held {
                    let (content, encoding) = wire(held, *bytes);
                    ask["content"] = json!(content);
                    ask["encoding"] = json!(encoding);
                }
                let refusal = match place {
                    None => Some("NODE_NOT_FOUND"),
                    Some(_) if held.is_none() && properties.is_empty() => Some("VALIDATION_ERROR"),
                    Some(_) => None,
                };
                self.call("update_node", ask, refusal)?;
                if let Some(place) = place {
                    let node = &mut self.nodes[place];
                    node.properties.extend(properties);
                    if let Some(held) = held {
                        (node.text, node.bytes) = (held, *bytes);
                    }
                }
            }
            Call::Delete(number) => {
                let (place, id) = (self.node(*number), self.id(*number));
                self.call(
                    "delete_node",
                    json!({ "node_id": id }),
                    place.is_none().then_some("NODE_NOT_FOUND"),
                )?;
                self.nodes.retain(|node| node.id != id);
                self.connections.retain(|one| one.from != id && one.to != id);
            }
            Call::Connect { kind, from, to, bag } => {
                self.connect(of(&LINKS, *kind), *from, *to, properties(bag))?
            }
            Call::Reconnect { connection, bag } => {
                let (place, properties) = (self.connection(*connection), properties(bag));
                let ask = json!({ "connection_id": self.connection_id(*connection), "properties": properties });
                let refusal = match place {
                    None => Some("CONNECTION_NOT_FOUND"),
                    Some(_) if properties.is_empty() => Some("VALIDATION_ERROR"),
                    Some(_) => None,
                };
                self.call("update_connection", ask, refusal)?;
                if let Some(place) = place {
                    self.connections[place].properties.extend(properties);
                }
            }
            Call::Disconnect(number) => {
                let (place, id) = (self.connection(*number), self.connection_id(*number));
                let refusal = place.is_none().then_some("CONNECTION_NOT_FOUND");
                self.call("delete_connection", json!({ "connection_id": id }), refusal)?;
                self.connections.retain(|one| one.id != id);
            }
            Call::Ensure { kind, newest, bag } => {
                let (kind, properties) = (of(&KINDS, *kind), properties(bag));
                let which = if *newest { "newest" } else { "oldest" };
                let ask = json!({ "type": kind, "properties": properties, "on_multiple": which });
                let answer = self.call("ensure_singleton_node", ask, None)?;
                let found: Vec<_> = self.found(Some(kind), &properties);
                let expected = if *newest { found.last() } else { found.first() };
                prop_assert_eq!(&answer["created"], &json!(expected.is_none()));
                match expected {
                    Some(expected) => prop_assert_eq!(&text(&answer["node_id"]), expected),
                    None => {
                        let id = text(&answer["node_id"]);
                        self.nodes.push(Node { id, kind, text: "", bytes: false, properties });
                    }
                }
            }
            Call::Reopen => self.memory.app.reopen(),
        }
        Ok(())
    }

    fn connect(
        &mut self,
        kind: &'static str,
        from: u8,
        to: u8,
        properties: Map<String, Value>,
    ) -> TestCaseResult {
        let ends = self.node(from).zip(self.node(to));
        let kinds = ends.map(|(from, to)| (self.nodes[from].kind, self.nodes[to].kind));
        let allowed = match kind {
            "DependsOn" => kinds == Some(("Action", "Action")),
            "NextAction" => kinds == Some(("Project", "Action")),
            _ => kinds.is_some_and(|(from, to)| from != "Person" && to == "Person"),
        };
        let required = ["since", "follow_up_date"];
        let refusal = if kind == "Unheard" {
            Some("INVALID_CONNECTION_TYPE")
        } else if ends.is_none() {
            Some("NODE_NOT_FOUND")
        } else if !allowed {
            Some("INVALID_TOPOLOGY")
        } else if kind == "WaitingFor" && !required.iter().all(|key| properties.contains_key(*key))
        {
            Some("REQUIRED_PROPERTY_MISSING")
        } else {
            None
        };
        let (from, to) = (self.id(from), self.id(to));
        let ask = json!({ "type": kind, "from_node_id": from, "to_node_id": to, "properties": properties });
        let answer = self.call("create_connection", ask, refusal)?;
        if refusal.is_none() {
            let id = text(&answer["connection_id"]);
            self.connections.push(Connection { id, kind, from, to, properties });
        }
        Ok(())
    }

    /// Ids of nodes of a type with these properties.
    fn found(&self, kind: Option<&str>, wanted: &Map<String, Value>) -> Vec<String> {
        let nodes = self.nodes.iter().filter(|node| kind.is_none_or(|kind| kind == node.kind));
        nodes.filter(|node| fits(&node.properties, wanted)).map(|node| node.id.clone()).collect()
    }

    /// Queries both with `filter` and `look`.
    fn compare(&mut self, filter: &Map<String, Value>, look: u8) -> TestCaseResult {
        let kind = look.is_multiple_of(2).then(|| of(&KINDS, look / 2));
        let found = self.memory.ids("query_nodes", json!({ "type": kind, "properties": filter }));
        prop_assert_eq!(found, self.found(kind, filter));

        let (from, link) = (
            (!look.is_multiple_of(3)).then(|| self.id(look)),
            (look % 5 > 1).then(|| of(&LINKS, look)),
        );
        let ask = json!({ "from_node_id": from, "type": link, "properties": filter });
        let expected: Vec<_> = self
            .connections
            .iter()
            .filter(|one| from.as_ref().is_none_or(|from| *from == one.from))
            .filter(|one| link.is_none_or(|link| link == one.kind))
            .filter(|one| fits(&one.properties, filter))
            .map(|one| one.id.clone())
            .collect();
        prop_assert_eq!(self.memory.ids("query_connections", ask), expected);

        let needle = of(&NEEDLES, look);
        let folded = needle.to_lowercase().replace('ς', "σ");
        let fold = |text: &str| text.to_lowercase().replace('ς', "σ");
        let expected: Vec<_> = self
            .nodes
            .iter()
            .filter(|node| !node.bytes && fold(node.text).contains(&folded))
            .map(|node| node.id.clone())
            .collect();
        prop_assert_eq!(
            self.memory.ids("search_content", json!({ "query": needle })),
            expected,
            "{}",
            needle
        );

        let Some(place) = self.node(look) else { return Ok(()) };
        let id = self.nodes[place].id.clone();
        for direction in ["out", "in", "both"] {
            let beside: Vec<_> = self
                .nodes
                .iter()
                .filter(|other| {
                    self.connections.iter().any(|one| {
                        let out = one.from == id && one.to == other.id;
                        let back = one.to == id && one.from == other.id;
                        (out && direction != "in") || (back && direction != "out")
                    })
                })
                .map(|other| other.id.clone())
                .collect();
            prop_assert_eq!(self.memory.connected(&id, direction), beside, "{}", direction);
        }
        let held = self.memory.get_node_content(json!({ "node_id": id }));
        let node = &self.nodes[place];
        let (content, encoding) = wire(node.text, node.bytes);
        prop_assert_eq!((&held["content"], &held["encoding"]), (&json!(content), &json!(encoding)));
        let facts = self.memory.get_node(json!({ "node_id": id }));
        let given = facts["properties"].as_object().unwrap();
        prop_assert_eq!(given.len(), node.properties.len());
        prop_assert!(fits(given, &node.properties), "{:?}", given);
        Ok(())
    }
}
