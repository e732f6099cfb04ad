use super::*;

fn refused(line: &[u8]) -> (Value, i32) {
    match decode(line) {
        Incoming::Refused(refusal) => (refusal.id, refusal.code.0),
        other => panic!("{}: {other:?}", String::from_utf8_lossy(line)),
    }
}

#[test]
fn a_defective_line_gets_its_code_and_its_id_where_that_is_usable() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}1{}}}"#,
        r#"{"a":"#.repeat(600),
        "}".repeat(600)
    );
    // The id may come last, and the rest may be as wrong as it likes.
    let wide = format!(
        r#"{{"jsonrpc":"2.0","method":"ping","params":[{}0],"id":"w"}}"#,
        "0,".repeat(json::MAX_VALUES)
    );
    let unfinished = format!(r#"{{"id":1,"params":{}"#, "[".repeat(1_000_000));
    let deep_id = format!(r#"{{"id":{}{}}}"#, "[".repeat(600), "]".repeat(600));
    for (line, id, code) in [
        ("{", json!(null), -32700),
        ("not json", json!(null), -32700),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, json!(null), -32700),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}"#, json!(1), -32700),
        (
            r#"{"params":{"id":2,"a":[Infinity]},"x":"id","id" : "\"}","method":"ping"}"#,
            json!("\"}"),
            -32700,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"x}"#, json!(null), -32700),
        ("[]", json!(null), -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, json!(null), -32600),
        ("5", json!(null), -32600),
        (r#""text""#, json!(null), -32600),
        ("true", json!(null), -32600),
        ("null", json!(null), -32600),
        ("{}", json!(null), -32600),
        (deep.as_str(), json!(1), -32600),
        (wide.as_str(), json!("w"), -32600),
        (unfinished.as_str(), json!(null), -32600),
        (deep_id.as_str(), json!(null), -32600),
        (r#"{"id":1,"method":"ping"}"#, json!(1), -32600),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a"), -32600),
        (r#"{"jsonrpc":2.0,"id":"a","method":"ping"}"#, json!("a"), -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, json!(1), -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, json!(1), -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, json!(1), -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, json!(null), -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(null), -32600),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, json!(null), -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, json!(null), -32600),
        (r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#, json!(null), -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#, json!(1), -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"nope","params":[]}"#, json!(1), -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, json!(1), -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, json!(1), -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":1}}"#, json!(1), -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, json!(1), -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#, json!(1), -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}"#, json!(1), -32602),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":5}}"#,
            json!(1),
            -32602,
        ),
    ] {
        assert_eq!(refused(line.as_bytes()), (id, code), "{line}");
    }
    assert_eq!(refused(b"{\"a\": \"\xff\"}"), (json!(null), -32700));
}

#[test]
fn requests_go_on_and_what_needs_no_answer_is_dropped() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r",
        r#"{"jsonrpc":"2.0","id":"","method":"ping","params":null}"#,
        r#"{"jsonrpc":"2.0","id":-1,"method":"tools/list","params":{"cursor":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":"{}"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":"\ud800"}}}"#,
    ] {
        assert!(matches!(decode(line.as_bytes()), Incoming::Request(..)), "{line}");
    }
    for line in [
        "",
        " \t\r",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"nope","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{}}"#,
    ] {
        assert!(matches!(decode(line.as_bytes()), Incoming::Nothing), "{line}");
    }
    let line =
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#;
    assert!(matches!(decode(line), Incoming::Cancelled(RequestId::String(_))));
}

#[test]
fn a_call_carries_its_arguments_as_they_arrived() {
    let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":"[1]","_meta":{"k":1}}}"#;
    let Incoming::Request(_, request) = decode(line) else {
        panic!("a request");
    };
    let ClientRequest::CallToolRequest(call) = *request else {
        panic!("a call");
    };
    let arrived = call.extensions.get::<Arrived>().unwrap();
    assert_eq!(arrived.arguments, json!("[1]"));
    assert_eq!(arrived.bytes, line.len());
    assert!(call.extensions.get::<RequestMetaObject>().is_some());
}

#[test]
fn every_method_that_rmcp_types_is_known() {
    // A method that is typed but not listed would be called unknown when its params are bad.
    for method in ["prompts/list", "resources/list", "resources/templates/list", "server/discover"]
    {
        assert!(request(method, None, 0).is_ok(), "{method}");
        assert!(is_known(method), "{method}");
    }
}

#[test]
fn an_id_that_is_whole_is_answered_however_it_is_written() {
    let id = |line: &str| match decode(line.as_bytes()) {
        Incoming::Request(id, _) => Some(id.into_json_value()),
        _ => None,
    };
    assert_eq!(id(r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#), Some(json!(1)));
    assert_eq!(id(r#"{"jsonrpc":"2.0","id":1e3,"method":"ping"}"#), Some(json!(1000)));
    assert_eq!(id(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), None);
    assert_eq!(id(r#"{"jsonrpc":"2.0","id":1e300,"method":"ping"}"#), None);
}

#[test]
fn an_id_is_text_or_a_whole_number_and_not_long() {
    let line = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}"#);
    let id = "i".repeat(MAX_ID);
    let Incoming::Request(read, _) = decode(line(&id).as_bytes()) else { panic!("not read") };
    assert_eq!(read.into_json_value(), json!(id));
    assert_eq!(refused(line(&format!("{id}i")).as_bytes()), (json!(null), -32600));
}

#[test]
fn what_is_not_utf8_or_too_long_is_answered_by_its_id() {
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}";
    assert_eq!(refused(line), (json!(7), -32700));
    for (start, id) in [
        (r#"{"jsonrpc":"2.0","id":"a","params":{"content":"xxx"#, json!("a")),
        (r#"{"jsonrpc":"2.0","params":{"id":3,"content":"xxx"#, json!(null)),
        (r#"{"id":"#, json!(null)),
        (r#"{"id"#, json!(null)),
        ("", json!(null)),
    ] {
        assert_eq!(id_of(start.as_bytes(), false), id, "{start}");
    }
}
