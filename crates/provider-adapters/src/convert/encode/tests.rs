use serde_json::json;

use super::*;
use crate::Provider;
use crate::transcript::TurnPart;

fn turns(transcript: Value) -> Conversation {
    let transcript: Transcript = serde_json::from_value(transcript).unwrap();
    arrange(&Provider::Anthropic.into(), &transcript, None)
}

fn kinds(conversation: &Conversation) -> Vec<&'static str> {
    let kind = |turn: &Turn| match turn {
        Turn::System { .. } => "system",
        Turn::User { .. } => "user",
        Turn::Assistant(_) => "assistant",
        Turn::Results(_) => "results",
    };
    conversation.turns.iter().map(kind).collect()
}

fn places(conversation: &Conversation) -> Vec<&str> {
    let losses = conversation.losses.iter();
    losses.map(|loss| loss.pointer.as_str()).collect()
}

#[test]
fn moves_results_directly_after_calls() {
    let conversation = turns(json!([
        {"role": "assistant", "calls": [{"id": "a", "name": "f", "arguments": {}}]},
        {"role": "user", "content": "wait"},
        {"role": "tool", "results": [{"call_id": "a", "name": "f", "content": "done"}]},
    ]));

    assert_eq!(kinds(&conversation), ["assistant", "results", "user"]);
    assert_eq!(places(&conversation), ["/2/results/0"]);
}

#[test]
fn results_after_next_assistant_message_are_orphans() {
    let conversation = turns(json!([
        {"role": "assistant", "calls": [{"id": "a", "name": "f", "arguments": {}}]},
        {"role": "user", "content": "and"},
        {"role": "assistant", "content": "so"},
        {"role": "tool", "results": [{"call_id": "a", "name": "f", "content": "done"}]},
    ]));

    assert_eq!(
        kinds(&conversation),
        ["assistant", "results", "user", "assistant", "user"]
    );
    assert_eq!(places(&conversation), ["/0/calls/0", "/3/results/0"]);
}

fn name_or_text(part: &TurnPart) -> &str {
    match part {
        TurnPart::Call(call) => &call.name,
        TurnPart::Text { text, .. } => text,
        TurnPart::Reasoning(reasoning) => &reasoning.text,
    }
}

#[test]
fn merges_consecutive_assistant_messages_with_calls() {
    let conversation = turns(json!([
        {"role": "assistant", "content": "one", "calls": [{"id": "a", "name": "f", "arguments": {}}]},
        {"role": "assistant", "content": "two", "calls": [{"id": "b", "name": "g", "arguments": {}}]},
        {"role": "tool", "results": [
            {"call_id": "b", "name": "g", "content": "2"}, {"call_id": "a", "name": "f", "content": "1"},
        ]},
    ]));

    let [Turn::Assistant(turn), Turn::Results(answers)] = conversation.turns.as_slice() else {
        panic!("{conversation:?}")
    };
    let parts: Vec<&str> = turn.parts.iter().map(name_or_text).collect();
    assert_eq!(parts, ["one", "f", "two", "g"]);
    let fields = TurnFields::from(turn.parts.clone());
    assert_eq!((fields.text.as_str(), fields.calls.len()), ("one\ntwo", 2));
    let results: Vec<(&str, bool)> = answers
        .iter()
        .map(|answer| (answer.pointer.as_str(), answer.is_error))
        .collect();
    assert_eq!(results, [("/2/results/1", false), ("/2/results/0", false)]);
    assert_eq!(places(&conversation), ["/1"]);
}

#[test]
fn drops_images_of_system_messages_with_loss() {
    let image = json!({"type": "image", "media_type": "image/png", "data": "aGk="});
    let conversation = turns(json!([
        {"role": "system", "content": [{"type": "text", "text": "s"}, image]},
    ]));

    assert_eq!(kinds(&conversation), ["system"]);
    assert_eq!(places(&conversation), ["/0/content"]);
    assert_eq!(conversation.losses[0].keyword, "image");
}

#[test]
fn omits_generated_ids_if_not_required() {
    let transcript: Transcript = serde_json::from_value(json!([
        {"role": "assistant", "calls": [{"id": "", "name": "f", "arguments": {}}]},
        {"role": "tool", "results": [{"call_id": "", "name": "f", "content": "done"}]},
    ]))
    .unwrap();
    for provider in [Provider::Gemini, Provider::Ollama] {
        let body = crate::encode(provider, &transcript, None).body.to_string();

        assert!(!body.contains("\"call\""), "{provider}: {body}");
    }
}

#[test]
fn assigns_unique_ids_to_calls_with_equal_ids() {
    let conversation = turns(json!([
        {"role": "assistant", "calls": [
            {"id": "a", "name": "f", "arguments": {}}, {"id": "a", "name": "g", "arguments": {}},
        ]},
        {"role": "tool", "results": [
            {"call_id": "a", "name": "f", "content": "1"}, {"call_id": "a", "name": "g", "content": "2"},
        ]},
    ]));

    let Some(Turn::Results(answers)) = conversation.turns.get(1) else {
        panic!("{conversation:?}")
    };
    let results: Vec<(&str, &str)> = answers
        .iter()
        .map(|answer| (answer.id.as_str(), answer.name.as_str()))
        .collect();
    assert_eq!(results, [("a", "f"), ("a_1", "g")]);
}

#[test]
fn sends_audio_and_resources_or_their_text_with_loss() {
    let audio = json!({"type": "audio", "media_type": "audio/wav", "data": "c291bmQ="});
    let text = json!({"type": "resource", "uri": "test://a", "text": "inside"});
    let blob = json!({"type": "resource", "uri": "test://b", "blob": "Ymxv", "media_type": "application/zip"});
    let content = json!([audio, text, blob]);
    let transcript: Transcript = serde_json::from_value(json!([
        {"role": "user", "content": content},
        {"role": "assistant", "calls": [{"id": "a", "name": "f", "arguments": {}}]},
        {"role": "tool", "results": [{"call_id": "a", "name": "f", "content": content}]},
    ]))
    .unwrap();
    for provider in Provider::ALL.iter().copied() {
        let (audio, resources) = match provider {
            Provider::Mcp => (2, 1),
            Provider::Gemini | Provider::GeminiOpenApi => (2, 0),
            _ => (0, 0),
        };

        let encoded = crate::encode(provider, &transcript, None);

        let body = encoded.body.to_string();
        let sent = |text: &str| body.matches(text).count();
        assert_eq!(sent("c291bmQ="), audio, "{provider}: {body}");
        assert_eq!(sent("[audio/wav of 5 bytes]"), 2 - audio, "{provider}");
        assert_eq!(sent("Ymxv"), resources, "{provider}");
        assert_eq!(sent("test://a:\\ninside"), 2 - resources, "{provider}");
        assert_eq!(
            sent("test://b: [application/zip of 3 bytes]"),
            2 - resources
        );
        let lost = |keyword: &str, pointer: &str| {
            let losses = encoded.losses.iter();
            losses
                .filter(|loss| loss.keyword == keyword && loss.pointer == pointer)
                .count()
        };
        assert_eq!(lost("audio", "/0/content"), usize::from(audio == 0));
        assert_eq!(lost("resource", "/0/content"), 2, "{provider}");
        let results = "/2/results/0/content";
        assert_eq!(
            lost("audio", results),
            usize::from(provider != Provider::Mcp)
        );
        assert_eq!(lost("resource", results), 2 - 2 * resources, "{provider}");
    }
}
