//! `graph doctor` over a memory: derived data must agree with its source.

use serde_json::json;

use super::{
    directory::{foreign, import, rich},
    world::Memory,
};
use crate::support::{
    binary::{directory, doctor_after, run},
    values::table,
};

fn miscounts(m: &mut Memory) -> Vec<String> {
    let ctx = m.app.ctx("a");
    m.app.app.health(&ctx).unwrap().miscounts
}

#[test]
fn a_memory_of_any_content_agrees_with_a_recount() {
    let (mut m, _home) = rich();
    let id = m.node(
        "Action",
        "odd",
        json!({ "q\"\\\n\t.$[0]": "ä \"q\" \\ \n", "zero": -0.0, "large": 1e300, "small": 5e-324,
            "third": 0.1 + 0.2, "min": i64::MIN, "max": i64::MAX, "beyond": u64::MAX, "yes": true, "no": false,
            "empty": "", "fraction": 123_456_789.123_456_78 }),
    );
    m.update_node(json!({ "node_id": id, "properties": { "yes": "true", "min": 1.0 } }));
    m.update_node(json!({ "node_id": id, "content": "AP8=", "encoding": "base64" }));
    m.update_node(json!({ "node_id": id, "content": "", "encoding": "utf-8" }));
    assert_eq!(miscounts(&mut m), Vec::<String>::new());
    m.delete_node(json!({ "node_id": id }));
    assert_eq!(miscounts(&mut m), Vec::<String>::new());

    // A directory may hold what no tool lets in.
    let (_keep, home) = directory();
    let nul = json!({ "properties": { "a": "b\0c", "d\0e": 1 } });
    foreign(&home.join("theirs"), &[("nul", nul, "_content/nodes/nul.md", b"with\0nul")]);
    import(&home, &home.join("theirs")).ok();
    assert!(run(&home, &["doctor"]).ok().contains("✓ agree with a recount"));
}

#[test]
fn doctor_finds_derived_data_that_differs_from_a_memory() {
    let (_m, home) = rich();
    for [tampering, finding] in table(
        r"
        UPDATE memory_node_properties SET value = 'other' WHERE key = 'status' | properties of a memory: mem_0000000001 keeps 3, a recount finds 4
        UPDATE memory_node_properties SET value = value + 1 WHERE key = 'big' | properties of a memory: mem_0000000006 keeps 1, a recount finds 2
        UPDATE memory_node_properties SET kind = 'boolean' WHERE key = 'n' | properties of a memory: mem_0000000001 keeps 3, a recount finds 4
        DELETE FROM memory_node_properties WHERE key = 'b' | keeps 3, a recount finds 4
        INSERT INTO memory_node_properties VALUES ('Context', 'x', 'string', 'y', 2) | properties of a memory: mem_0000000002 keeps 0, a recount finds 0
        INSERT INTO memory_node_properties VALUES ('Context', 'x', 'string', 'y', 99) | properties without a memory: x of number 99 keeps 1, a recount finds 0
        UPDATE memory_connection_properties SET value = 0.2 | properties of a connection: conn_0000000008 keeps 0, a recount finds 1
        DELETE FROM memory_node_contents WHERE owner = 1 | contents of a memory: mem_0000000001 keeps 0, a recount finds 1
        DELETE FROM search_entries WHERE subject = 'mem_0000000001' | entries of a memory in the text index: mem_0000000001 keeps 0, a recount finds 1
        DELETE FROM search_waiting WHERE id = (SELECT id FROM search_entries WHERE subject = 'mem_0000000001') | entries of a memory in the text index: mem_0000000001 keeps 0, a recount finds 1
        DELETE FROM search_index WHERE rowid = (SELECT id FROM search_entries WHERE subject = 'mem_0000000001') | entries of a memory in the text index: mem_0000000001 keeps 0, a recount finds 1
        UPDATE memory_nodes SET encoding = 'base64' WHERE seq = 1 | entries of a memory in the text index: mem_0000000001 keeps 1, a recount finds 0
        UPDATE search_entries SET subject = 'mem_gone' WHERE subject = 'mem_0000000001' | entries in the text index without a memory: mem_gone keeps 1, a recount finds 0
        ",
    ) {
        let (changed, out) = doctor_after(&home, tampering);
        assert_eq!(changed, 1, "{tampering}");
        assert!(out.contains(finding), "{tampering}: {out}");
    }
}
