//! Which of two records wins: both sides get the same content, in any order of imports.

use serde_json::{Value, json};

use super::world::{World, records};

/// Two databases with one past that went on apart.
fn parted() -> (World, World) {
    let mut here = World::full();
    let mut there = World::empty();
    there.import(&here.export()).unwrap();
    // One clock: the four minutes of their past, and ten more.
    there.app.advance_minutes(14);
    here.app.advance_minutes(10);
    (here, there)
}

fn update(world: &mut World, agent: &str, node: &str, summary: &str) {
    let arguments = json!({ "updates": [{ "node_id": node, "summary": summary }] });
    world.app.call(agent, "graph_update", arguments).unwrap();
}

fn of(export: &str, id: &str) -> Value {
    records(export).into_iter().find(|record| record["id"] == id).unwrap()
}

/// Imports each into the other, from what they were before, and compares.
#[track_caller]
fn meet(here: &mut World, there: &mut World) -> String {
    let (ours, theirs) = (here.export(), there.export());
    here.import(&theirs).unwrap();
    there.import(&ours).unwrap();
    assert_eq!(here.export(), there.export());
    assert_eq!((here.miscounts(), there.miscounts()), (vec![], vec![]));
    here.export()
}

#[test]
fn the_higher_version_wins_then_the_newer_then_the_last_name() {
    let (mut here, mut there) = parted();
    update(&mut here, "a", "n_0000000003", "twice here");
    update(&mut here, "a", "n_0000000003", "twice, here");
    there.app.advance_minutes(5);
    update(&mut there, "z", "n_0000000003", "once there, and later");
    update(&mut there, "a", "n_0000000005", "later there");
    update(&mut here, "z", "n_0000000005", "earlier here");
    there.app.advance_minutes(-15);
    let (mut third, mut fourth) = parted();
    update(&mut third, "a", "n_0000000005", "by a");
    update(&mut fourth, "b", "n_0000000005", "by b");

    let met = meet(&mut here, &mut there);
    assert_eq!(of(&met, "n_0000000003")["summary"], "twice, here");
    assert_eq!(of(&met, "n_0000000005")["summary"], "later there");
    let met = meet(&mut third, &mut fourth);
    assert_eq!(of(&met, "n_0000000005")["summary"], "by b");
    assert_eq!(of(&met, "n_0000000005")["updated_by"], "b");
}

#[test]
fn records_that_differ_with_equal_stamps_are_decided_alike_on_both_sides() {
    let (mut here, mut there) = parted();
    update(&mut here, "a", "n_0000000005", "one");
    update(&mut there, "a", "n_0000000005", "two");
    let met = meet(&mut here, &mut there);
    assert_eq!(of(&met, "n_0000000005")["summary"], "two");
}

