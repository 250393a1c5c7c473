//! Serialized form of a response, with all data that must be sent back to the provider.

use std::borrow::Cow;

use serde::ser::{Error, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::builder::{CARRIED_ORDER, CARRIED_REASONING};
use super::{Decoded, DecodedCall};

impl Serialize for Decoded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let has_choices = !self.choices.is_empty();
        let mut form = serializer.serialize_struct("Decoded", 6 + usize::from(has_choices))?;
        form.serialize_field("text", &self.text)?;
        form.serialize_field("reasoning", &self.reasoning)?;
        form.serialize_field(
            "calls",
            &self.calls_with_reasoning().map_err(S::Error::custom)?,
        )?;
        if has_choices {
            form.serialize_field("choices", &self.choices)?;
        } else {
            form.skip_field("choices")?;
        }
        form.serialize_field("finish", &self.finish)?;
        form.serialize_field("finish_raw", &self.finish_raw)?;
        form.serialize_field("stream_error", &self.stream_error)?;
        form.end()
    }
}

impl Decoded {
    /// Returns the calls. The first one contains the reasoning that must be sent back to the
    /// provider, and the order.
    fn calls_with_reasoning(&self) -> serde_json::Result<Vec<Cow<'_, DecodedCall>>> {
        let mut calls: Vec<Cow<'_, DecodedCall>> = self.calls.iter().map(Cow::Borrowed).collect();
        let has_data = self
            .reasoning_blocks
            .iter()
            .any(|block| block.provider_data.is_some());
        if let (true, Some(first)) = (has_data, calls.first_mut()) {
            let reasoning = serde_json::to_value(&self.reasoning_blocks)?;
            let first = first.to_mut();
            let data = first.provider_data.get_or_insert_with(|| Map::new().into());
            if let Value::Object(data) = data {
                data.insert(CARRIED_REASONING.to_owned(), reasoning);
                if !self.order.is_empty() {
                    let order = serde_json::to_value(&self.order)?;
                    data.insert(CARRIED_ORDER.to_owned(), order);
                }
            }
        }
        Ok(calls)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{Message, Provider, ToolMessage, Transcript, decode, encode};

    /// Returns responses with reasoning that must be sent back to the provider.
    fn answers() -> Vec<(Provider, Value)> {
        let call =
            json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let chat = |key: &str, thought: Value| json!({"choices": [{"message": {(key): thought, "tool_calls": [call]}}]});
        vec![
            (
                Provider::Anthropic,
                json!({"content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "s"},
                    {"type": "tool_use", "id": "c", "name": "f", "input": {}},
                ]}),
            ),
            (
                Provider::Bedrock,
                json!({"output": {"message": {"content": [
                    {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}},
                    {"toolUse": {"toolUseId": "c", "name": "f", "input": {}}},
                ]}}}),
            ),
            (
                Provider::OpenAiResponses,
                json!({"status": "completed", "output": [
                    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "s"},
                    {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"},
                ]}),
            ),
            (
                Provider::OpenRouter,
                chat(
                    "reasoning_details",
                    json!([{"type": "reasoning.text", "text": "Hm."}]),
                ),
            ),
            (Provider::Copilot, chat("reasoning_opaque", json!("s"))),
        ]
    }

    #[test]
    fn serialized_response_encodes_like_original() {
        for (provider, response) in answers() {
            let decoded = decode(provider, &response, None).unwrap();
            let written = serde_json::to_value(&decoded).unwrap();
            let calls: Vec<Value> = written["calls"]
                .as_array()
                .unwrap()
                .iter()
                .map(|call| {
                    json!({"id": call["id"], "name": call["name"], "arguments": call["arguments"],
                        "provider_data": call["provider_data"]})
                })
                .collect();
            let message = json!({"role": "assistant", "content": written["text"], "calls": calls});
            let answer = Message::tool([ToolMessage::new("c", "f", "done")]);
            let kept = vec![
                Message::user("Go"),
                serde_json::from_value(message).unwrap(),
                answer.clone(),
            ];
            let held = vec![Message::user("Go"), decoded.into(), answer];

            let (kept, held) = (Transcript::from(kept), Transcript::from(held));

            assert_eq!(
                encode(provider, &kept, None),
                encode(provider, &held, None),
                "{provider}"
            );
        }
    }

    #[test]
    fn keeps_item_id_in_call() {
        let item = json!({"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"});
        let response = json!({"status": "completed", "output": [item]});

        let decoded = decode(Provider::OpenAiResponses, &response, None).unwrap();

        assert_eq!(
            decoded.calls[0].provider_data,
            Some(json!({"output_item_id": "fc_1"}))
        );
    }
}
