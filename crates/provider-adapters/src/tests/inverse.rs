//! Encoded turns are decoded without changes.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::ToolCall;

use crate::{Decoded, Message, Provider, StreamDecoder, Transcript, decode, decode_bytes, encode};

/// JSON values of any kind.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("\\PC{0,6}", inner, 0..3)
                .prop_map(|members| json!(members)),
        ]
    })
}

/// Text, and calls with names and ids that every provider accepts.
fn turn() -> impl Strategy<Value = (String, Vec<(String, Value)>)> {
    let arguments = prop::collection::btree_map("\\PC{0,6}", value(), 0..4);
    let call = (
        "[a-z][a-z_]{0,20}",
        arguments.prop_map(|members| json!(members)),
    );
    (
        "[a-z]{1,8}( [a-z\u{e4}\u{1f600}]{1,8}){0,3}",
        prop::collection::vec(call, 0..4),
    )
}

fn message(text: &str, calls: &[(String, Value)]) -> Message {
    let calls = calls.iter().enumerate();
    Message::Assistant {
        content: text.into(),
        calls: calls
            .map(|(at, (name, arguments))| {
                ToolCall::new(name.as_str(), arguments.clone()).with_id(format!("call0000{at}"))
            })
            .collect(),
        reasoning: Vec::new(),
        order: Vec::new(),
    }
}

/// Returns the assistant message of a request in the format of a response.
fn response(provider: Provider, body: &Value) -> Value {
    let turn = |list: &str| body[list][1].clone();
    match provider {
        Provider::OpenAiResponses => {
            let items = body["input"].as_array().cloned().unwrap_or_default();
            let of_model = |item: &Value| item.get("role").is_none_or(|role| role == "assistant");
            let output: Vec<Value> = items.into_iter().filter(of_model).map(as_output).collect();
            json!({"status": "completed", "output": output})
        }
        Provider::Anthropic => turn("messages"),
        Provider::Bedrock => json!({"output": {"message": turn("messages")}}),
        Provider::Gemini | Provider::GeminiOpenApi => {
            json!({"candidates": [{"content": turn("contents")}]})
        }
        Provider::Ollama | Provider::Cohere => json!({"message": turn("messages")}),
        Provider::Mcp => json!({"result": turn("messages")}),
        _ => json!({"choices": [{"message": turn("messages")}]}),
    }
}

/// Adds the type that items have in responses but may omit in requests.
fn as_output(mut item: Value) -> Value {
    if let Value::Object(members) = &mut item
        && !members.contains_key("type")
    {
        members.insert("type".to_owned(), "message".into());
    }
    item
}

fn text_and_calls(decoded: &Decoded) -> (String, Vec<(String, Value)>) {
    let calls = decoded.calls.iter().map(|call| {
        let arguments = call.arguments.clone().unwrap_or_default();
        (call.name.clone(), arguments)
    });
    (decoded.text.clone(), calls.collect())
}

proptest! {
    #![proptest_config(super::cases(48))]

    #[test]
    fn decodes_encoded_turns((text, calls) in turn()) {
        let transcript = Transcript::from(vec![Message::user("Go"), message(&text, &calls)]);
        for provider in Provider::ALL {
            let body = encode(*provider, &transcript, None).body;

            let decoded = decode(*provider, &response(*provider, &body), None);

            let decoded = decoded.map_err(|error| TestCaseError::fail(format!("{provider}: {error}")))?;
            prop_assert_eq!(text_and_calls(&decoded), (text.clone(), calls.clone()), "{}: {}", provider, body);
            let ids: Vec<bool> = decoded.calls.iter().map(|call| call.id_generated).collect();
            prop_assert_eq!(ids, vec![false; calls.len()], "{}", provider);
        }
    }
}

#[test]
fn wide_integers_of_every_provider_stay_exact() {
    const ID: &str = "340282366920938463463374607431768211455";
    let arguments = json!({"id": "PLACE"});
    let turn = message("", &[("find".to_owned(), arguments)]);
    let transcript = Transcript::from(vec![Message::user("Go"), turn]);
    for provider in Provider::ALL {
        let body = encode(*provider, &transcript, None).body;
        let response = response(*provider, &body).to_string();
        let response = response
            .replace("\\\"PLACE\\\"", ID)
            .replace("\"PLACE\"", ID);

        let decoded = decode_bytes(*provider, response.as_bytes(), None).unwrap();

        let call = &decoded.calls[0];
        assert_eq!(call.arguments, Some(json!({"id": ID})), "{provider}");
        // The registry records the change of raw text, and a note the change of a value.
        let is_text = call.raw.contains(&format!(":{ID}"));
        assert_eq!(decoded.notes.is_empty(), is_text, "{provider}");
    }
}

#[test]
fn wide_integers_in_events_stay_exact() {
    let mut stream = StreamDecoder::new(Provider::Ollama);
    let event = r#"{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"id":18446744073709551616}}}]},"done":true}"#;

    stream.push_event(event, |_| {}).unwrap();

    let decoded = stream.finish(None);
    let arguments = json!({"id": "18446744073709551616"});
    assert_eq!(decoded.calls[0].arguments, Some(arguments));
    assert_eq!(
        decoded.notes,
        ["1 numbers of more than 64 bits were kept as text"]
    );
}