#[test]
fn records_of_every_domain_are_merged() {
    let (mut here, mut there) = parted();
    let molecule = records(&here.export())
        .into_iter()
        .find(|record| record["type"] == "knowledge.molecule")
        .unwrap()["id"]
        .clone();
    for (world, agent, word) in [(&mut here, "a", "here"), (&mut there, "b", "there")] {
        let app = &mut world.app;
        if agent == "b" {
            app.advance_minutes(1);
        }
        app.call(
            agent,
            "manage_graph",
            json!({ "operation": "update", "entityType": "molecule", "id": molecule,
            "version": 1, "knowledge": word }),
        )
        .unwrap();
        let kitchen = app.query_nodes(json!({ "type": "Project" }))["node_ids"][0].clone();
        app.call(
            agent,
            "update_node",
            json!({ "node_id": kitchen, "content": word, "encoding": "utf-8" }),
        )
        .unwrap();
        app.call(agent, "add_node_type", json!({ "type_name": word })).unwrap();
        app.call(
            agent,
            "kb_upsert",
            json!({ "entities": [{ "id": "REQ-1", "type": "req", "title": word,
            "status": "approved" }] }),
        )
        .unwrap();
        let id = format!("n_000000000{}", if agent == "a" { 5 } else { 6 });
        app.call(
            agent,
            "graph_restructure",
            json!({ "operations": [
            { "op": "move", "node_id": id, "new_parent": "n_0000000002" }] }),
        )
        .ok();
        app.call(
            agent,
            "graph_update",
            json!({ "updates": [{ "node_id": "n_0000000003", "resolved": agent == "b" }] }),
        )
        .unwrap();
    }
    let met = meet(&mut here, &mut there);
    assert_eq!(of(&met, molecule.as_str().unwrap())["knowledge"], "there");
    let titles: Vec<Value> = records(&met)
        .into_iter()
        .filter(|record| record["id"] == "REQ-1")
        .map(|record| json!([record["branch"], record["title"]]))
        .collect();
    assert_eq!(json!(titles), json!([["feature/x", "Pay"], ["main", "there"]]));
    let types = of(&met, "ontology")["node_types"].clone();
    assert_eq!(types, json!(["Action", "Context", "Person", "Project", "here", "there"]));
    assert_eq!(
        here.app.search_content(json!({ "query": "there" }))["node_ids"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn moves_on_both_sides_that_form_a_cycle_are_refused() {
    let (mut here, mut there) = parted();
    let hang = |world: &mut World, node: &str, parent: &str| {
        world.app.graph_restructure(json!({ "operations": [
        { "op": "move", "node_id": node, "new_parent": parent }] }));
    };
    let plan = json!({ "project": "other", "nodes": [{ "ref": "x", "summary": "x" }, { "ref": "y", "summary": "y" }] });
    let made = here.app.graph_plan(plan);
    let id = |at: usize| made["created"][at]["id"].as_str().unwrap().to_owned();
    there.import(&here.export()).unwrap();
    hang(&mut here, &id(0), &id(1));
    hang(&mut there, &id(1), &id(0));
    let (ours, theirs) = (here.export(), there.export());
    for (world, text) in [(&mut here, &theirs), (&mut there, &ours)] {
        let before = world.app.dump();
        let fault = world.import(text).unwrap_err().into_fault("r");
        assert!(fault.message.contains("makes it its own ancestor"), "{}", fault.message);
        assert_eq!(world.app.dump(), before);
    }
}

#[test]
fn a_node_that_names_itself_as_its_parent_is_refused_new_or_known() {
    let (mut here, _) = parted();
    let plan = json!({ "project": "other", "nodes": [{ "ref": "x", "summary": "x" }] });
    let id = here.app.graph_plan(plan)["created"][0]["id"].as_str().unwrap().to_owned();
    let header = here.export().lines().next().unwrap().to_owned();
    for id in [id.as_str(), "n_zzzzzzzzzz"] {
        let node = json!({ "type": "work.node", "id": id, "version": 99, "updated_at": "2027-01-01T00:00:00.000Z",
            "updated_by": "a", "parent": id, "summary": "x", "resolved": false,
            "created_at": "2027-01-01T00:00:00.000Z", "created_by": "a", "order": 1 });
        let before = here.app.dump();
        let fault = here
            .import(&format!("{header}\n{node}\n{{\"end\":true}}\n"))
            .unwrap_err()
            .into_fault("r");
        assert!(fault.message.contains("makes it its own ancestor"), "{}", fault.message);
        assert_eq!(here.app.dump(), before);
    }
}

#[test]
fn dependencies_that_close_a_cycle_together_are_refused() {
    let (mut here, mut there) = parted();
    let depend = |world: &mut World, from: &str, to: &str| {
        let done = world
            .app
            .graph_connect(json!({ "edges": [{ "from": from, "to": to, "type": "depends_on" }] }));
        assert_eq!(done["applied"], 1);
    };
    depend(&mut here, "n_0000000005", "n_0000000006");
    depend(&mut there, "n_0000000006", "n_0000000005");
    let before = here.app.dump();
    let fault = here.import(&there.export()).unwrap_err().into_fault("r");
    assert_eq!(fault.code.as_str(), "CYCLE_DETECTED");
    assert!(
        fault.message.contains("line ") && fault.message.contains("n_0000000006 depends_on"),
        "{}",
        fault.message
    );
    assert_eq!(here.app.dump(), before);
}

#[test]
fn two_projects_with_one_name_are_not_merged() {
    let (mut here, mut there) = (World::full(), World::empty());
    there.app.graph_open(json!({ "project": "shop" }));
    let theirs = there.export().replace("n_0000000001", "n_00000000zz");
    let fault = here.import(&theirs).unwrap_err().into_fault("r");
    assert_eq!(fault.code.as_str(), "CONFLICT", "{}", fault.message);
    assert!(fault.message.contains("`shop`") && fault.hint.is_some(), "{}", fault.message);
}

#[test]
fn a_name_that_is_not_imported_blocks_no_other() {
    let mut here = World::empty();
    here.app.graph_open(json!({ "project": "zz" }));
    here.app.graph_open(json!({ "project": "b" }));
    let renamed = here.export().replace(r#""name":"zz""#, r#""name":"q""#);
    let renamed = renamed.replace(r#""name":"b""#, r#""name":"q""#);
    here.import(&renamed).unwrap();
    let names = |world: &mut World| {
        let listed = world.app.graph_open(json!({}));
        let names = listed["projects"].as_array().unwrap().iter();
        names.map(|it| it["project"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&mut here), ["q", "zz"], "the name that sorts last stays");
    let before = here.export();
    here.import(&renamed).unwrap();
    assert_eq!(here.export(), before, "the second time nothing is new");
}
