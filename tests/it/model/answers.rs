//! What the naive graph returns.

use graph::{
    base::{
        ErrorCode::{NotFound, ValidationError},
        props,
    },
    work::{Filter, Next, Query, Sort},
};
use serde_json::{Value, json};

use super::naive::{Naive, Refused};

/// What graph_next must return: the codes of the rules that the arguments break, or all ids in order.
pub fn wanted(naive: &Naive, agent: &str, ask: &Next) -> Result<Vec<String>, Refused> {
    let named = ask.project.as_ref().map(|name| naive.project(name));
    let scope = ask.scope.clone().filter(|id| naive.tasks.contains_key(id));
    if named == Some(None) || scope.is_none() && ask.scope.is_some() {
        return Err(vec![NotFound]);
    }
    let root = named.flatten().or(scope.as_ref().map(|scope| naive.root(scope)));
    let Some(root) = root else { return Err(vec![ValidationError]) };
    if scope.as_ref().is_some_and(|scope| naive.root(scope) != root) {
        return Err(vec![ValidationError]);
    }
    let whole = scope.is_none();
    let mut ids = naive.next(agent, scope.as_ref().unwrap_or(&root), whole);
    ids.retain(|id| props::matches(&naive.tasks[id].properties, &ask.filter));
    Ok(ids)
}

/// A node as graph_next returns it, with its context.
pub fn briefed(naive: &Naive, id: &str) -> Value {
    let mut up = naive.ancestors(id);
    up.reverse();
    let named = |id: &String| json!({ "id": id, "summary": naive.tasks[id].summary });
    let linked = up.iter().filter(|id| !naive.tasks[*id].links.is_empty());
    let inherited: Vec<_> =
        linked.map(|id| json!({ "node_id": id, "links": naive.tasks[id].links })).collect();
    let mut deps = naive.dependencies(id, true);
    deps.retain(|id| naive.tasks[id].resolved);
    let resolved_deps: Vec<_> = deps
        .iter()
        .take(10)
        .map(|id| {
            let all = &naive.tasks[id].evidence;
            let omitted = all.len().saturating_sub(3);
            let mut dep =
                json!({ "id": id, "summary": naive.tasks[id].summary, "evidence": all[omitted..] });
            if omitted > 0 {
                dep["evidence_omitted"] = json!(omitted);
            }
            dep
        })
        .collect();
    let mut brief = json!({
        "node": naive.node(id),
        "ancestors": up.iter().map(named).collect::<Vec<_>>(),
        "context_links": { "self": naive.tasks[id].links, "inherited": inherited },
        "resolved_deps": resolved_deps,
    });
    let earlier = naive.tasks[id].evidence.len().saturating_sub(5);
    if earlier > 0 {
        brief["node"]["evidence"] = json!(naive.tasks[id].evidence[earlier..]);
        brief["evidence_omitted"] = json!(earlier);
    }
    if deps.len() > 10 {
        brief["resolved_deps_omitted"] = json!(deps.len() - 10);
    }
    brief
}

/// The ids that a query must find, in its order.
pub fn listed(naive: &Naive, root: &str, ask: &Query) -> Vec<String> {
    let fits = |id: &String| {
        let Filter { resolved, text, ancestor, has_evidence_type, .. } = &ask.filter;
        let task = &naive.tasks[id];
        let summary = task.summary.to_lowercase();
        resolved.is_none_or(|wanted| task.resolved == wanted)
            && text.as_ref().is_none_or(|text| summary.contains(&text.to_lowercase()))
            && ancestor.as_ref().is_none_or(|ancestor| naive.is_below(id, ancestor))
            && has_evidence_type
                .as_ref()
                .is_none_or(|kind| task.evidence.iter().any(|one| one["type"] == **kind))
            && ask.filter.is_leaf.is_none_or(|wanted| (naive.open_children(id) == 0) == wanted)
            && ask.filter.is_actionable.is_none_or(|wanted| naive.is_actionable(id) == wanted)
            && ask.filter.is_blocked.is_none_or(|wanted| naive.is_blocked(id) == wanted)
            && ask.filter.claimed_by.as_ref().is_none_or(|wanted| naive.holder(id) == *wanted)
    };
    let mut ids = naive.subtree(root);
    ids.retain(fits);
    match ask.sort {
        Sort::Readiness => {
            let mut ranked = naive.ranked(|id| ids.contains(id) && naive.is_actionable(id));
            ids.retain(|id| !naive.is_actionable(id));
            ranked.append(&mut ids);
            return ranked;
        }
        Sort::Depth => ids.sort_by_key(|id| std::cmp::Reverse(naive.depth(id))),
        Sort::Recent => {
            ids.sort_by_key(|id| naive.tasks[id].touched);
            ids.reverse();
        }
        Sort::Created => {}
    }
    ids
}
