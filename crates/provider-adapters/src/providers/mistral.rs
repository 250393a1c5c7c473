//! Differences between Mistral and OpenAI Chat Completions.

use serde_json::{Map, Value, json};
use tool_core::LossKind;

use crate::decoded::{Choice, StreamError, read};
use crate::providers::openai;
use crate::transcript::{
    AssistantTurn, Conversation, ImageRules, Turn, TurnPart, WireResult, result_text,
};
use crate::wire::{Draft, Endpoint, Extras, IdRule, StreamSwitch, Wire, WireChoice};
use crate::{Block, DecodeError, Object, Reasoning};

pub(crate) const WIRE: Wire = Wire {
    name: "mistral",
    endpoint: Endpoint {
        stream_switch: StreamSwitch::Flag,
        token_limit: "/max_tokens",
        temperature: ("/temperature", 1.5),
        stop: ("/stop", usize::MAX),
        effort: "",
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.mistral.ai/v1")
    },
    // Some models and templates reject any other format.
    ids: IdRule::Nine,
    max_tools: None,
    extras: Extras {
        images: ImageRules::MISTRAL,
        ..Extras::NONE
    },
    request,
    decode,
    encode,
    ..openai::COMPATIBLE_WIRE
};

fn request(draft: &mut Draft<'_>) -> Object {
    if draft.choice == WireChoice::None {
        // Models that receive tools, but must not call them, write calls into their text.
        draft.tools.clear();
    }
    let mut extra = openai::compatible_request(draft);
    if draft.choice == WireChoice::Required {
        extra.insert("tool_choice".to_owned(), "any".into());
    }
    extra
}

fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    if let (false, Some(Value::String(message))) =
        (response.contains_key("choices"), response.get("message"))
    {
        let code = ["code", "type"].map(|key| read::text(response, key));
        let code = code.into_iter().find(|code| !code.is_empty());
        let error = StreamError::new(code.unwrap_or("error"), message);
        return Ok(vec![read::failed(error)]);
    }
    openai::decode(response)
}

fn encode(conversation: &mut Conversation) -> Value {
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System { text, .. } => messages.push(json!({"role": "system", "content": text})),
            Turn::User { pointer, blocks } => {
                let last: Option<&Value> = messages.last();
                if last.is_some_and(|message| message["role"] == "tool") {
                    messages.push(placeholder_reply(pointer, conversation));
                }
                messages.push(openai::user(&blocks));
            }
            Turn::Assistant(turn) => messages.extend(assistant(turn, conversation)),
            Turn::Results(answers) => messages.extend(answers.iter().map(result)),
        }
    }
    json!({"messages": messages})
}

/// Returns an assistant message to insert between results and a user message, because some models
/// reject that order.
fn placeholder_reply(pointer: String, conversation: &mut Conversation) -> Value {
    let detail = "the provider requires an assistant message between results and a user message; a short one is inserted";
    conversation.record_loss(pointer, "role", LossKind::Degraded, detail);
    json!({"role": "assistant", "content": "OK."})
}

fn assistant(mut turn: AssistantTurn, conversation: &mut Conversation) -> Option<Value> {
    let detail = "the provider only accepts reasoning from its own models";
    conversation.keep_own_reasoning(&mut turn, detail, is_own);
    if turn.parts.is_empty() {
        conversation.record_empty(turn.pointer);
        return None;
    }
    conversation.record_reordered(&turn, true);
    let (mut chunks, mut calls) = (Vec::new(), Vec::new());
    for part in turn.parts {
        match part {
            TurnPart::Reasoning(own) => chunks.extend(own.into_block(openai::CHUNK)),
            TurnPart::Text { text, .. } => chunks.push(json!({"type": "text", "text": text})),
            TurnPart::Call(call) => calls.push(openai::wire_call(call)),
        }
    }
    let mut message = Map::from_iter([("role".to_owned(), "assistant".into())]);
    message.insert("content".to_owned(), openai::texts_or_chunks(chunks));
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    Some(Value::Object(message))
}

/// Returns `true` for a chunk in the format of Mistral. Other providers have different thinking blocks.
fn is_own(reasoning: &Reasoning) -> bool {
    let Some(chunk) = &reasoning.provider_data else {
        return false;
    };
    let is_thought = chunk.get("type").is_some_and(|kind| kind == "thinking")
        && chunk.get("thinking").is_some_and(Value::is_array);
    is_thought || reasoning.is_kept(openai::CHUNK)
}

fn result(answer: &WireResult) -> Value {
    // Results accept images here, unlike those of other compatible providers.
    let content = if answer.content.iter().any(Block::is_image) {
        let text = json!({"type": "text", "text": result_text(answer)});
        let images = answer.content.iter().filter_map(image);
        std::iter::once(text).chain(images).collect()
    } else {
        Value::String(result_text(answer))
    };
    json!({"role": "tool", "tool_call_id": answer.id, "name": answer.name, "content": content})
}

fn image(block: &Block) -> Option<Value> {
    match block {
        Block::Image { media_type, data } => {
            let url = openai::data_url(media_type, data);
            Some(json!({"type": "image_url", "image_url": {"url": url}}))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tool_core::{Dialect, ToolDefinition};

    use super::*;
    use crate::{Finish, Options, Provider, ToolChoice, decode};

    #[test]
    fn converts_every_tool_choice() {
        let tools = ["f", "g", "h"].map(|name| ToolDefinition::new(name, "", json!({})));
        let one = json!({"type": "function", "function": {"name": "f"}});
        for (choice, word, sent) in [
            (ToolChoice::Auto, json!("auto"), 3),
            (ToolChoice::None, Value::Null, 0),
            (ToolChoice::Required, json!("any"), 3),
            (ToolChoice::named(["f"]), one, 3),
            (ToolChoice::named(["f", "g"]), json!("any"), 2),
        ] {
            let options = Options::default().with_choice(choice.clone());

            let converted = Provider::Mistral.with_options(options).convert(&tools);

            let actual = converted.request.get("tool_choice").cloned();
            assert_eq!(actual.unwrap_or_default(), word, "{choice:?}");
            assert_eq!(converted.tools.as_array().map(Vec::len), Some(sent));
        }
    }

    #[test]
    fn model_length_finishes_as_length() {
        let choice = json!({"message": {"content": "a"}, "finish_reason": "model_length"});

        let decoded = decode(Provider::Mistral, &json!({"choices": [choice]}), None).unwrap();

        assert_eq!(decoded.finish, Finish::Length);
    }

    #[test]
    fn top_level_message_is_error() {
        let response = json!({"object": "error", "message": "Unauthorized", "type": "auth"});

        let decoded = decode(Provider::Mistral, &response, None).unwrap();

        assert_eq!(
            decoded.stream_error,
            Some(StreamError::new("auth", "Unauthorized"))
        );
    }
}
