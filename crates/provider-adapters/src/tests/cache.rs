//! Markers for prompt caches in conversations.

use serde_json::json;

use crate::{Message, Options, Provider, Transcript, encode};

fn transcript() -> Transcript {
    let mut transcript = Transcript::default();
    transcript.push(Message::system("Be brief."));
    transcript.push(Message::user("Hello."));
    transcript
}

#[test]
fn anthropic_marks_system_and_last_block() {
    let dialect = Provider::Anthropic.with_options(Options::default().with_cache(true));
    let mark = json!({"type": "ephemeral"});

    let body = encode(dialect, &transcript(), None).body;

    assert_eq!(
        body["system"],
        json!([{"type": "text", "text": "Be brief.", "cache_control": mark}])
    );
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": [{"type": "text", "text": "Hello.", "cache_control": mark}]}])
    );
}

#[test]
fn anthropic_does_not_mark_reasoning() {
    let transcript: Transcript = serde_json::from_value(json!([
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "", "reasoning": [
            {"text": "Hm.", "provider_data": {"type": "thinking", "thinking": "Hm.", "signature": "s"}},
        ]},
    ]))
    .unwrap();
    let dialect = Provider::Anthropic.with_options(Options::default().with_cache(true));

    let body = encode(dialect, &transcript, None).body;

    let last = body["messages"].as_array().unwrap().last().unwrap();
    let thinking = json!({"type": "thinking", "thinking": "Hm.", "signature": "s"});
    assert_eq!(*last, json!({"role": "assistant", "content": [thinking]}));
}

#[test]
fn bedrock_appends_markers() {
    let dialect = Provider::Bedrock.with_options(Options::default().with_cache(true));
    let mark = json!({"cachePoint": {"type": "default"}});

    let body = encode(dialect, &transcript(), None).body;

    assert_eq!(body["system"], json!([{"text": "Be brief."}, mark]));
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": [{"text": "Hello."}, mark]}])
    );
}

#[test]
fn conversations_have_no_markers_by_default() {
    for provider in [Provider::Anthropic, Provider::Bedrock, Provider::OpenAi] {
        let text = encode(provider, &transcript(), None).body.to_string();

        assert!(!text.contains("cache"), "{text}");
    }
}
