//! The work graph by definition: plain maps, everything recomputed, nothing kept.

use std::collections::{BTreeMap, BTreeSet};

use graph::{
    base::{ErrorCode, Timestamp, props::Properties},
    work::{CLAIMED_AT, CLAIMED_BY, Counts, DEPENDS_ON},
};
use serde_json::{Value, json};

/// A refusal: the codes of all broken rules, because no rule defines which is reported first.
pub type Refused = Vec<ErrorCode>;

/// How long a claim lives, in milliseconds.
const CLAIM: i64 = 60 * 60_000;
/// A claim may be dated so far ahead: the clock may have been set back since.
const DAY: i64 = 24 * 60 * 60_000;
/// How many unblocked nodes a response lists.
const LISTED: usize = 20;

/// A node as the seed describes it.
#[derive(Debug, Clone)]
pub struct Task {
    /// The order of creation.
    pub order: usize,
    pub rev: i64,
    pub parent: Option<String>,
    pub summary: String,
    pub resolved: bool,
    pub state: Option<Value>,
    pub properties: Properties,
    pub links: Vec<String>,
    pub evidence: Vec<Value>,
    pub created: i64,
    pub updated: i64,
    /// The order of last changes.
    pub touched: usize,
    pub author: String,
}

/// The whole graph.
#[derive(Debug, Clone)]
pub struct Naive {
    pub tasks: BTreeMap<String, Task>,
    /// From, to, type.
    pub edges: BTreeSet<(String, String, String)>,
    /// Name and root.
    pub projects: Vec<(String, String)>,
    /// Merged away.
    pub gone: Vec<String>,
    /// What the clock shows, in milliseconds.
    pub clock: i64,
    /// When anything last changed.
    pub last: i64,
    /// Subject and action of the events of the last call.
    pub events: Vec<(String, &'static str)>,
    pub created: usize,
    pub changed: usize,
}

/// What a call that went through unblocked: the ids listed, and the number of the rest.
pub type Unblocked = (Vec<String>, usize);

pub fn text(millis: i64) -> String {
    Timestamp::from_millis(millis).to_string()
}

impl Naive {
    pub fn new(clock: i64) -> Self {
        Naive {
            tasks: BTreeMap::new(),
            edges: BTreeSet::new(),
            projects: Vec::new(),
            gone: Vec::new(),
            clock,
            last: i64::MIN,
            events: Vec::new(),
            created: 0,
            changed: 0,
        }
    }

    /// Runs a call on a copy: all of it happens, or nothing.
    pub fn call<T>(
        &mut self,
        f: impl FnOnce(&mut Naive) -> Result<T, Refused>,
    ) -> Result<(T, Unblocked), Refused> {
        let mut after = self.clone();
        after.events.clear();
        let answer = f(&mut after)?;
        let waited = |id: &String| {
            self.tasks.get(id).is_some_and(|t| !t.resolved && !self.is_actionable(id))
        };
        let mut unblocked = after.ranked(|id| waited(id) && after.is_actionable(id));
        let more = unblocked.len().saturating_sub(LISTED);
        unblocked.truncate(LISTED);
        if !after.events.is_empty() {
            after.last = after.now();
        }
        *self = after;
        Ok((answer, (unblocked, more)))
    }

    /// The instant of a call: time never goes backwards.
    pub fn now(&self) -> i64 {
        self.clock.max(self.last)
    }

    pub fn add(&mut self, id: &str, agent: &str, parent: Option<String>, summary: &str) {
        let task = Task {
            order: self.created,
            rev: 1,
            parent,
            summary: summary.to_owned(),
            resolved: false,
            state: None,
            properties: Properties::new(),
            links: Vec::new(),
            evidence: Vec::new(),
            created: self.now(),
            updated: self.now(),
            touched: self.changed,
            author: agent.to_owned(),
        };
        self.created += 1;
        self.changed += 1;
        self.tasks.insert(id.to_owned(), task);
        self.events.push((id.to_owned(), "created"));
    }

    /// Changes an existing node and records that.
    pub fn change(&mut self, id: &str, action: &'static str, f: impl FnOnce(&mut Task)) {
        let now = self.now();
        let task = self.tasks.get_mut(id).unwrap();
        f(task);
        task.rev += 1;
        task.updated = now;
        task.touched = self.changed;
        self.changed += 1;
        self.events.push((id.to_owned(), action));
    }

    // The tree.

    pub fn ids_by_age(&self) -> Vec<String> {
        let mut ids: Vec<_> = self.tasks.keys().cloned().collect();
        ids.sort_by_key(|id| self.tasks[id].order);
        ids
    }

    /// From the parent up to the root.
    pub fn ancestors(&self, id: &str) -> Vec<String> {
        let parent = |id: &String| self.tasks[id].parent.clone();
        std::iter::successors(parent(&id.to_owned()), parent).collect()
    }

    pub fn depth(&self, id: &str) -> usize {
        self.ancestors(id).len()
    }

    pub fn root(&self, id: &str) -> String {
        self.ancestors(id).pop().unwrap_or_else(|| id.to_owned())
    }

    pub fn is_below(&self, id: &str, ancestor: &str) -> bool {
        self.ancestors(id).iter().any(|one| one == ancestor)
    }

    /// A node and all below it, oldest first.
    pub fn subtree(&self, id: &str) -> Vec<String> {
        let mut ids = self.ids_by_age();
        ids.retain(|one| one == id || self.is_below(one, id));
        ids
    }

    // Readiness.

    pub fn open_children(&self, id: &str) -> usize {
        self.tasks.values().filter(|t| !t.resolved && t.parent.as_deref() == Some(id)).count()
    }

