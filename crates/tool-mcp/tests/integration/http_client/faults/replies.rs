//! Replies that break the protocol.

use super::*;

/// Integers of 54, 67 and 97 bits.
const WIDE: &str = "[9007199254740993,98765432109876543211,123456789012345678901234567890]";

impl Server {
    /// Replies to a call with an error that does not name it, or with text that is no Unicode.
    pub(super) async fn unusual_reply(
        &self,
        stream: &mut Stream,
        request: &Request,
    ) -> Option<Stays> {
        let is_first = request.header("mcp-session-id") == Some("session-1");
        let id = &request.body["id"];
        let error = |id: Value, message: &str| {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": message}})
                .to_string()
        };
        let none = "Bad Request: No valid session ID provided";
        let (kind, body) = match self.mode().as_str() {
            "no_session" if is_first => ("application/json", error(Value::Null, none)),
            "no_session_python" if is_first => {
                ("application/json", error(json!("server-error"), none))
            }
            "no_session_text" if is_first => ("text/plain", none.to_owned()),
            "null_id" => ("application/json", error(Value::Null, "overloaded")),
            "other_id" => (
                "application/json",
                error(json!("server-error"), "overloaded"),
            ),
            mode @ ("bad_event" | "surrogate_event" | "bad_body" | "wide_event") => {
                let text =
                    |text: &str| format!("\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]");
                let members = match mode {
                    "surrogate_event" => text("a\\ud800b"),
                    "wide_event" => format!("\"structuredContent\":{WIDE}"),
                    _ => text("a\tb"),
                };
                let message = format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"resultType\":\"complete\",{members}}}}}"
                );
                return Some(if mode.ends_with("_body") {
                    plain(stream, "200 OK", "application/json", &message).await
                } else {
                    plain(
                        stream,
                        "200 OK",
                        "text/event-stream",
                        &format!("data: {message}\n\n"),
                    )
                    .await
                });
            }
            _ => return None,
        };
        Some(plain(stream, "400 Bad Request", kind, &body).await)
    }
}
