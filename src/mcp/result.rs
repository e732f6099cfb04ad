//! What a call's outcome looks like on the wire: the same compact JSON for every kind of client.
//!
//! Some clients show the model only the text block, others only the structured content, so each
//! carries the whole response. A fault is a response too, never a protocol error.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolResult, ContentBlock, JsonRpcMessage, JsonRpcVersion2_0, RequestId, ServerResult,
    },
    service::TxJsonRpcMessage,
};
use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};

use crate::base::{Error, Fault, Result, text};

/// Characters of an error at the most, as JSON; with its envelope it stays under 2,000.
const MAX_ERROR: usize = 1_950;
/// What is left to each part when the whole is too long.
const MAX_MESSAGE: usize = 600;
const MAX_HINT: usize = 200;
const MAX_DETAIL_TEXT: usize = 120;

/// Folds the outcome of a call into rmcp's result, which has the response as text; [`Outgoing`] adds the rest.
///
/// With `envelope` a fault is `{"success": false, "error": …}`, as that tool's seed has it.
pub(super) fn fold(outcome: Result<String>, envelope: bool, request: &str) -> CallToolResult {
    match outcome {
        Ok(answer) => CallToolResult::success(vec![ContentBlock::text(answer)]),
        Err(error) => {
            let error = error_body(error, request);
            let fault = match envelope {
                true => json!({ "success": false, "error": error }),
                false => json!({ "error": error }),
            };
            CallToolResult::error(vec![ContentBlock::text(fault.to_string())])
        }
    }
}

/// A message on its way to the client. The response of a tool is serialized once and sent twice, as text and as
/// structured content.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Outgoing<'a> {
    Answer { jsonrpc: JsonRpcVersion2_0, id: &'a RequestId, result: InBothBlocks<'a> },
    Other(&'a TxJsonRpcMessage<RoleServer>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InBothBlocks<'a> {
    #[serde(flatten)]
    text: &'a CallToolResult,
    structured_content: &'a RawValue,
}

impl<'a> From<&'a TxJsonRpcMessage<RoleServer>> for Outgoing<'a> {
    fn from(message: &'a TxJsonRpcMessage<RoleServer>) -> Self {
        if let JsonRpcMessage::Response(response) = message
            && let ServerResult::CallToolResult(text) = &response.result
            && let Some(ContentBlock::Text(block)) = text.content.first()
            && let Ok(structured_content) = serde_json::from_str(&block.text)
        {
            let result = InBothBlocks { text, structured_content };
            return Outgoing::Answer { jsonrpc: response.jsonrpc, id: &response.id, result };
        }
        Outgoing::Other(message)
    }
}

/// The error of a request that is no tool call, where the protocol has no other place for a fault.
pub(super) fn protocol_error(error: Error, request: &str) -> ErrorData {
    let internal = matches!(error, Error::Internal(_));
    let body = error_body(error, request);
    let message = body["message"].as_str().unwrap_or_default().to_owned();
    match internal {
        true => ErrorData::internal_error(message, Some(body)),
        false => ErrorData::invalid_params(message, Some(body)),
    }
}

/// The error object that a caller sees; the cause of a defect goes to the log and no further.
fn error_body(error: Error, request: &str) -> Value {
    if let Error::Internal(cause) = &error {
        tracing::error!(request, cause = %cause, "internal error in request {request}: {cause}");
    }
    let fault = bounded(error.into_fault(request));
    serde_json::to_value(&fault).unwrap_or_else(|_| json!({ "code": fault.code.as_str() }))
}

/// The fault, cut where it is longer than an error may be.
fn bounded(mut fault: Fault) -> Fault {
    if size(&fault) <= MAX_ERROR {
        return fault;
    }
    fault.message = text::shorten(&fault.message, MAX_MESSAGE);
    fault.hint = fault.hint.map(|hint| text::shorten(&hint.to_string(), MAX_HINT).into());
    // Halving the longest list until it fits keeps the beginning of each, which names the cause.
    while let Some(details) = &mut fault.details {
        shorten_texts(details);
        if size(&fault) <= MAX_ERROR {
            break;
        }
        let Some(details) = &mut fault.details else {
            break;
        };
        if !halve_longest_list(details) {
            fault.details = Some(json!({ "left_out": "the details are too long" }));
            break;
        }
    }
    fault
}

