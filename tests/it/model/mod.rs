//! Random calls on the work graph and on a naive one, compared after every step.

mod answers;
mod arguments;
mod calls;
mod naive;
mod ops;
mod peek;
mod pinned;
mod replan;

use std::fmt::Debug;

use graph::{
    base::Result,
    db::inspect::inspect,
    work::{
        self, Context, History, Next, Settings, advance, connect, context, find_project, history,
        next, next_claimed, plan, query, restructure, update,
    },
};
use proptest::{
    prelude::*,
    test_runner::{Config, FileFailurePersistence, TestCaseResult},
};
use serde_json::json;

use self::{
    answers::{briefed, listed, wanted},
    naive::{Naive, Refused, Unblocked},
    ops::{AGENTS, Call, Step, TIMES},
    peek::Peek,
};
use crate::support::TestApp;

/// An agent that never claims anything.
const OBSERVER: &str = "eve";

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    Config {
        cases: cases.unwrap_or(64),
        // A failing case is kept beside this file, and run first from then on.
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/it/model/regressions.txt"
        )))),
        max_shrink_iters: 4_000,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_work_graph_behaves_like_a_naive_one(steps in ops::steps()) {
        let mut pair = Pair::new();
        for step in &steps {
            pair.step(step)?;
            pair.compare(step)?;
        }
        pair.finish()?;
    }
}

/// The graph under test, open in two applications, and the naive one.
struct Pair {
    apps: [TestApp; 2],
    settings: Settings,
    naive: Naive,
    peek: Peek,
    /// All that the file held before the step.
    before: Vec<String>,
    /// Events seen so far.
    events: usize,
}

impl Pair {
    fn new() -> Self {
        let mut app = TestApp::new();
        let mut naive = Naive::new(app.ctx(OBSERVER).clock.now().millis());
        for name in ["first", "second"] {
            let opened = app.write("ann", |tx| work::open(tx, name, None)).unwrap();
            let root = opened.root.unwrap().id;
            let add = |naive: &mut Naive| -> std::result::Result<(), Refused> {
                naive.projects.push((name.to_owned(), root.clone()));
                naive.add(&root, "ann", None, name);
                Ok(())
            };
            naive.call(add).unwrap();
        }
        let mut peek = Peek::new(app.db_path());
        assert!(peek.dump().iter().any(|row| row.starts_with("search_index_data ")));
        let (before, settings) = (peek.dump(), app.app.work());
        Pair { apps: [app.another(), app], settings, naive, peek, before, events: 2 }
    }

