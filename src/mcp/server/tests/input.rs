//! The input is read by the server or by its helper, and neither delays responses or the client.

use super::*;

fn cancel(session: &mut Session, id: u32) {
    let params = json!({ "requestId": id });
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    session.line(&cancelled.to_string());
}

#[test]
fn a_client_may_send_everything_before_it_reads_anything() {
    let mut session = Session::opened();
    // Neither the requests nor the responses fit into their pipe.
    let text = "t".repeat(6_000);
    for id in 1..=1000 {
        session.call(id, "test_echo", json!({ "n": id, "text": text }));
    }
    let mut answered = Vec::new();
    for _ in 1..=1000 {
        let answer = session.next().unwrap();
        assert_eq!(answer["result"]["structuredContent"]["text"], text);
        answered.push(answer["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, (1..=1000).collect::<Vec<_>>());
    // Afterwards the server has its reader again.
    session.ping();
    assert!(session.end().is_empty());
}

#[test]
fn the_input_may_end_while_a_call_is_at_work() {
    let mut session = Session::opened();
    let long = "s".repeat(SHORT_LINE);
    session.call(1, "test_hold", json!({ "n": 1, "text": long }));
    session.ping();
    drop(session.input.take());
    HOLDS[1].open();
    assert_eq!(session.next().unwrap()["id"], 1);
    assert!(session.end().is_empty());
}

#[test]
fn half_a_line_keeps_nobody_waiting() {
    let ping = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }).to_string();
    let mut session = Session::opened();
    // While nothing else goes on, and right behind a whole line.
    let (first, second) = (ping(1), ping(2));
    session.bytes(&first.as_bytes()[..10]);
    session.bytes(&first.as_bytes()[10..]);
    session.bytes(b"\n");
    assert_eq!(session.next().unwrap()["id"], 1);
    session.bytes(format!("{first}\n{}", &second[..10]).as_bytes());
    assert_eq!(session.next().unwrap()["id"], 1);
    session.line(&second[10..]);
    assert_eq!(session.next().unwrap()["id"], 2);
    // While a call is at work: its answer does not wait for the rest of the line.
    session.call(3, "test_hold", json!({ "n": 2, "text": "r".repeat(SHORT_LINE) }));
    session.ping();
    session.bytes(&second.as_bytes()[..10]);
    HOLDS[2].open();
    assert_eq!(session.next().unwrap()["id"], 3);
    session.line(&second[10..]);
    assert_eq!(session.next().unwrap()["id"], 2);
    assert!(session.end().is_empty());
}

#[test]
fn only_the_ids_that_were_cancelled_last_stay_taken() {
    let mut session = Session::opened();
    session.call(1, "test_hold", json!({ "n": 3, "text": "p".repeat(SHORT_LINE) }));
    // Queued behind it, and given up.
    for id in 2..400 {
        session.call(id, "test_echo", json!({}));
        cancel(&mut session, id);
    }
    session.ping();
    session.call(399, "test_echo", json!({}));
    assert_eq!(session.next().unwrap()["error"]["code"], -32600);
    session.call(2, "test_echo", json!({ "n": 2 }));
    session.ping();
    HOLDS[3].open();
    assert_eq!(session.next().unwrap()["id"], 1);
    assert_eq!(session.next().unwrap()["result"]["structuredContent"], json!({ "n": 2 }));
    assert!(session.end().is_empty());
}

#[test]
fn a_cancelled_call_stops_also_when_the_client_falls_silent_or_leaves() {
    let mut session = Session::opened();
    session.call(1, "test_spin", json!({ "text": "q".repeat(SHORT_LINE) }));
    cancel(&mut session, 1);
    // The server ends only when the call has: nothing else would stop it.
    assert!(session.end().is_empty());
}

#[test]
fn what_is_nested_as_deep_as_is_read_has_room_on_the_serving_thread() {
    let mut session = Session::opened();
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    session.line(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"test_echo","arguments":{{"text":{deep}}}}}}}"#
    ));
    let answer = session.next().unwrap();
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "VALIDATION_ERROR");
    session.end();
}
