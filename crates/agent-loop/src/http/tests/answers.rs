//! Final replies in JSON.

use tool_core::schema::CompiledSchema;

use super::*;
use crate::JsonReply;

fn requirements() -> JsonReply {
    let schema = json!({"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]});
    JsonReply::new().matching(CompiledSchema::compile(schema).unwrap())
}

async fn outcome(provider: Provider, reply: Value) -> (crate::RunOutcome, Value) {
    let server = answering(ResponseTemplate::new(200).set_body_json(reply)).await;
    let agent = AgentLoop::new(registry(), model(provider, &server)).json_reply(requirements());
    let outcome = agent.run("How many?").await;
    let requests = server.received_requests().await.unwrap();
    (outcome, requests[0].body_json().unwrap())
}

#[tokio::test]
async fn schema_is_sent_in_native_form() {
    let text = "{\"total\": 3}";
    for (provider, reply, pointer) in [
        (
            Provider::OpenAi,
            json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}),
            "/response_format/json_schema/schema/required/0",
        ),
        (
            Provider::Anthropic,
            json!({"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}),
            "/output_config/format/schema/required/0",
        ),
    ] {
        let (outcome, body) = outcome(provider, reply).await;

        assert_eq!(outcome.json, Some(json!({"total": 3})), "{provider}");
        assert_eq!(body.pointer(pointer), Some(&json!("total")), "{body}");
    }
}

#[tokio::test]
async fn answer_tool_replaces_missing_native_form() {
    let call = json!({"functionCall": {"name": "final_answer", "args": {"total": 3}}});
    let reply = json!({"candidates": [{"content": {"parts": [call]}, "finishReason": "STOP"}]});

    let (outcome, body) = outcome(Provider::Gemini, reply).await;

    assert_eq!(
        outcome.json,
        Some(json!({"total": 3})),
        "{:?}",
        outcome.error
    );
    assert_eq!(outcome.usage.calls, 0);
    assert!(body["tools"].to_string().contains("final_answer"), "{body}");
}
