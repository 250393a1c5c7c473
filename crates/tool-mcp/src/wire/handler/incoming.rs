//! Messages of clients, checked before they are dispatched. The library for the protocol drops many invalid ones without
//! a word, and knows neither duplicate keys nor the field that is wrong.

use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleServer;
use serde_json::{Map, Value};
use tool_json::{JsonRef, JsonView, ParseError, ParseErrorKind, ParseLimits};

use crate::wire::frames::Frame;
use crate::wire::lines::{Decoded, id_beside};
use crate::wire::unicode::{as_unicode, without_mark};

/// Fields of the requests that models cause: methods, name, type, and whether the field is required. Requests that one
/// revision has and another lacks are left to the library, which knows the revision.
const FIELDS: &[(&str, &str, &str, bool)] = &[
    ("tools/call prompts/get", "name", "a string", true),
    ("tools/call prompts/get", "arguments", "an object", false),
    ("resources/read", "uri", "a string", true),
    ("completion/complete", "ref", "an object", true),
    ("completion/complete", "argument", "an object", true),
];

/// Checks a message.
///
/// # Errors
/// Returns the response to an invalid one.
pub(crate) fn check(text: &[u8]) -> Result<(), Box<ServerJsonRpcMessage>> {
    let rejected = |code, reason: String| Err(response(code, reason, id_in(text)));
    let Ok(text) = std::str::from_utf8(without_mark(text)) else {
        return rejected(ErrorCode::PARSE_ERROR, "the message is not UTF-8".into());
    };
    // The size is limited already.
    let limits = ParseLimits {
        max_bytes: usize::MAX,
        ..ParseLimits::default()
    };
    match tool_json::parse_with(text, &limits) {
        Ok(tape) => check_message(tape.root()),
        // Of two ids, nobody knows which one counts.
        Err(error)
            if error.kind == ParseErrorKind::DuplicateKey("id".to_owned())
                && !is_in_params(&error) =>
        {
            Err(response(code_of(&error), sentence(&error), None))
        }
        Err(error) => rejected(code_of(&error), sentence(&error)),
    }
}

fn is_in_params(error: &ParseError) -> bool {
    error.pointer.starts_with("/params")
}

fn code_of(error: &ParseError) -> ErrorCode {
    match error.kind {
        ParseErrorKind::DuplicateKey(_) if is_in_params(error) => ErrorCode::INVALID_PARAMS,
        ParseErrorKind::DuplicateKey(_) => ErrorCode::INVALID_REQUEST,
        _ => ErrorCode::PARSE_ERROR,
    }
}

fn sentence(error: &ParseError) -> String {
    match &error.kind {
        ParseErrorKind::DuplicateKey(key) => {
            let key = tool_json::text::short(key, 60);
            format!(
                "duplicate key `{key}` at `{}`; send each key once",
                error.pointer
            )
        }
        _ => format!("the message is not valid JSON: {error}"),
    }
}

fn check_message(message: JsonRef<'_>) -> Result<(), Box<ServerJsonRpcMessage>> {
    let id = message.get("id").map(JsonRef::to_value);
    let id = id.and_then(|id| serde_json::from_value::<RequestId>(id).ok());
    let invalid = |reason: &str| {
        let reason = reason.to_owned();
        Err(response(ErrorCode::INVALID_REQUEST, reason, id.clone()))
    };
    if !message.is_object() {
        return invalid("a message must be one object; batches are not supported");
    }
    if message.get("jsonrpc").and_then(JsonRef::as_str) != Some("2.0") {
        return invalid("`jsonrpc` must be \"2.0\"");
    }
    if message.get("id").is_some() && id.is_none() {
        return invalid("`id` must be a string or an integer");
    }
    let Some(method) = message.get("method") else {
        let is_response = message.get("result").is_some() || message.get("error").is_some();
        return if is_response {
            Ok(())
        } else {
            invalid("`method` is missing")
        };
    };
    let Some(method) = method.as_str() else {
        return invalid("`method` must be a string");
    };
    // Nobody waits for a response to a notification.
    if id.is_none() {
        return Ok(());
    }
    match wrong_field(method, message.get("params")) {
        Some(reason) => Err(response(ErrorCode::INVALID_PARAMS, reason, id)),
        None => Ok(()),
    }
}

/// Returns what is wrong with the parameters of a request.
fn wrong_field(method: &str, params: Option<JsonRef<'_>>) -> Option<String> {
    let params = params.filter(|params| !params.is_null());
    if let Some(other) = params.filter(|params| !params.is_object()) {
        return Some(format!(
            "`params` must be an object, not {}",
            kind_of(other)
        ));
    }
    FIELDS
        .iter()
        .find_map(|(methods, name, kind, is_required)| {
            if !methods.split(' ').any(|known| known == method) {
                return None;
            }
            let given = params.and_then(|params| params.get(name));
            let Some(given) = given.filter(|given| *is_required || !given.is_null()) else {
                return is_required.then(|| format!("`{name}` is missing"));
            };
            let found = kind_of(given);
            (found != *kind).then(|| format!("`{name}` must be {kind}, not {found}"))
        })
}

