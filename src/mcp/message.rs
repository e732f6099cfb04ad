//! What one line of input means: the JSON-RPC envelope, checked before rmcp sees it.
//!
//! rmcp meets a line that it cannot place with silence and ends on a notification that it does
//! not expect. So every line is checked here: a request goes on, an invalid one gets an error, and what
//! needs neither is dropped.

use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, CancelledNotificationMethod,
    ClientRequest, ConstString, ErrorCode, RequestId, RequestMetaObject,
};
use serde_json::{Map, Value, json};

use crate::{
    base::text::shorten,
    tools::json::{self, Unreadable, whole},
};

/// Bytes of an id: it is kept until its request has a response.
pub(super) const MAX_ID: usize = 1_000;

/// What to do with a line.
#[derive(Debug)]
pub(super) enum Incoming {
    /// Hand it to the server.
    Request(RequestId, Box<ClientRequest>),
    /// The client no longer waits for the request of this id.
    Cancelled(RequestId),
    /// Answer it with an error.
    Refused(Refusal),
    /// An empty line, a response, or a notification that changes nothing here.
    Nothing,
}

/// The arguments of a tool call as they arrived, and the size of their line.
///
/// rmcp only carries arguments that are an object; a client that encodes them as text deserves a
/// tool's answer, so they travel beside the request.
#[derive(Debug, Clone)]
pub(super) struct Arrived {
    /// What stood in `arguments`; null where nothing did.
    pub arguments: Value,
    /// Bytes of the whole line.
    pub bytes: usize,
}

/// The protocol error for a line.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    /// The id of the request where it could be read, else null.
    pub id: Value,
    /// One of the JSON-RPC codes.
    pub code: ErrorCode,
    /// What is wrong and what is expected.
    pub message: String,
}

impl Refusal {
    /// An error that no request can be named for.
    pub fn anonymous(code: ErrorCode, message: impl Into<String>) -> Self {
        Refusal { id: Value::Null, code, message: message.into() }
    }

    /// A request with this id is being worked on already, or may be although it was cancelled.
    pub fn duplicate(id: &RequestId) -> Self {
        Refusal {
            id: id.clone().into_json_value(),
            code: ErrorCode::INVALID_REQUEST,
            message: format!(
                "a request with id `{}` is in flight or was cancelled; use a new id",
                shorten(&id.to_string(), 80)
            ),
        }
    }

    /// The error as one JSON-RPC message.
    pub fn to_json(&self) -> Value {
        json!({
            "jsonrpc": "2.0",
            "id": self.id,
            "error": { "code": self.code.0, "message": self.message },
        })
    }
}

/// Judges one line, given without its line break.
pub(super) fn decode(line: &[u8]) -> Incoming {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Incoming::Nothing;
    }
    parse(line).and_then(|envelope| place(envelope, line.len())).unwrap_or_else(Incoming::Refused)
}

fn parse(line: &[u8]) -> Result<Map<String, Value>, Refusal> {
    let text = std::str::from_utf8(line).map_err(|error| {
        let message = format!("the line is not UTF-8: {error}");
        Refusal { id: id_of(line, true), code: ErrorCode::PARSE_ERROR, message }
    })?;
    match json::parse(text) {
        Ok(Value::Object(envelope)) => Ok(envelope),
        Ok(Value::Array(_)) => Err(Refusal::anonymous(
            ErrorCode::INVALID_REQUEST,
            "batches are not supported; send one message per line",
        )),
        Ok(other) => Err(Refusal::anonymous(
            ErrorCode::INVALID_REQUEST,
            format!("a message is a JSON object; received {}", shorten(&other.to_string(), 80)),
        )),
        Err(problem) => {
            let code = match problem {
                Unreadable::Syntax(_) => ErrorCode::PARSE_ERROR,
                _ => ErrorCode::INVALID_REQUEST,
            };
            let message = format!("the line cannot be read: {problem}");
            Err(Refusal { id: id_of(line, true), code, message })
        }
    }
}

/// The id of an invalid message: its sender waits for a response with that id. Null where there is no valid id or, if
/// the text is the whole message, it is not one complete object.
pub(super) fn id_of(line: &[u8], whole: bool) -> Value {
    let (mut depth, mut id, mut bytes) = (0_usize, Value::Null, line.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 && !bytes.as_slice().trim_ascii().is_empty() => {
                return Value::Null;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let is_id = depth == 1 && bytes.as_slice().starts_with(b"id\"");
                json::skip_string(&mut bytes);
                if is_id {
                    id = named(bytes.as_slice()).unwrap_or(id);
                }
            }
            _ => {}
        }
    }
    if depth == 0 || !whole { id } else { Value::Null }
}

/// The id after its key, if it is valid.
fn named(text: &[u8]) -> Option<Value> {
    let value = text.trim_ascii_start().strip_prefix(b":")?;
    // Everything else is passed over, however long it is.
    let start = &value[..value.len().min(MAX_ID)];
    let id: Value = serde_json::Deserializer::from_slice(start).into_iter().next()?.ok()?;
    Some(request_id(&id)?.into_json_value())
}

