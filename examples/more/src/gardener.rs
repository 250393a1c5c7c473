//! A scripted model that understands three commands.

use agent_loop::{Model, ModelError, ModelReply, ModelRequest};
use async_trait::async_trait;
use provider_adapters::Message;
use serde_json::{Value, json};
use tool_core::ToolCall;

/// Commands that the model understands.
pub const COMMANDS: &str = "I understand `list`, `read FILE` and `write FILE TEXT`.";

/// Model that calls one tool per message and repeats its result.
#[derive(Debug)]
pub struct Gardener;

#[async_trait]
impl Model for Gardener {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let reply = match request.transcript.messages().last() {
            Some(Message::User { content, .. }) => answer(&content.to_text()),
            Some(Message::Tool { results }) => {
                let texts = results.iter().map(|result| result.content.to_text());
                ModelReply::text(texts.collect::<Vec<_>>().join("\n"))
            }
            _ => ModelReply::text(COMMANDS),
        };
        Ok(reply)
    }
}

fn answer(message: &str) -> ModelReply {
    let mut words = message.splitn(3, ' ');
    match (words.next(), words.next(), words.next()) {
        (Some("list"), None, None) => call("list", json!({"path": "."})),
        (Some("read"), Some(path), None) => call("read", json!({"path": path})),
        (Some("write"), Some(path), Some(text)) => call(
            "write",
            json!({"path": path, "content": format!("{text}\n")}),
        ),
        _ => ModelReply::text(COMMANDS),
    }
}

fn call(tool: &str, arguments: Value) -> ModelReply {
    ModelReply::calls([ToolCall::new(tool, arguments)])
}
