//! Turns are sent back to their provider unchanged.

use serde_json::{Value, json};
use tool_core::{Dialect, ToolDefinition};

use crate::{Message, Provider, ToolMessage, Transcript, decode, encode};

fn tools() -> [ToolDefinition; 1] {
    let schema = json!({"type": "object", "properties": {"the path": {"type": "string"}}});
    [ToolDefinition::new("fs/read", "Reads.", schema)]
}

/// Returns the body of a request with one question, the decoded response, and results for its
/// calls.
fn continued(provider: Provider, response: &Value) -> Value {
    let set = provider.convert(&tools());
    let decoded = decode(provider, response, Some(&set)).unwrap();
    let answers: Vec<ToolMessage> = decoded
        .calls
        .iter()
        .map(|call| ToolMessage::new(&call.id, &call.name, "done"))
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
fn openai_turn_is_sent_back_unchanged() {
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
fn anthropic_turn_is_sent_back_unchanged() {
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
fn gemini_turn_is_sent_back_unchanged() {
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
fn ollama_turn_is_sent_back_unchanged() {
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

#[test]
fn responses_turn_is_sent_back_unchanged() {
    let turn = json!([
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "a"},
        {"type": "function_call", "call_id": "c1", "name": "fs_read", "arguments": "{\"the path\":\"a\"}"},
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "b"},
        {"type": "function_call", "call_id": "c2", "name": "fs_read", "arguments": "{}", "namespace": "n"},
    ]);

    let body = continued(
        Provider::OpenAiResponses,
        &json!({"status": "completed", "output": turn}),
    );

    let mut input = vec![json!({"role": "user", "content": "Go"})];
    input.extend(turn.as_array().cloned().unwrap_or_default());
    input.extend(
        ["c1", "c2"]
            .map(|id| json!({"type": "function_call_output", "call_id": id, "output": "done"})),
    );
    assert_eq!(body["input"], json!(input));
}

/// Returns an assistant message of a Chat Completions server, with its reasoning members.
fn chat_turn(id: &str, thoughts: &Value) -> Value {
    let call = json!({"id": id, "type": "function", "function": {
        "name": "fs_read", "arguments": "{\"the path\":\"a\"}",
    }});
    let mut turn = json!({"role": "assistant", "content": "I read.", "tool_calls": [call]});
    if let (Value::Object(turn), Value::Object(thoughts)) = (&mut turn, thoughts) {
        turn.extend(thoughts.clone());
    }
    turn
}

#[test]
fn compatible_turn_is_sent_back_unchanged() {
    let details = json!([{"type": "reasoning.text", "text": "Hm.", "signature": "s"}]);
    for (provider, thoughts) in [
        (Provider::Azure, json!({})),
        (Provider::Groq, json!({})),
        (Provider::Xai, json!({})),
        (Provider::OpenAiFlat, json!({})),
        (Provider::DeepSeek, json!({"reasoning_content": "Hm."})),
        (Provider::OpenRouter, json!({"reasoning_details": details})),
        (
            Provider::Copilot,
            json!({"reasoning_text": "Hm.", "reasoning_opaque": "c2VhbA=="}),
        ),
    ] {
        let turn = chat_turn("c1", &thoughts);

        let body = continued(
            provider,
            &json!({"choices": [{"message": turn, "finish_reason": "tool_calls"}]}),
        );

        let result = json!({"role": "tool", "tool_call_id": "c1", "content": "done"});
        assert_eq!(
            body["messages"],
            json!([{"role": "user", "content": "Go"}, turn, result]),
            "{provider}"
        );
    }
}

#[test]
fn mistral_turn_is_sent_back_unchanged() {
    let mut turn = chat_turn("D681PevKs", &json!({}));
    turn["content"] = json!([
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}], "closed": true},
        {"type": "text", "text": "I read."},
    ]);

    let body = continued(
        Provider::Mistral,
        &json!({"choices": [{"message": turn, "finish_reason": "tool_calls"}]}),
    );

    let result =
        json!({"role": "tool", "tool_call_id": "D681PevKs", "name": "fs_read", "content": "done"});
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": "Go"}, turn, result])
    );
}

#[test]
fn cohere_turn_is_sent_back_unchanged() {
    let mut turn = chat_turn("fs_read_1", &json!({"tool_plan": "I will read."}));
    turn["content"] = json!([
        {"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "I read."},
    ]);

    let body = continued(
        Provider::Cohere,
        &json!({"message": turn, "finish_reason": "TOOL_CALL"}),
    );

    let result = json!({"role": "tool", "tool_call_id": "fs_read_1", "content": "done"});
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": "Go"}, turn, result])
    );
}

#[test]
fn bedrock_turn_is_sent_back_unchanged() {
    let turn = json!({"role": "assistant", "content": [
        {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}},
        {"text": "I read."},
        {"toolUse": {"toolUseId": "tooluse_1", "name": "fs_read", "input": {"the_path": "a"}}},
    ]});

    let body = continued(
        Provider::Bedrock,
        &json!({"output": {"message": turn}, "stopReason": "tool_use"}),
    );

    let result = json!({"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "done"}]}});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"text": "Go"}]},
            turn,
            {"role": "user", "content": [result]},
        ])
    );
}

#[test]
fn mcp_turn_is_sent_back_unchanged() {
    let turn = json!({"role": "assistant", "content": [
        {"type": "text", "text": "I read."},
        {"type": "tool_use", "id": "call_1", "name": "fs_read", "input": {"the path": "a"}},
    ]});
    let mut response = turn.clone();
    response["stopReason"] = json!("toolUse");

    let body = continued(Provider::Mcp, &json!({"result": response}));

    let done = json!([{"type": "text", "text": "done"}]);
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": {"type": "text", "text": "Go"}},
            turn,
            {"role": "user", "content": {"type": "tool_result", "toolUseId": "call_1", "content": done}},
        ])
    );
}
