//! Messages of clients that cannot be read, and requests that do not fit their methods.

use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, CustomRequest, ErrorCode, ErrorData,
    GetPromptRequestParams, ReadResourceRequestParams, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleServer;
use serde_json::{Value, from_slice, from_value};

use crate::wire::lines::{Line, Received, id_of, parsed};

/// Reads a line of a client.
pub(super) fn decode(line: &Line) -> Option<Received<RoleServer>> {
    let text = line.text.trim_ascii();
    if line.is_cut {
        let reason = "the message is too large".to_owned();
        return Some(Err(response(ErrorCode::INVALID_REQUEST, reason, text)));
    }
    if text.is_empty() {
        return None;
    }
    Some(parsed(text).ok_or_else(|| unreadable(text)))
}

/// Returns the response to a message that cannot be read. The library for the protocol has none that names the request.
pub(super) fn unreadable(text: &[u8]) -> ServerJsonRpcMessage {
    let (code, reason) = match from_slice::<Value>(text) {
        Ok(_) => {
            let reason = "the message is none of JSON-RPC 2.0; batches are not supported";
            (ErrorCode::INVALID_REQUEST, reason.to_owned())
        }
        Err(error) => {
            let reason = format!("the message is not valid JSON: {error}");
            (ErrorCode::PARSE_ERROR, reason)
        }
    };
    response(code, reason, text)
}

/// Returns the response to a message, with its id if that is found, so that its client need not wait.
fn response(code: ErrorCode, reason: String, text: &[u8]) -> ServerJsonRpcMessage {
    let id: Option<RequestId> = id_of(text, &["\"params\""], "result");
    ServerJsonRpcMessage::error(ErrorData::new(code, reason, None), id)
}

/// Returns the error for a request that the library for the protocol does not know. It may be one whose parameters do not
/// fit its method.
pub(super) fn unknown(request: CustomRequest) -> ErrorData {
    let params = request.params.unwrap_or_default();
    let error = match &*request.method {
        "tools/call" => from_value::<CallToolRequestParams>(params).err(),
        "prompts/get" => from_value::<GetPromptRequestParams>(params).err(),
        "resources/read" => from_value::<ReadResourceRequestParams>(params).err(),
        "completion/complete" => from_value::<CompleteRequestParams>(params).err(),
        _ => None,
    };
    match error {
        Some(error) => ErrorData::invalid_params(error.to_string(), None),
        None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(params: &str) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{params}}}")
    }

    #[test]
    fn unreadable_messages_are_rejected_with_id() {
        for (text, code, id, reason) in [
            ("{\"a\":".to_owned(), -32700, json!(null), "EOF"),
            ("hello".to_owned(), -32700, json!(null), "not valid JSON"),
            (call("{\"name\":\"a\tb\"}"), -32700, json!(7), "not valid"),
            (
                call("{\"name\":\"a\\ud800\"}"),
                -32700,
                json!(7),
                "not valid",
            ),
            ("[]".to_owned(), -32600, json!(null), "batches"),
            (
                "{\"id\":1,\"method\":\"ping\"}".to_owned(),
                -32600,
                json!(1),
                "JSON-RPC",
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}".to_owned(),
                -32600,
                json!(null),
                "JSON-RPC",
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":1}".to_owned(),
                -32600,
                json!(1),
                "JSON-RPC",
            ),
        ] {
            let line = Line {
                text: text.clone().into_bytes(),
                ..Line::default()
            };

            let rejected = decode(&line).unwrap().unwrap_err();

            let rejected = serde_json::to_value(rejected).unwrap();
            assert_eq!(rejected["error"]["code"], json!(code), "{text}");
            assert_eq!(rejected["id"], id, "{text}");
            let message = rejected["error"]["message"].as_str().unwrap();
            assert!(message.contains(reason), "{text}: {message}");
        }
    }

    #[test]
    fn requests_that_do_not_fit_name_the_field() {
        for (method, params, code, reason) in [
            ("tools/call", json!([1]), -32602, "invalid type"),
            ("tools/call", json!({}), -32602, "missing field `name`"),
            ("tools/call", Value::Null, -32602, "invalid type: null"),
            (
                "tools/call",
                json!({"name": "a", "arguments": "{}"}),
                -32602,
                "invalid type: string \"{}\", expected a map",
            ),
            ("resources/read", json!({}), -32602, "missing field `uri`"),
            ("other/method", json!({"name": 5}), -32601, "other/method"),
        ] {
            let error = unknown(CustomRequest::new(method, Some(params.clone())));

            assert_eq!(error.code.0, code, "{method} {params}");
            assert!(error.message.contains(reason), "{params}: {error:?}");
        }
    }
}
