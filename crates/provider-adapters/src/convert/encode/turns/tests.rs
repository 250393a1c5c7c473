use serde_json::json;

use crate::Provider;

use super::*;

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
fn answers_follow_their_calls_before_anything_else() {
    let conversation = turns(json!([
        {"role": "assistant", "calls": [{"id": "a", "name": "f", "arguments": {}}]},
        {"role": "user", "content": "wait"},
        {"role": "tool", "results": [{"call_id": "a", "name": "f", "content": "done"}]},
    ]));

    assert_eq!(kinds(&conversation), ["assistant", "results", "user"]);
    assert_eq!(places(&conversation), ["/2/results/0"]);
}

#[test]
fn an_answer_after_the_next_message_of_the_model_is_too_late() {
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

#[test]
fn neighbours_with_calls_are_one_turn_whose_answers_follow_all_of_it() {
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
    assert_eq!((turn.text.as_str(), turn.calls.len()), ("one\ntwo", 2));
    let told: Vec<(&str, bool)> = answers
        .iter()
        .map(|answer| (answer.pointer.as_str(), answer.is_error))
        .collect();
    assert_eq!(told, [("/2/results/1", false), ("/2/results/0", false)]);
    assert_eq!(places(&conversation), ["/1"]);
}

#[test]
fn an_image_of_the_application_is_dropped_with_a_loss() {
    let image = json!({"type": "image", "media_type": "image/png", "data": "aGk="});
    let conversation = turns(json!([
        {"role": "system", "content": [{"type": "text", "text": "s"}, image]},
    ]));

    assert_eq!(kinds(&conversation), ["system"]);
    assert_eq!(places(&conversation), ["/0/content"]);
    assert_eq!(conversation.losses[0].keyword, "image");
}

#[test]
fn an_id_that_was_never_given_is_told_to_nobody_who_can_do_without() {
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
fn two_calls_with_one_id_get_two_ids_and_an_answer_each() {
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
    let told: Vec<(&str, &str)> = answers
        .iter()
        .map(|answer| (answer.id.as_str(), answer.name.as_str()))
        .collect();
    assert_eq!(told, [("a", "f"), ("a_1", "g")]);
}
