//! Random calls as plain data: numbers that are used modulo the number of existing things, so that every case shrinks.

use proptest::{collection::vec, option, prelude::*};
use serde_json::{Value, json};

pub const AGENTS: [&str; 3] = ["ann", "bob", "cyd"];
pub const SUMMARIES: [&str; 7] =
    ["alpha", "Beta one", "gamma rays", "ALPHA two", "Äpfel δ", "  padded  ", " "];
pub const LINKS: [&str; 5] = ["src/a.rs", "src/b.rs", " src/a.rs ", "https://x.test", " "];
pub const KINDS: [&str; 4] = ["depends_on", "relates_to", "child_of", " "];
pub const EVIDENCE: [&str; 4] = ["note", "git", "test", " "];
/// Milliseconds to move the clock; a claim lives for an hour.
pub const TIMES: [i64; 8] =
    [1, 1_000, 60_000, 29 * 60_000, 3_599_999, 3_600_000, -60_000, -2 * 3_600_000];

/// Property values of every kind that matters; time begins with 2026.
pub fn property(index: u8) -> (String, Value) {
    let all = [
        ("priority", json!(5)),
        ("priority", json!(-3)),
        ("priority", json!(2.5)),
        ("priority", json!("5")),
        ("priority", json!(" 7 ")),
        ("priority", json!("high")),
        ("priority", json!(true)),
        ("priority", json!(null)),
        ("priority", json!(-0.0)),
        ("priority", json!(1e300)),
        ("kind", json!("bug")),
        ("kind", json!(null)),
        ("kind", json!(["bug", { "deep": null }])),
        ("_claimed_by", json!("ann")),
        ("_claimed_by", json!("dan")),
        ("_claimed_by", json!(null)),
        ("_claimed_at", json!("2026-01-01T00:30:00.000Z")),
        ("_claimed_at", json!("2026-01-01T03:00:00.000Z")),
        ("_claimed_at", json!(null)),
    ];
    let (key, value) = &all[usize::from(index) % all.len()];
    ((*key).to_owned(), value.clone())
}

#[derive(Debug, Clone)]
pub struct Step {
    pub agent: usize,
    /// Which of the two applications on the file.
    pub app: usize,
    pub call: Call,
    /// What to compare afterwards.
    pub look: u8,
}

#[derive(Debug, Clone)]
pub enum Call {
    Plan { project: u8, nodes: Vec<NewNode> },
    Update(Vec<Item>),
    Connect(Vec<Edge>),
    Restructure(Vec<Shape>),
    Claim { project: u8, scope: Option<u8>, kind: Option<u8>, count: usize },
    Advance { node: u8, wrong: i64 },
    Clock(usize),
    Reopen,
}

#[derive(Debug, Clone)]
pub struct NewNode {
    pub name: u8,
    pub summary: usize,
    pub parent: Option<Target>,
    pub depends_on: Vec<Target>,
    pub properties: Vec<u8>,
    pub links: Vec<usize>,
}

#[derive(Debug, Clone)]
pub enum Target {
    /// A node of the batch that comes before this one.
    Earlier(u8),
    /// Any node of the batch.
    Batch(u8),
    Existing(u8),
}

#[derive(Debug, Clone)]
pub struct Item {
    pub node: u8,
    /// True or false, from 2 on the other of the two.
    pub resolved: Option<u8>,
    pub summary: Option<usize>,
    pub state: Option<u8>,
    pub properties: Vec<u8>,
    pub add_links: Vec<usize>,
    pub remove_links: Vec<usize>,
    pub evidence: Vec<usize>,
    /// How far the expected rev is from the present one.
    pub wrong: Option<i64>,
}

#[derive(Debug, Clone)]
pub struct Edge {
    pub from: u8,
    pub to: u8,
    pub kind: usize,
    pub remove: bool,
}

#[derive(Debug, Clone)]
pub enum Shape {
    Move(u8, u8),
    Merge(u8, u8),
    Drop(u8, bool),
}

/// Mostly a node; from 240 on one that was deleted or never existed.
fn pick() -> impl Strategy<Value = u8> {
    prop_oneof![100 => 0..240u8, 1 => 240..=255u8]
}

/// A batch of a few, rarely of none.
fn few<T: Strategy>(item: impl Fn() -> T, most: usize) -> impl Strategy<Value = Vec<T::Value>> {
    prop_oneof![50 => vec(item(), 1..=most), 1 => vec(item(), 0..=most)]
}

