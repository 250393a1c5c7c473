//! What a provider is sent.

use provider_adapters::{Provider, ToolSet, encode};
use serde_json::{Map, Value, json};

use super::{HttpModel, MAX_OUTPUT_TOKENS};
use crate::ModelRequest;

/// A request that is ready to be sent, and what is needed to read the response.
pub(super) struct Draft {
    pub(super) body: Value,
    pub(super) tools: ToolSet,
}

impl Draft {
    pub(super) fn new(model: &HttpModel, request: &ModelRequest<'_>) -> Self {
        let provider = model.dialect.provider();
        let told = request.tools.definitions(&model.dialect);
        for refused in &told.refused {
            tracing::warn!(
                tool = refused.tool,
                reason = refused.reason,
                "the provider is not told about a tool"
            );
        }
        let tools = ToolSet::new(&model.dialect, request.tools.list());
        let conversation = encode(provider, request.transcript, Some(&tools));
        let mut body = Map::new();
        for part in [&told.request, &conversation.body] {
            body.extend(part.as_object().cloned().unwrap_or_default());
        }
        body.extend(settings(provider, &model.model, model.max_output_tokens));
        body.extend(streaming(provider, model.streams()));
        Self {
            body: Value::Object(body),
            tools,
        }
    }
}

/// What every request holds beside the tools and the conversation.
fn settings(provider: Provider, model: &str, max_tokens: Option<u32>) -> Map<String, Value> {
    let settings = match (provider, max_tokens) {
        (Provider::Anthropic, most) => {
            json!({"model": model, "max_tokens": most.unwrap_or(MAX_OUTPUT_TOKENS)})
        }
        (Provider::Bedrock | Provider::Gemini | Provider::GeminiOpenApi, None) => json!({}),
        (Provider::Gemini | Provider::GeminiOpenApi, Some(most)) => {
            json!({"generationConfig": {"maxOutputTokens": most}})
        }
        (Provider::Ollama, Some(most)) => {
            json!({"model": model, "options": {"num_predict": most}})
        }
        (Provider::Bedrock, Some(most)) => json!({"inferenceConfig": {"maxTokens": most}}),
        (Provider::OpenAiResponses, Some(most)) => {
            json!({"model": model, "max_output_tokens": most})
        }
        (
            Provider::Cohere | Provider::Mistral | Provider::DeepSeek | Provider::OpenRouter,
            Some(most),
        ) => json!({"model": model, "max_tokens": most}),
        (_, None) => json!({"model": model}),
        (_, Some(most)) => json!({"model": model, "max_completion_tokens": most}),
    };
    members(settings)
}

/// What asks for a stream, or for none where one comes unasked. Gemini is asked by the address.
fn streaming(provider: Provider, streams: bool) -> Map<String, Value> {
    members(match (provider, streams) {
        (Provider::Ollama, streams) => json!({"stream": streams}),
        (Provider::Gemini | Provider::GeminiOpenApi | Provider::Bedrock, _) | (_, false) => {
            json!({})
        }
        // Others than these tell the tokens unasked, and some refuse what they do not know.
        (
            Provider::OpenAi
            | Provider::Azure
            | Provider::Copilot
            | Provider::Groq
            | Provider::DeepSeek
            | Provider::Xai
            | Provider::OpenRouter,
            true,
        ) => json!({"stream": true, "stream_options": {"include_usage": true}}),
        (_, true) => json!({"stream": true}),
    })
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_answer_is_asked_for_in_the_providers_words() {
        for (provider, expected) in [
            (
                Provider::OpenAi,
                json!({"model": "m", "max_completion_tokens": 9}),
            ),
            (Provider::Anthropic, json!({"model": "m", "max_tokens": 9})),
            (Provider::Cohere, json!({"model": "m", "max_tokens": 9})),
            (
                Provider::OpenAiResponses,
                json!({"model": "m", "max_output_tokens": 9}),
            ),
            (
                Provider::Bedrock,
                json!({"inferenceConfig": {"maxTokens": 9}}),
            ),
            (
                Provider::Gemini,
                json!({"generationConfig": {"maxOutputTokens": 9}}),
            ),
            (
                Provider::Ollama,
                json!({"model": "m", "options": {"num_predict": 9}}),
            ),
        ] {
            assert_eq!(Value::Object(settings(provider, "m", Some(9))), expected);
        }
    }

    #[test]
    fn a_stream_is_asked_for_in_the_providers_words() {
        let with_usage = json!({"stream": true, "stream_options": {"include_usage": true}});
        for (provider, unstreamed, streamed) in [
            (Provider::OpenAi, json!({}), with_usage.clone()),
            (Provider::Azure, json!({}), with_usage.clone()),
            (Provider::Groq, json!({}), with_usage),
            (
                Provider::OpenAiResponses,
                json!({}),
                json!({"stream": true}),
            ),
            (Provider::Anthropic, json!({}), json!({"stream": true})),
            (Provider::Mistral, json!({}), json!({"stream": true})),
            (Provider::Cohere, json!({}), json!({"stream": true})),
            (
                Provider::Ollama,
                json!({"stream": false}),
                json!({"stream": true}),
            ),
            (Provider::Gemini, json!({}), json!({})),
            (Provider::Bedrock, json!({}), json!({})),
        ] {
            let asked = [false, true].map(|streams| Value::Object(streaming(provider, streams)));

            assert_eq!(asked, [unstreamed, streamed], "{provider}");
        }
    }
}