    /// What a node depends on, or what depends on it, oldest first.
    pub fn dependencies(&self, id: &str, out: bool) -> Vec<String> {
        let edges = self.edges.iter().filter(|edge| edge.2 == DEPENDS_ON);
        let ends = edges.map(|(from, to, _)| if out { (from, to) } else { (to, from) });
        let mut ids: Vec<_> =
            ends.filter(|(near, _)| *near == id).map(|(_, far)| far.clone()).collect();
        ids.sort_by_key(|id| self.tasks[id].order);
        ids
    }

    pub fn open_deps(&self, id: &str) -> usize {
        self.dependencies(id, true).iter().filter(|to| !self.tasks[*to].resolved).count()
    }

    pub fn is_blocked(&self, id: &str) -> bool {
        !self.tasks[id].resolved && self.open_deps(id) > 0
    }

    pub fn is_actionable(&self, id: &str) -> bool {
        !self.tasks[id].resolved && self.open_children(id) == 0 && self.open_deps(id) == 0
    }

    pub fn counts(&self, root: &str) -> Counts {
        let ids = self.subtree(root);
        let count = |f: &dyn Fn(&String) -> bool| ids.iter().filter(|id| f(id)).count() as i64;
        Counts {
            total: count(&|_| true),
            resolved: count(&|id| self.tasks[id].resolved),
            unresolved: count(&|id| !self.tasks[id].resolved),
            blocked: count(&|id| self.is_blocked(id)),
            actionable: count(&|id| self.is_actionable(id)),
        }
    }

    pub fn has_dependency_cycle(&self) -> bool {
        // A node without dependencies among the rest cannot lie on a cycle; remove such nodes until none is left.
        let mut left: BTreeSet<_> = self.edges.iter().filter(|edge| edge.2 == DEPENDS_ON).collect();
        loop {
            let waiting: BTreeSet<_> = left.iter().map(|edge| &edge.0).collect();
            let (stuck, free) = left.iter().partition::<BTreeSet<_>, _>(|e| waiting.contains(&e.1));
            if free.is_empty() {
                return !stuck.is_empty();
            }
            left = stuck;
        }
    }

    pub fn crosses_projects(&self) -> bool {
        self.edges
            .iter()
            .any(|(from, to, kind)| kind == DEPENDS_ON && self.root(from) != self.root(to))
    }

    // Ranking.

    pub fn priority(&self, id: &str) -> f64 {
        match self.tasks[id].properties.get("priority") {
            Some(Value::Number(number)) => number.as_f64().unwrap(),
            Some(Value::String(text)) => {
                text.trim().parse().ok().filter(|number: &f64| number.is_finite()).unwrap_or(0.0)
            }
            _ => 0.0,
        }
    }

    /// Best first: higher priority, then deeper, then least recently updated.
    pub fn ranked(&self, wanted: impl Fn(&String) -> bool) -> Vec<String> {
        let ids = self.tasks.keys().filter(|id| wanted(id));
        let mut keyed: Vec<_> =
            ids.map(|id| (self.priority(id), self.depth(id), &self.tasks[id], id)).collect();
        keyed.sort_by(|a, b| {
            let priority = b.0.partial_cmp(&a.0).unwrap();
            priority.then(b.1.cmp(&a.1)).then(a.2.touched.cmp(&b.2.touched))
        });
        keyed.into_iter().map(|(.., id)| id.clone()).collect()
    }

    /// The agent that has claimed the node; None if the claim is stale or too far in the future.
    pub fn holder(&self, id: &str) -> Option<String> {
        let text = |key| self.tasks[id].properties.get(key).and_then(Value::as_str);
        let since: Timestamp = text(CLAIMED_AT)?.parse().ok()?;
        let live = self.clock - CLAIM < since.millis() && since.millis() <= self.clock + DAY;
        live.then(|| text(CLAIMED_BY).map(str::to_owned))?
    }

    /// The nodes that an agent may claim: its own first, then the unclaimed.
    pub fn next(&self, agent: &str, inside: &str, whole: bool) -> Vec<String> {
        let fits = |id: &String| {
            self.is_actionable(id) && (self.is_below(id, inside) || whole && id == inside)
        };
        let mut ids = self.ranked(|id| fits(id) && self.holder(id).as_deref() == Some(agent));
        ids.extend(self.ranked(|id| fits(id) && self.holder(id).is_none()));
        ids
    }

    // What callers see.

    /// A node as the tools show it.
    pub fn node(&self, id: &str) -> Value {
        let task = &self.tasks[id];
        let mut node = json!({
            "id": id, "rev": task.rev, "summary": task.summary, "resolved": task.resolved,
            "properties": task.properties, "context_links": task.links, "evidence": task.evidence,
            "created_at": text(task.created), "updated_at": text(task.updated), "created_by": task.author,
        });
        if let Some(parent) = &task.parent {
            node["parent"] = json!(parent);
        }
        if let Some(state) = &task.state {
            node["state"] = state.clone();
        }
        node
    }

    /// A node with what the engine keeps about it.
    pub fn row(&self, id: &str) -> Value {
        let task = &self.tasks[id];
        let mut row = self.node(id);
        let status = match () {
            () if task.resolved => "resolved",
            () if self.open_deps(id) > 0 => "blocked",
            () if self.open_children(id) > 0 => "open",
            () => "actionable",
        };
        let kept = json!({
            "parent": task.parent, "state": task.state, "project": self.root(id), "depth": self.depth(id),
            "priority": self.priority(id), "open_children": self.open_children(id),
            "open_deps": self.open_deps(id), "status": status,
        });
        row.as_object_mut().unwrap().extend(kept.as_object().unwrap().clone());
        row
    }
}