/// An index, the last of which is a bad value and therefore rare.
fn mostly(length: usize) -> impl Strategy<Value = usize> {
    prop_oneof![200 => 0..length - 1, 1 => Just(length - 1)]
}

fn new_node() -> impl Strategy<Value = NewNode> {
    let existing = || pick().prop_map(Target::Existing);
    let earlier = || any::<u8>().prop_map(Target::Earlier);
    let batch = || any::<u8>().prop_map(Target::Batch);
    let parent = prop_oneof![20 => existing(), 20 => earlier(), 1 => batch()];
    let target = prop_oneof![20 => existing(), 20 => earlier(), 1 => batch()];
    (
        pick(),
        mostly(SUMMARIES.len()),
        option::weighted(0.7, parent),
        vec(target, 0..3),
        vec(any::<u8>(), 0..3),
        vec(mostly(LINKS.len()), 0..3),
    )
        .prop_map(|(name, summary, parent, depends_on, properties, links)| NewNode {
            name,
            summary,
            parent,
            depends_on,
            properties,
            links,
        })
}

fn item() -> impl Strategy<Value = Item> {
    (
        pick(),
        option::weighted(0.6, 0..8u8),
        option::weighted(0.2, mostly(SUMMARIES.len())),
        option::weighted(0.2, 0..4u8),
        vec(any::<u8>(), 0..3),
        vec(mostly(LINKS.len()), 0..2),
        vec(0..LINKS.len() - 1, 0..2),
        vec(mostly(EVIDENCE.len()), 0..2),
        option::weighted(0.2, prop_oneof![4 => Just(0), 1 => -1..2i64]),
    )
        .prop_map(
            |(
                node,
                resolved,
                summary,
                state,
                properties,
                add_links,
                remove_links,
                evidence,
                wrong,
            )| {
                Item {
                    node,
                    resolved,
                    summary,
                    state,
                    properties,
                    add_links,
                    remove_links,
                    evidence,
                    wrong,
                }
            },
        )
}

fn edge() -> impl Strategy<Value = Edge> {
    let kind = prop_oneof![60 => Just(0), 12 => Just(1), 2 => Just(2), 1 => Just(3)];
    (pick(), pick(), kind, prop::bool::weighted(0.4)).prop_map(|(from, to, kind, remove)| Edge {
        from,
        to,
        kind,
        remove,
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        4 => (pick(), pick()).prop_map(|(node, parent)| Shape::Move(node, parent)),
        3 => (pick(), pick()).prop_map(|(source, target)| Shape::Merge(source, target)),
        2 => (pick(), prop::bool::weighted(0.02)).prop_map(|(node, blank)| Shape::Drop(node, blank)),
    ]
}

fn call() -> impl Strategy<Value = Call> {
    let project = || prop_oneof![24 => Just(0u8), 8 => Just(1), 1 => Just(2), 1 => Just(3)];
    let claim =
        (project(), option::weighted(0.3, pick()), option::weighted(0.2, any::<u8>()), 1..4usize);
    prop_oneof![
        6 => (project(), few(new_node, 5)).prop_map(|(project, nodes)| Call::Plan { project, nodes }),
        8 => few(item, 4).prop_map(Call::Update),
        5 => few(edge, 4).prop_map(Call::Connect),
        5 => few(shape, 3).prop_map(Call::Restructure),
        4 => claim.prop_map(|(project, scope, kind, count)| Call::Claim { project, scope, kind, count }),
        2 => (pick(), prop_oneof![5 => Just(0), 1 => -1..2i64])
            .prop_map(|(node, wrong)| Call::Advance { node, wrong }),
        3 => (0..TIMES.len()).prop_map(Call::Clock),
        1 => Just(Call::Reopen),
    ]
}

/// The first plans of both projects, and the operations after them.
pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = |call| Step { agent: 0, app: 0, call, look: 0 };
    let plan = move |project, most| {
        vec(new_node(), 0..=most).prop_map(move |nodes| step(Call::Plan { project, nodes }))
    };
    let then = (0..AGENTS.len(), 0..2usize, call(), any::<u8>())
        .prop_map(|(agent, app, call, look)| Step { agent, app, call, look });
    (plan(0, 8), plan(0, 8), plan(1, 6), vec(then, 1..38)).prop_map(
        |(first, second, third, then)| [first, second, third].into_iter().chain(then).collect(),
    )
}