fn size(fault: &Fault) -> usize {
    serde_json::to_string(fault).map_or(usize::MAX, |text| text.chars().count())
}

fn shorten_texts(value: &mut Value) {
    match value {
        Value::String(written) => *written = text::shorten(written, MAX_DETAIL_TEXT),
        Value::Array(items) => items.iter_mut().for_each(shorten_texts),
        Value::Object(fields) => fields.values_mut().for_each(shorten_texts),
        _ => {}
    }
}

/// Halves the longest list among the details and counts what was left out; false if there is none.
fn halve_longest_list(details: &mut Value) -> bool {
    let Value::Object(fields) = details else {
        return false;
    };
    let longest = fields
        .iter()
        .filter_map(|(name, value)| Some((value.as_array()?.len(), name.clone())))
        .max();
    let Some((length, name)) = longest.filter(|(length, _)| *length > 1) else {
        return false;
    };
    if let Some(Value::Array(items)) = fields.get_mut(&name) {
        items.truncate(length / 2);
    }
    count_left_out(fields, &name, length - length / 2);
    true
}

fn count_left_out(fields: &mut Map<String, Value>, name: &str, more: usize) {
    let key = format!("{name}_left_out");
    let before = fields.get(&key).and_then(Value::as_u64).unwrap_or(0);
    fields.insert(key, json!(before + more as u64));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ErrorCode;

    /// Both blocks of a result on the wire, which must be equal.
    fn shown(result: &CallToolResult) -> Value {
        let message = JsonRpcMessage::response(result.clone().into(), RequestId::Number(7));
        let mut sent = serde_json::to_value(Outgoing::from(&message)).unwrap();
        assert_eq!((&sent["jsonrpc"], &sent["id"]), (&json!("2.0"), &json!(7)));
        let structured = sent["result"]["structuredContent"].take();
        assert_eq!(sent["result"]["content"][0]["text"], structured.to_string());
        structured
    }

    #[test]
    fn an_answer_is_the_same_in_both_blocks() {
        let answer = json!({ "b": 1, "a": [null] }).to_string();
        let result = fold(Ok(answer), false, "r");
        assert_eq!(shown(&result), json!({ "b": 1, "a": [null] }));
        assert_eq!(result.is_error, Some(false));
    }

    #[test]
    fn a_fault_is_a_result_in_the_shape_of_its_tool() {
        let fault = || Err(Fault::not_found("id", "node", "n_1").hint("list them").into());
        let error = json!({ "code": "NOT_FOUND",
            "message": "`id` is `n_1`, and there is no such node",
            "details": { "field": "id" }, "hint": "list them" });
        let plain = fold(fault(), false, "r");
        assert_eq!(shown(&plain), json!({ "error": error }));
        assert_eq!(plain.is_error, Some(true));
        let enveloped = fold(fault(), true, "r");
        assert_eq!(shown(&enveloped), json!({ "success": false, "error": error }));
    }

    #[test]
    fn a_defect_shows_its_request_and_not_its_cause() {
        let result = fold(Err(Error::internal("secret")), false, "r7");
        let shown = shown(&result).to_string();
        assert!(shown.contains("INTERNAL_ERROR") && shown.contains("r7"), "{shown}");
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn errors_are_bounded_and_say_what_was_left_out() {
        let long = "ä\"".repeat(5_000);
        let ids: Vec<_> = (0..1_000).map(|i| format!("n_{i:010}")).collect();
        for details in [
            json!({ "cycle": ids, "field": long }),
            json!({ "nested": { "deep": ids } }),
            json!([ids]),
            json!(null),
        ] {
            let fault = Fault::new(ErrorCode::CycleDetected, long.clone())
                .hint(long.clone())
                .details(details);
            let shown = shown(&fold(Err(fault.into()), true, "r"));
            assert!(shown.to_string().chars().count() < 2_000, "{shown}");
        }
        let fault =
            Fault::new(ErrorCode::CycleDetected, "a cycle").details(json!({ "cycle": ids }));
        let fault = bounded(fault);
        let details = fault.details.unwrap();
        let kept = details["cycle"].as_array().unwrap();
        assert!(kept.len() > 50 && kept[0] == ids[0]);
        assert_eq!(details["cycle_left_out"], 1_000 - kept.len());
    }
}
