//! Messages of clients, checked before they are dispatched. The library for the protocol drops many invalid ones without
//! a word, and knows neither duplicate keys nor the field that is wrong.

use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use tool_json::text::{short, type_name};
use tool_json::{JsonRef, ParseError, ParseErrorKind, ParseLimits, wide_numbers};

use crate::wire::lines::{Line, Received, id_of, parsed, without_mark};

/// Fields of the requests that models cause: methods, name, type, and whether the field is required. Requests that one
/// revision has and another lacks are left to the library, which knows the revision.
const FIELDS: &[(&str, &str, &str, bool)] = &[
    ("tools/call prompts/get", "name", "string", true),
    ("tools/call prompts/get", "arguments", "object", false),
    ("resources/read", "uri", "string", true),
    ("completion/complete", "ref", "object", true),
    ("completion/complete", "argument", "object", true),
];

/// Checks a message.
///
/// # Errors
/// Returns the response to an invalid one.
pub(crate) fn check(text: &[u8]) -> Result<(), Box<ServerJsonRpcMessage>> {
    problem(text).map_or(Ok(()), |(code, reason, has_id)| {
        let id = if has_id { request_id(text) } else { None };
        Err(response(code, reason, id))
    })
}

/// Returns what is wrong with a message, and whether it may have an id.
fn problem(text: &[u8]) -> Option<(ErrorCode, String, bool)> {
    let Ok(text) = std::str::from_utf8(without_mark(text)) else {
        let reason = "the message is not UTF-8".to_owned();
        return Some((ErrorCode::PARSE_ERROR, reason, true));
    };
    // The size is limited already.
    let limits = ParseLimits {
        max_bytes: usize::MAX,
        ..ParseLimits::default()
    };
    let tape = match wide_numbers::parse_quoting(text, &limits) {
        Ok(tape) => tape,
        Err(error) => return Some(unparsable(&error)),
    };
    let message = tape.root();
    if let Some(reason) = no_message(message) {
        return Some((ErrorCode::INVALID_REQUEST, reason.to_owned(), true));
    }
    // Nobody waits for a response to a notification.
    message.get("id")?;
    let method = message.get("method")?.as_str()?;
    let reason = wrong_field(method, message.get("params"))?;
    Some((ErrorCode::INVALID_PARAMS, reason, true))
}

fn unparsable(error: &ParseError) -> (ErrorCode, String, bool) {
    let ParseErrorKind::DuplicateKey(key) = &error.kind else {
        let reason = format!("the message is not valid JSON: {error}");
        return (ErrorCode::PARSE_ERROR, reason, true);
    };
    let (name, pointer) = (short(key, 60), &error.pointer);
    let reason = format!("duplicate key `{name}` at `{pointer}`; send each key once");
    if pointer.starts_with("/params") {
        (ErrorCode::INVALID_PARAMS, reason, true)
    } else {
        // Of two ids, nobody knows which one counts.
        (ErrorCode::INVALID_REQUEST, reason, key != "id")
    }
}

/// Returns why a value is no message of the protocol.
fn no_message(value: JsonRef<'_>) -> Option<&'static str> {
    let id = value.get("id").map(JsonRef::to_value);
    let method = value.get("method");
    let is_response = value.get("result").is_some() || value.get("error").is_some();
    if !value.is_object() {
        Some("a message must be one object; batches are not supported")
    } else if value.get("jsonrpc").and_then(JsonRef::as_str) != Some("2.0") {
        Some("`jsonrpc` must be \"2.0\"")
    } else if id.is_some_and(|id| serde_json::from_value::<RequestId>(id).is_err()) {
        Some("`id` must be a string or an integer")
    } else if method.is_none() && !is_response {
        Some("`method` is missing")
    } else if method.is_some_and(|method| method.as_str().is_none()) {
        Some("`method` must be a string")
    } else {
        None
    }
}

/// Returns what is wrong with the parameters of a request.
fn wrong_field(method: &str, params: Option<JsonRef<'_>>) -> Option<String> {
    // Without a copy of an object: the arguments of a call may be large.
    let kind_of = |value: JsonRef<'_>| {
        if value.is_object() {
            "object"
        } else {
            type_name(&value.to_value())
        }
    };
    let params = params.filter(|params| !params.is_null());
    if let Some(other) = params.filter(|params| !params.is_object()) {
        let kind = kind_of(other);
        return Some(format!("`params` must be of the type object, not {kind}"));
    }
    let mut fields = FIELDS.iter();
    fields.find_map(|(methods, name, kind, is_required)| {
        if !methods.split(' ').any(|known| known == method) {
            return None;
        }
        let given = params.and_then(|params| params.get(name));
        let Some(given) = given.filter(|given| *is_required || !given.is_null()) else {
            return is_required.then(|| format!("`{name}` is missing"));
        };
        let found = kind_of(given);
        (found != *kind).then(|| format!("`{name}` must be of the type {kind}, not {found}"))
    })
}

fn response(code: ErrorCode, reason: String, id: Option<RequestId>) -> Box<ServerJsonRpcMessage> {
    let error = ErrorData::new(code, reason, None);
    Box::new(ServerJsonRpcMessage::error(error, id))
}

/// Returns the response to a request that passes the check but does not fit its method.
pub(crate) fn unfit(text: &[u8]) -> Box<ServerJsonRpcMessage> {
    let reason = "the message does not fit its method".to_owned();
    response(ErrorCode::INVALID_PARAMS, reason, request_id(text))
}

/// Returns the id of an invalid request, so that its client need not wait.
fn request_id(text: &[u8]) -> Option<RequestId> {
    id_of(text, &["\"params\""], "result")
}

/// Reads a line of a client.
pub(super) fn decode(line: &Line) -> Option<Received<RoleServer>> {
    let text = line.text.trim_ascii();
    if line.is_cut {
        let reason = "the message is too large".to_owned();
        let rejected = response(ErrorCode::INVALID_REQUEST, reason, request_id(text));
        return Some(Err(*rejected));
    }
    if text.is_empty() {
        return None;
    }
    if let Err(rejected) = check(text) {
        return Some(Err(*rejected));
    }
    if let Some(message) = parsed(text) {
        return Some(Ok(message));
    }
    // Clients of other kinds send their own notifications.
    request_id(text)?;
    Some(Err(*unfit(text)))
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
                "`params` must be of the type object, not array",
            ),
            (call("{}"), -32602, json!(7), "`name` is missing"),
            (call("null"), -32602, json!(7), "`name` is missing"),
            (
                call("{\"name\":5}"),
                -32602,
                json!(7),
                "`name` must be of the type string, not integer",
            ),
            (
                call("{\"name\":\"a\",\"arguments\":\"{}\"}"),
                -32602,
                json!(7),
                "`arguments` must be of the type object, not string",
            ),
            (
                call("{\"name\":\"a\",\"arguments\":[1]}"),
                -32602,
                json!(7),
                "`arguments` must be of the type object, not array",
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
            &*call("{\"name\":\"a\",\"arguments\":{\"p\":123456789012345678901}}"),
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
}