/// Sorts an object by the keys that JSON-RPC gives meaning to.
fn place(mut envelope: Map<String, Value>, bytes: usize) -> Result<Incoming, Refusal> {
    let id = envelope.remove("id");
    let usable = id.as_ref().and_then(request_id);
    let refuse = |code, message: String| Refusal {
        id: usable.clone().map_or(Value::Null, RequestId::into_json_value),
        code,
        message,
    };
    let invalid = |message: &str| refuse(ErrorCode::INVALID_REQUEST, message.to_owned());

    if envelope.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("`jsonrpc` must be \"2.0\""));
    }
    let answers = envelope.contains_key("result") || envelope.contains_key("error");
    let method = match envelope.remove("method") {
        // This server asks its client nothing, so no response can be for it.
        None if answers => return Ok(Incoming::Nothing),
        None => return Err(invalid("the message has no `method`")),
        Some(_) if answers => {
            return Err(invalid("a message has a `method` or a result, not both"));
        }
        Some(Value::String(method)) => method,
        Some(_) => return Err(invalid("`method` must be a string")),
    };
    let params = envelope.remove("params").filter(|params| !params.is_null());
    if id.is_none() {
        return Ok(notification(&method, params));
    }
    let Some(id) = usable.clone() else {
        let allowed = format!("a string of at most {MAX_ID} bytes or a 64-bit integer");
        return Err(invalid(&format!("`id` must be {allowed}")));
    };
    match request(&method, params, bytes) {
        Ok(request) => Ok(Incoming::Request(id, Box::new(request))),
        Err((code, message)) => Err(refuse(code, message)),
    }
}

fn request_id(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(text) if text.len() <= MAX_ID => {
            Some(RequestId::String(text.as_str().into()))
        }
        // 1.0 is 1: some clients keep all numbers as fractions.
        Value::Number(number) => whole(number)?.as_i64().map(RequestId::Number),
        _ => None,
    }
}

/// Of all notifications only a cancellation changes anything here.
fn notification(method: &str, params: Option<Value>) -> Incoming {
    if method != CancelledNotificationMethod::VALUE {
        return Incoming::Nothing;
    }
    let id = params.as_ref().and_then(|params| params.get("requestId"));
    id.and_then(request_id).map_or(Incoming::Nothing, Incoming::Cancelled)
}

/// Types a request; what does not fit a known method has bad params, the rest no method at all.
fn request(
    method: &str,
    params: Option<Value>,
    bytes: usize,
) -> Result<ClientRequest, (ErrorCode, String)> {
    let bad_params = |problem: &str| {
        let message = format!("`params` of `{method}` {problem}");
        (ErrorCode::INVALID_PARAMS, message)
    };
    let known = is_known(method);
    let params = match params {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) if known => return Err(bad_params("must be an object")),
        Some(_) => Map::new(),
    };
    if params.get("_meta").is_some_and(|meta| !meta.is_object()) {
        return Err(bad_params("have a `_meta` that is not an object"));
    }
    if method == CallToolRequestMethod::VALUE {
        return call(params, bytes).map_err(bad_params);
    }
    // rmcp reads a cursor of the wrong type as none and would start the list again.
    if params.get("cursor").is_some_and(|cursor| !cursor.is_string() && !cursor.is_null()) {
        return Err(bad_params("have a `cursor` that is not a string"));
    }
    let typed = serde_json::from_value(json!({ "method": method, "params": params }));
    match typed {
        Ok(ClientRequest::CustomRequest(_)) | Err(_) if known => {
            Err(bad_params("do not fit the method"))
        }
        Ok(ClientRequest::CustomRequest(_)) | Err(_) => {
            Err((ErrorCode::METHOD_NOT_FOUND, format!("no method `{}`", shorten(method, 80))))
        }
        Ok(request) => Ok(request),
    }
}

/// Built by hand: rmcp's own way tries twenty types on a copy of the arguments.
fn call(mut params: Map<String, Value>, bytes: usize) -> Result<ClientRequest, &'static str> {
    let Some(Value::String(name)) = params.remove("name") else {
        return Err("need `name`, the tool to call, as a string");
    };
    let mut request = CallToolRequest::new(CallToolRequestParams::new(name));
    if let Some(Value::Object(meta)) = params.remove("_meta") {
        request.extensions.insert(RequestMetaObject::from(meta));
    }
    request
        .extensions
        .insert(Arrived { arguments: params.remove("arguments").unwrap_or_default(), bytes });
    Ok(ClientRequest::CallToolRequest(request))
}

/// The request methods that rmcp has a type for.
fn is_known(method: &str) -> bool {
    matches!(
        method,
        "ping"
            | "initialize"
            | "server/discover"
            | "completion/complete"
            | "logging/setLevel"
            | "prompts/get"
            | "prompts/list"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "resources/subscribe"
            | "resources/unsubscribe"
            | "subscriptions/listen"
            | "tools/call"
            | "tools/list"
            | "tasks/get"
            | "tasks/update"
            | "tasks/cancel"
    )
}

#[cfg(test)]
mod tests;
