//! What the comparison has found, each as a test of its own.

use graph::{
    base::Result,
    db::inspect::inspect,
    work::{
        Filter, Next, Plan, Planned, Query, Update, next, next_claimed, open, plan, query, update,
    },
};
use serde_json::{Value, json};

use crate::support::TestApp;

const ROOT: &str = "n_0000000001";

fn project() -> TestApp {
    let mut app = TestApp::new();
    app.write("ann", |tx| open(tx, "first", None)).unwrap();
    app
}

fn plan_nodes(app: &mut TestApp, nodes: Value) -> Result<Planned> {
    let ask: Plan = serde_json::from_value(json!({ "nodes": nodes })).unwrap();
    app.write("ann", |tx| plan(tx, &ask))
}

#[test]
fn scope_leaves_the_node_itself_out_even_if_it_is_a_root() {
    let mut app = project();
    let settings = app.app.work();
    let ask = Next { scope: Some(ROOT.to_owned()), ..Next::default() };
    let answer = app.read("ann", |tx| next(tx, &settings, &ask)).unwrap();
    assert_eq!(answer.nodes, []);
}

#[test]
fn claiming_again_at_the_same_instant_changes_nothing() {
    let mut app = project();
    let settings = app.app.work();
    let mut rev = || {
        let answer = app.write("ann", |tx| next_claimed(tx, &settings, &Next::default())).unwrap();
        answer.nodes[0].node.rev
    };
    assert_eq!([rev(), rev()], [2, 2]);
}

#[test]
fn what_a_batch_reopens_and_then_unblocks_was_not_waiting_before() {
    let mut app = project();
    let nodes = json!([
        { "ref": "a", "summary": "alpha" },
        { "ref": "b", "summary": "beta", "depends_on": ["a"] },
    ]);
    let ids: Vec<_> =
        plan_nodes(&mut app, nodes).unwrap().created.into_iter().map(|one| one.id).collect();
    let mut set = |changes: &[(usize, bool)]| {
        let settings = app.app.work();
        let updates: Vec<_> = changes
            .iter()
            .map(|(index, resolved)| json!({ "node_id": ids[*index], "resolved": resolved }))
            .collect();
        let ask: Update = serde_json::from_value(json!({ "updates": updates })).unwrap();
        app.write("ann", |tx| update(tx, &settings, &ask)).unwrap().unblocked.newly_actionable
    };
    assert_eq!(set(&[(1, true)]), []);
    assert_eq!(set(&[(1, false), (0, true)]), []);
}

#[test]
fn next_claims_only_the_nodes_it_returns() {
    let mut app = project();
    let settings = app.app.work();
    let big = json!({ "big": "x".repeat(15_000) });
    let nodes: Vec<_> = (0..5)
        .map(|index| json!({ "ref": index.to_string(), "summary": "big", "properties": big }))
        .collect();
    plan_nodes(&mut app, json!(nodes)).unwrap();
    let ask = Next { count: Some(5), claim: true, ..Next::default() };
    let given = app.write("ann", |tx| next_claimed(tx, &settings, &ask)).unwrap().nodes;
    let filter = Filter { claimed_by: Some(Some("ann".to_owned())), ..Filter::default() };
    let ask = Query { filter, ..Query::default() };
    let claimed = app.read("ann", |tx| query(tx, &settings, &ask)).unwrap();
    assert_eq!(claimed.total, given.len() as i64);
}

#[test]
fn a_claim_with_an_invalid_time_blocks_no_agent() {
    for (by, at) in [(json!("bob"), json!(5)), (json!("bob"), json!("soon")), (json!(5), json!(5))]
    {
        let mut app = project();
        let settings = app.app.work();
        let claim = json!({ "_claimed_by": by, "_claimed_at": at });
        let ask: Update = serde_json::from_value(
            json!({ "updates": [{ "node_id": ROOT, "properties": claim }] }),
        )
        .unwrap();
        app.write("bob", |tx| update(tx, &settings, &ask)).unwrap();
        app.advance_minutes(24 * 60);
        let answer = app.read("ann", |tx| next(tx, &settings, &Next::default())).unwrap();
        assert_eq!(answer.nodes.len(), 1, "{claim}");
    }
}

#[test]
fn the_state_is_read_correctly_after_writes_of_other_connections() {
    let mut app = project();
    let mut other = app.another();
    for _ in 0..10 {
        plan_nodes(&mut app, json!([{ "ref": "a", "summary": "alpha" }])).unwrap();
    }
    let settings = app.app.work();
    let filter = Filter { text: Some("alpha".to_owned()), ..Filter::default() };
    let ask = Query { filter, ..Query::default() };
    app.read("ann", |tx| query(tx, &settings, &ask)).unwrap();
    for _ in 0..10 {
        plan_nodes(&mut other, json!([{ "ref": "a", "summary": "alpha" }])).unwrap();
    }
    let ctx = app.ctx("ann");
    assert_eq!(inspect(app.app.db(&ctx).unwrap()).unwrap().problems, Vec::<String>::new());
}
