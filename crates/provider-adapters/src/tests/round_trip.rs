//! A turn of the model goes back to its provider as it came.

use serde_json::{Value, json};
use tool_core::ToolDefinition;

use crate::{Message, Provider, ToolAnswer, ToolSet, Transcript, decode, encode};

fn tools() -> [ToolDefinition; 1] {
    let schema = json!({"type": "object", "properties": {"the path": {"type": "string"}}});
    [ToolDefinition::new("fs/read", "Reads.", schema)]
}

/// The body of a request after one question, the given answer of the model, and results for its calls.
fn continued(provider: Provider, response: &Value) -> Value {
    let set = ToolSet::new(provider, &tools());
    let decoded = decode(provider, response, Some(&set)).unwrap();
    let answers: Vec<ToolAnswer> = decoded
        .calls
        .iter()
        .map(|call| ToolAnswer::new(&call.id, &call.name, "done"))
        .collect();
    let transcript = Transcript::from(vec![
        Message::user("Go"),
        Message::from(decoded),
        Message::tool(answers),
    ]);
    let encoded = encode(provider, &transcript, Some(&set));
    assert_eq!(encoded.losses, []);
    encoded.body
}

#[test]
fn openai_gets_its_turn_back() {
    let turn = json!({"role": "assistant", "content": "I read.", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "fs_read", "arguments": "{\"the path\":\"a\"}"}},
    ]});

    let body = continued(
        Provider::OpenAi,
        &json!({"choices": [{"message": turn, "finish_reason": "tool_calls"}]}),
    );

    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": "Go"}, turn, {"role": "tool", "tool_call_id": "c1", "content": "done"}])
    );
}

#[test]
fn anthropic_gets_its_turn_back() {
    let turn = json!([
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "text", "text": "I read."},
        {"type": "tool_use", "id": "toolu_1", "name": "fs_read", "input": {"the_path": "a"}},
    ]);

    let body = continued(
        Provider::Anthropic,
        &json!({"content": turn, "stop_reason": "tool_use"}),
    );

    let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": "Go"},
            {"role": "assistant", "content": turn},
            {"role": "user", "content": [result]},
        ])
    );
}

#[test]
fn gemini_gets_its_turn_back() {
    let parts = json!([
        {"text": "I think.", "thought": true, "thoughtSignature": "QQ=="},
        {"text": "I read."},
        {"functionCall": {"name": "fs_read", "args": {"the path": "a"}}, "thoughtSignature": "QUJD"},
        {"functionCall": {"id": "x", "name": "fs_read", "args": {}}},
    ]);
    let content = json!({"role": "model", "parts": parts});

    for provider in [Provider::Gemini, Provider::GeminiOpenApi] {
        let response = json!({"candidates": [{"content": content, "finishReason": "STOP"}]});

        let body = continued(provider, &response);

        let results = json!([
            {"functionResponse": {"name": "fs_read", "response": {"output": "done"}}},
            {"functionResponse": {"id": "x", "name": "fs_read", "response": {"output": "done"}}},
        ]);
        let question = json!({"role": "user", "parts": [{"text": "Go"}]});
        assert_eq!(
            body["contents"],
            json!([question, content, {"role": "user", "parts": results}])
        );
    }
}

#[test]
fn ollama_gets_its_turn_back() {
    let turn = json!({"role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": [
        {"function": {"name": "fs/read", "arguments": {"the path": "a"}}},
    ]});

    let body = continued(
        Provider::Ollama,
        &json!({"message": turn, "done_reason": "stop"}),
    );

    let result = json!({"role": "tool", "tool_name": "fs/read", "content": "done"});
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": "Go"}, turn, result])
    );
}
