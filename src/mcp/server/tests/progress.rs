//! A client that requests progress is notified of the progress of a long call.

use super::*;

/// Calls a tool with or without a progress token; returns all messages up to its response.
fn notifications(session: &mut Session, arguments: Value, token: Option<Value>) -> Vec<Value> {
    let mut params = json!({ "name": "test_count", "arguments": arguments });
    if let Some(token) = token {
        params["_meta"] = json!({ "progressToken": token });
    }
    session.send(json!(1), "tools/call", params);
    let mut notifications = Vec::new();
    loop {
        let message = session.next().unwrap();
        if message["id"] == 1 {
            assert_eq!(message["result"]["isError"], false, "{message}");
            return notifications;
        }
        notifications.push(message);
    }
}

#[test]
fn progress_grows_comes_before_the_answer_and_at_a_pace() {
    let mut session = Session::opened();
    for token in [json!("a"), json!(7)] {
        let start = Instant::now();
        let long = json!({ "n": 50, "text": "p".repeat(SHORT_LINE) });
        let notifications = notifications(&mut session, long, Some(token.clone()));
        assert!(
            !notifications.is_empty()
                && notifications.len() <= start.elapsed().as_millis() as usize / 100
        );
        let mut last = 0.0;
        for message in notifications {
            assert_eq!(message["method"], "notifications/progress", "{message}");
            let params = &message["params"];
            assert_eq!(params["progressToken"], token, "{message}");
            let progress = params["progress"].as_f64().unwrap();
            assert!(last < progress && progress <= 50.0, "{message}");
            assert!(progress == 50.0 || params["total"] == 50.0, "{message}");
            last = progress;
        }
    }
    assert!(session.end().is_empty());
}

#[test]
fn nobody_is_told_who_did_not_ask_or_got_the_answer_at_once() {
    let mut session = Session::opened();
    let long = json!({ "n": 30, "text": "o".repeat(SHORT_LINE) });
    assert!(notifications(&mut session, long, None).is_empty());
    assert!(notifications(&mut session, json!({ "n": 1 }), Some(json!("b"))).is_empty());
    assert!(session.end().is_empty());
}