fn kind_of(value: JsonRef<'_>) -> &'static str {
    match value.view() {
        JsonView::Null => "null",
        JsonView::Boolean(_) => "a boolean",
        JsonView::String(_) => "a string",
        JsonView::Array(_) => "an array",
        JsonView::Object(_) => "an object",
        _ => "a number",
    }
}

fn response(code: ErrorCode, reason: String, id: Option<RequestId>) -> Box<ServerJsonRpcMessage> {
    let error = ErrorData::new(code, reason, None);
    Box::new(ServerJsonRpcMessage::error(error, id))
}

/// Returns the response to a request that passes the check but does not fit its method.
pub(crate) fn unfit(text: &[u8]) -> Box<ServerJsonRpcMessage> {
    let reason = "the message does not fit its method".to_owned();
    response(ErrorCode::INVALID_PARAMS, reason, id_in(text))
}

/// Returns the id of an invalid request, so that its client need not wait.
fn id_in(text: &[u8]) -> Option<RequestId> {
    request_id(text, text)
}

fn request_id(first: &[u8], last: &[u8]) -> Option<RequestId> {
    let is_request = |members: &Map<String, Value>| !members.contains_key("result");
    id_beside(&["\"params\""], first, last, is_request)
}

/// Reads a line of a client.
pub(super) fn decode(frame: Frame) -> Decoded<RoleServer> {
    let text = match frame {
        Frame::Message(text) if text.trim_ascii().is_empty() => return Decoded::Other,
        Frame::Message(text) => text,
        Frame::TooLarge(first, last) => {
            let reason = "the message is too large".to_owned();
            let id = request_id(&first, &last);
            return Decoded::Received(Err(*response(ErrorCode::INVALID_REQUEST, reason, id)));
        }
    };
    let checked = check(&text);
    let message = serde_json::from_str::<ClientJsonRpcMessage>(&as_unicode(&text));
    Decoded::Received(match (checked, message) {
        (Ok(()), Ok(message)) => Ok(message),
        // Clients of other kinds send notifications of their own.
        (Ok(()), Err(_)) if id_in(&text).is_none() => return Decoded::Other,
        (Ok(()), Err(_)) => Err(*unfit(&text)),
        // What a user wrote in a form may be no Unicode. An error would not reach the call that waits for it.
        (Err(_), Ok(message @ (JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)))) => {
            Ok(message)
        }
        (Err(rejected), _) => Err(*rejected),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(params: &str) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{params}}}")
    }

    fn assert_rejected(text: &str, code: i32, id: &serde_json::Value, reason: &str) {
        let rejected = serde_json::to_value(check(text.as_bytes()).unwrap_err()).unwrap();

        assert_eq!(rejected["error"]["code"], json!(code), "{text}");
        assert_eq!(&rejected["id"], id, "{text}");
        let message = rejected["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{text}: {message}");
    }

    #[test]
    fn invalid_messages_are_rejected_with_id() {
        for (text, code, id, reason) in [
            (
                "{\"a\":".to_owned(),
                -32700,
                json!(null),
                "ends inside a value",
            ),
            ("hello".to_owned(), -32700, json!(null), "is not valid JSON"),
            (
                call("{\"name\":\"a\\ud800\"}"),
                -32700,
                json!(7),
                "a surrogate pair",
            ),
            (
                call("{\"name\":\"a\tb\"}"),
                -32700,
                json!(7),
                "is not valid JSON",
            ),
            (
                "[]".to_owned(),
                -32600,
                json!(null),
                "batches are not supported",
            ),
            (
                "{\"id\":1,\"method\":\"ping\"}".to_owned(),
                -32600,
                json!(1),
                "`jsonrpc`",
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}".to_owned(),
                -32600,
                json!(null),
                "`id`",
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}".to_owned(),
                -32600,
                json!(null),
                "`id`",
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":1}".to_owned(),
                -32600,
                json!(1),
                "`method` is missing",
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}".to_owned(),
                -32600,
                json!(1),
                "`method` must",
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}".to_owned(),
                -32600,
                json!(null),
                "duplicate key `id`",
            ),
        ] {
            assert_rejected(&text, code, &id, reason);
        }
    }

    #[test]
    fn invalid_calls_are_rejected_with_field() {
        for (text, code, id, reason) in [
            (
                call("[]"),
                -32602,
                json!(7),
                "`params` must be an object, not an array",
            ),
            (call("{}"), -32602, json!(7), "`name` is missing"),
            (call("null"), -32602, json!(7), "`name` is missing"),
            (
                call("{\"name\":5}"),
                -32602,
                json!(7),
                "`name` must be a string, not a number",
            ),
            (
                call("{\"name\":\"a\",\"arguments\":\"{}\"}"),
                -32602,
                json!(7),
                "`arguments` must be an object, not a string",
            ),
            (
                call("{\"name\":\"a\",\"arguments\":[1]}"),
                -32602,
                json!(7),
                "`arguments` must be an object, not an array",
            ),
            (
                call("{\"name\":\"a\",\"arguments\":{\"p\":1,\"p\":2}}"),
                -32602,
                json!(7),
                "duplicate key `p` at `/params/arguments",
            ),
            (
                call("{\"name\":\"a\",\"arguments\":{\"p\":[{\"q\":1,\"q\":1}]}}"),
                -32602,
                json!(7),
                "duplicate key `q`",
            ),
        ] {
            assert_rejected(&text, code, &id, reason);
        }
    }

    #[test]
    fn other_messages_pass() {
        for text in [
            &*call("{\"name\":\"a\"}"),
            &*call("{\"name\":\"a\",\"arguments\":null,\"_meta\":{}}"),
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"other/method\",\"params\":{\"name\":5}}",
            // Only some revisions have it, and the others must say so.
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        ] {
            assert!(check(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_rejected_with_id() {
        let text = b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":{\"name\":\"caf\xe9\"}}";

        let rejected = serde_json::to_value(check(text).unwrap_err()).unwrap();

        assert_eq!(
            (&rejected["error"]["code"], &rejected["id"]),
            (&json!(-32700), &json!("x"))
        );
    }

    #[test]
    fn response_of_client_need_not_be_unicode() {
        let text = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{\"a\":\"\\ud800\"}}}";

        let decoded = decode(Frame::Message(text.to_vec()));

        assert!(matches!(decoded, Decoded::Received(Ok(_))));
    }
}