    /// Applies the same call to both, and compares the results.
    fn step(&mut self, step: &Step) -> TestCaseResult {
        let (agent, settings) = (AGENTS[step.agent], self.settings);
        let (app, naive) = (&mut self.apps[step.app], &mut self.naive);
        match &step.call {
            Call::Plan { project, nodes } => {
                let ask = naive.plan_argument(*project, nodes);
                let answer = app.write(agent, |tx| plan(tx, &ask));
                let ids: Vec<_> =
                    answer.iter().flat_map(|a| &a.created).map(|one| one.id.clone()).collect();
                let refs: Vec<_> = ask.nodes.iter().map(|node| node.r#ref.clone()).collect();
                let expected = naive.call(|naive| naive.plan(agent, &ask, &ids));
                if let Some((answer, _)) = self.both(answer, expected)? {
                    let created = answer.created.into_iter().map(|one| one.r#ref);
                    prop_assert_eq!(created.collect::<Vec<_>>(), refs);
                }
            }
            Call::Update(items) => {
                let ask = naive.update_argument(items);
                let answer = app.write(agent, |tx| update(tx, &settings, &ask));
                let expected = naive.call(|naive| naive.update(agent, &ask));
                if let Some((answer, ((revs, held), unblocked))) = self.both(answer, expected)? {
                    let updated: Vec<_> = answer.updated.iter().map(|one| one.rev).collect();
                    prop_assert_eq!(updated, revs);
                    prop_assert_eq!(answer.warnings, held);
                    same_list(&answer.unblocked, unblocked)?;
                }
            }
            Call::Connect(edges) => {
                let ask = naive.connect_argument(edges);
                let answer = app.write(agent, |tx| connect(tx, &settings, &ask));
                let expected = naive.call(|naive| naive.connect(&ask));
                if let Some((answer, (reasons, unblocked))) = self.both(answer, expected)? {
                    prop_assert_eq!(
                        answer.applied,
                        reasons.iter().filter(|one| one.is_none()).count()
                    );
                    let given: Vec<_> = answer.rejected.iter().map(|one| one.reason).collect();
                    prop_assert_eq!(given, reasons.into_iter().flatten().collect::<Vec<_>>());
                    same_list(&answer.unblocked, unblocked)?;
                }
            }
            Call::Restructure(shapes) => {
                let ask = naive.restructure_argument(shapes);
                let answer = app.write(agent, |tx| restructure(tx, &settings, &ask));
                let expected = naive.call(|naive| naive.restructure(agent, &ask));
                if let Some((answer, ((), unblocked))) = self.both(answer, expected)? {
                    prop_assert_eq!((answer.applied, answer.details.len()), (ask.len(), ask.len()));
                    same_list(&answer.unblocked, unblocked)?;
                }
            }
            Call::Claim { project, scope, kind, count } => {
                let ask = Next {
                    count: Some(*count),
                    claim: true,
                    ..naive.next_argument(*project, *scope, *kind)
                };
                let answer = app.write(agent, |tx| next_claimed(tx, &settings, &ask));
                let expected = naive.call(|naive| {
                    let mut ids = wanted(naive, agent, &ask)?;
                    ids.truncate(*count);
                    ids.iter().for_each(|id| naive.claim(agent, id));
                    Ok(ids)
                });
                if let Some((answer, (ids, _))) = self.both(answer, expected)? {
                    let nodes: Vec<_> = answer.nodes.iter().map(|one| json!(one.node)).collect();
                    let shown = |id: &String| {
                        let mut node = self.naive.node(id);
                        // A response lists the latest five pieces of a node's evidence.
                        if let Some(evidence) = node["evidence"].as_array_mut() {
                            evidence.drain(..evidence.len().saturating_sub(5));
                        }
                        node
                    };
                    let expected: Vec<_> = ids.iter().map(shown).collect();
                    prop_assert_eq!(nodes, expected);
                }
            }
            Call::Advance { node, wrong } => {
                let ask = naive.advance_argument(*node, *wrong);
                let answer = app.write(agent, |tx| advance(tx, &settings, &ask));
                let expected = naive.call(|naive| naive.advance(agent, &ask.id, ask.version));
                if let Some((answer, ((), unblocked))) = self.both(answer, expected)? {
                    prop_assert_eq!(answer.task.version, self.naive.tasks[&ask.id].rev);
                    let given = work::Unblocked {
                        newly_actionable: answer.unblocked_entities,
                        newly_actionable_omitted: answer.unblocked_entities_omitted,
                    };
                    same_list(&given, unblocked)?;
                }
            }
            Call::Clock(index) => {
                app.advance_millis(TIMES[*index]);
                naive.clock += TIMES[*index];
                naive.events.clear();
            }
            Call::Reopen => {
                app.reopen();
                self.peek.close();
                naive.events.clear();
            }
        }
        Ok(())
    }

    /// Both succeed, or both fail: then with a code that the naive one has, and nothing was changed.
    fn both<A: Debug, B: Debug>(
        &mut self,
        answer: Result<A>,
        expected: std::result::Result<B, Refused>,
    ) -> std::result::Result<Option<(A, B)>, TestCaseError> {
        match (answer, expected) {
            (Ok(answer), Ok(expected)) => Ok(Some((answer, expected))),
            (Err(error), Err(codes)) => {
                self.naive.events.clear();
                prop_assert!(codes.contains(&error.code()), "{error} instead of {codes:?}");
                prop_assert_eq!(&self.peek.dump(), &self.before);
                Ok(None)
            }
            (answer, expected) => {
                Err(TestCaseError::fail(format!("{answer:?} instead of {expected:?}")))
            }
        }
    }

    /// Compares all that is stored and all that can be asked.
    fn compare(&mut self, step: &Step) -> TestCaseResult {
        self.before = self.peek.dump();
        let ids = self.naive.ids_by_age();
        let nodes = self.peek.nodes();
        prop_assert_eq!(nodes.len(), ids.len());
        for (node, id) in nodes.iter().zip(&ids) {
            prop_assert_eq!(node, &self.naive.row(id));
        }
        prop_assert_eq!(self.peek.edges(), self.naive.edges.iter().cloned().collect::<Vec<_>>());
        prop_assert_eq!(self.peek.indexed(), self.naive.tasks.keys().cloned().collect::<Vec<_>>());
        let (at, agent) = (naive::text(self.naive.now()), AGENTS[step.agent]);
        let mut expected: Vec<_> = std::mem::take(&mut self.naive.events)
            .into_iter()
            .map(|(subject, action)| [subject, action.to_owned(), at.clone(), agent.to_owned()])
            .collect();
        let mut events = self.peek.events(self.events);
        self.events += events.len();
        expected.sort();
        events.sort();
        prop_assert_eq!(events, expected);

        // Through the other application too, which has its own connection and its own prepared statements.
        let app = &mut self.apps[usize::from(step.look) % 2];
        let (naive, settings) = (&self.naive, self.settings);
        for (name, root) in &naive.projects {
            let opened = app.read(OBSERVER, |tx| find_project(tx, name)).unwrap().unwrap();
            prop_assert_eq!(opened.summary, Some(naive.counts(root)));
            prop_assert_eq!(json!(opened.root), naive.node(root));
            for agent in [OBSERVER, AGENTS[usize::from(step.look) % AGENTS.len()]] {
                let ask =
                    Next { project: Some(name.clone()), count: Some(1_000), ..Next::default() };
                let answer = app.read(agent, |tx| next(tx, &settings, &ask)).unwrap();
                let given: Vec<_> = answer.nodes.iter().map(|one| one.node.id.clone()).collect();
                let expected = naive.next(agent, root, true);
                prop_assert_eq!(given.len() + answer.omitted, expected.len());
                prop_assert_eq!(&given[..], &expected[..given.len()]);
                for one in answer.nodes.iter().filter(|_| agent == OBSERVER) {
                    prop_assert_eq!(json!(one), briefed(naive, &one.node.id));
                }
            }
        }
        Self::compare_query(app, naive, settings, step.look)?;
        Self::compare_context(app, naive, &ids[usize::from(step.look) % ids.len()])
    }

    fn compare_query(
        app: &mut TestApp,
        naive: &Naive,
        settings: Settings,
        look: u8,
    ) -> TestCaseResult {
        let (root, mut ask) = naive.query_argument(look);
        let expected: Vec<_> = listed(naive, &root, &ask);
        let mut given = Vec::new();
        loop {
            let found = app.read(OBSERVER, |tx| query(tx, &settings, &ask)).unwrap();
            prop_assert_eq!(found.total, expected.len() as i64, "{:?}", ask);
            given.extend(found.nodes.into_iter().map(|node| node.id));
            ask.cursor = found.next_cursor;
            if ask.cursor.is_none() {
                break;
            }
        }
        prop_assert_eq!(given, expected, "{:?}", ask);
        Ok(())
    }

    fn compare_context(app: &mut TestApp, naive: &Naive, id: &str) -> TestCaseResult {
        let ask = Context { node_id: id.to_owned(), depth: Some(0) };
        let answer = app.read(OBSERVER, |tx| context(tx, &ask)).unwrap();
        prop_assert_eq!(json!(answer.node), naive.node(id));
        let mut ancestors: Vec<_> = answer.ancestors.into_iter().map(|one| one.id).collect();
        ancestors.reverse();
        prop_assert_eq!(ancestors, naive.ancestors(id));
        let seen = |list: Vec<work::Dependency>| -> Vec<_> {
            list.into_iter().map(|one| (one.node.id, one.satisfied)).collect()
        };
        let expected = |out: bool| -> Vec<_> {
            let done = |other: &str| naive.tasks[if out { other } else { id }].resolved;
            naive.dependencies(id, out).into_iter().map(|id| (id.clone(), done(&id))).collect()
        };
        for (list, omitted, out) in [
            (answer.depends_on, answer.depends_on_omitted, true),
            (answer.depended_by, answer.depended_by_omitted, false),
        ] {
            let (seen, expected) = (seen(list), expected(out));
            prop_assert_eq!(seen.len() + omitted, expected.len());
            prop_assert_eq!(&seen[..], &expected[..seen.len()]);
        }
        let children =
            naive.tasks.values().filter(|task| task.parent.as_deref() == Some(id)).count();
        prop_assert_eq!((answer.children.len(), answer.children_omitted), (0, children));
        Ok(())
    }

    /// The file is sound, and what was merged away can still be read about.
    fn finish(&mut self) -> TestCaseResult {
        let app = &mut self.apps[0];
        for id in &self.naive.gone {
            let ask = History { node_id: id.clone(), limit: Some(1), cursor: None };
            let past = app.read(OBSERVER, |tx| history(tx, &ask)).unwrap();
            prop_assert_eq!(&past.events[0].action, "merged");
        }
        // Reopened: SQLite checks a text index as this connection has cached it, not as others have written it.
        app.reopen();
        let ctx = app.ctx(OBSERVER);
        prop_assert_eq!(inspect(app.app.db(&ctx).unwrap()).unwrap().problems, Vec::<String>::new());
        Ok(())
    }
}

fn same_list(given: &work::Unblocked, expected: Unblocked) -> TestCaseResult {
    let ids: Vec<_> = given.newly_actionable.iter().map(|one| one.id.clone()).collect();
    prop_assert_eq!((ids, given.newly_actionable_omitted), expected, "newly actionable");
    Ok(())
}
