//! HTTP API of a provider.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::Usage;

/// HTTP API of a provider: paths, authentication, streaming, token limit and location of the usage.
///
/// Create one with struct update syntax from [`Endpoint::CHAT_COMPLETIONS`] or from the endpoint of a known provider.
///
/// # Examples
/// ```
/// use provider_adapters::{Endpoint, Provider};
///
/// static ACME: Endpoint = Endpoint {
///     path: "generate/{model}",
///     key_header: ("x-acme-key", ""),
///     ..Endpoint::CHAT_COMPLETIONS.at("https://api.acme.example")
/// };
/// assert!(!ACME.settings("m1", Some(100), false).contains_key("model"));
/// assert_eq!(Provider::Anthropic.endpoint().key_header, ("x-api-key", ""));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Endpoint {
    /// URL of the provider's public service. `None` if each customer has a separate URL.
    pub base_url: Option<&'static str>,
    /// Path segment of the version, which a base URL may contain or omit.
    pub version: Option<&'static str>,
    /// Path of requests after the version. `{model}` is replaced with the model name. Empty if there is no HTTP API.
    pub path: &'static str,
    /// Path of streaming requests with an optional query. `None` if it equals `path`.
    pub stream_path: Option<&'static str>,
    /// Headers of every request, in lowercase.
    pub headers: &'static [(&'static str, &'static str)],
    /// Header of the key, in lowercase, and the text before the key.
    pub key_header: (&'static str, &'static str),
    /// Members of the request body that enable streaming.
    pub stream_switch: StreamSwitch,
    /// Encoding of the events in a streamed response.
    pub framing: Framing,
    /// JSON pointer of the maximum number of output tokens in the request body.
    pub token_limit: &'static str,
    /// Maximum number of output tokens for providers that require a limit.
    pub default_token_limit: Option<u32>,
    /// JSON pointer of the temperature and its maximum. An empty pointer means unsupported, here and in the next fields.
    pub temperature: (&'static str, f64),
    /// JSON pointer of the stop sequences and their maximum number.
    pub stop: (&'static str, usize),
    /// JSON pointer of the reasoning effort, which is `low`, `medium` or `high`.
    pub effort: &'static str,
    /// Members that require an answer in JSON.
    pub answer: ReplyFormat,
    /// Locations of the token counts in a response. The first entry with a count applies. A streamed response has only
    /// the members that the dialect reads.
    pub usage: &'static [UsageFields],
    /// Changes the complete request body before it is sent.
    pub adapt_request: Option<fn(&mut Map<String, Value>)>,
    /// Changes a response, or each event of a streamed response, before it is decoded.
    pub adapt_response: Option<fn(&mut Map<String, Value>)>,
}

/// Members of a request body that enable streaming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamSwitch {
    /// No members: the path enables streaming.
    Path,
    /// `"stream": true`.
    Flag,
    /// `"stream": true`, and a request for token counts in the stream.
    FlagWithUsage,
    /// `"stream": true` or `"stream": false`, because the provider streams by default.
    OnOrOff,
}

/// Encoding of the events in a streamed response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// Server-sent events.
    Events,
    /// One JSON value per line.
    Lines,
    /// Not text: the events are decoded by the caller.
    Binary,
}

/// Members of a request body that require an answer in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyFormat {
    /// Not supported together with tools.
    None,
    /// `response_format` of Chat Completions.
    ResponseFormat,
    /// `text.format` of Responses.
    TextFormat,
    /// `output_config.format` of Anthropic.
    OutputConfig,
}

/// Locations of the token counts in a response, as JSON pointers.
#[derive(Debug, Clone, Copy)]
pub struct UsageFields {
    /// Counts that add up to the input tokens.
    pub input: &'static [&'static str],
    /// Counts that add up to the output tokens.
    pub output: &'static [&'static str],
    /// Total count. Output tokens that only the total includes are added to the output.
    pub total: &'static str,
    /// Input tokens read from a cache. The first existing count applies.
    pub cached: &'static [&'static str],
    /// Input tokens written to a cache.
    pub cache_write: &'static str,
    /// Output tokens used for reasoning.
    pub reasoning: &'static str,
}

impl UsageFields {
    /// No counts, for struct update syntax: an empty pointer is a count that the provider does not report.
    pub const NONE: Self = Self {
        input: &[],
        output: &[],
        total: "",
        cached: &[],
        cache_write: "",
        reasoning: "",
    };
}

impl Endpoint {
    /// Endpoint of Chat Completions, without a base URL.
    pub const CHAT_COMPLETIONS: Self = Self {
        base_url: None,
        version: None,
        path: "chat/completions",
        stream_path: None,
        headers: &[],
        key_header: ("authorization", "Bearer "),
        stream_switch: StreamSwitch::FlagWithUsage,
        framing: Framing::Events,
        token_limit: "/max_completion_tokens",
        default_token_limit: None,
        temperature: ("/temperature", 2.0),
        stop: ("/stop", 4),
        effort: "/reasoning_effort",
        answer: ReplyFormat::None,
        // Some servers include reasoning tokens only in the total.
        usage: &[UsageFields {
            input: &["/usage/prompt_tokens"],
            output: &["/usage/completion_tokens"],
            total: "/usage/total_tokens",
            cached: &[
                "/usage/prompt_tokens_details/cached_tokens",
                "/usage/prompt_cache_hit_tokens",
            ],
            reasoning: "/usage/completion_tokens_details/reasoning_tokens",
            ..UsageFields::NONE
        }],
        adapt_request: None,
        adapt_response: None,
    };

    /// Returns this endpoint with another base URL.
    #[must_use]
    pub const fn at(self, base_url: &'static str) -> Self {
        Self {
            base_url: Some(base_url),
            ..self
        }
    }

    /// Returns `true` if responses can be streamed as text.
    pub fn can_stream(&self) -> bool {
        self.framing != Framing::Binary
    }

    /// Returns the members of a request body other than tools and conversation.
    pub fn settings(
        &self,
        model: &str,
        max_tokens: Option<u32>,
        streams: bool,
    ) -> Map<String, Value> {
        let mut settings = Map::new();
        if !self.path.contains("{model}") {
            settings.insert("model".to_owned(), model.into());
        }
        // Only Anthropic requires a limit; elsewhere none means the maximum of the model.
        if let Some(limit) = max_tokens.or(self.default_token_limit) {
            insert_at(&mut settings, self.token_limit, limit.into());
        }
        let switch = self.stream_switch;
        if switch == StreamSwitch::OnOrOff || (streams && switch != StreamSwitch::Path) {
            settings.insert("stream".to_owned(), streams.into());
        }
        // Chat Completions streams have no token counts without this option.
        if switch == StreamSwitch::FlagWithUsage && streams {
            insert_at(&mut settings, "/stream_options/include_usage", true.into());
        }
        settings
    }

    /// Returns a response or event as the base dialect expects it.
    pub(crate) fn adapted<'r>(
        &self,
        response: &'r Map<String, Value>,
    ) -> Cow<'r, Map<String, Value>> {
        match self.adapt_response {
            None => Cow::Borrowed(response),
            Some(adapt) => {
                let mut response = response.clone();
                adapt(&mut response);
                Cow::Owned(response)
            }
        }
    }

    /// Returns the token counts of a response.
    pub(crate) fn usage(&self, response: &Map<String, Value>) -> Option<Usage> {
        self.usage.iter().find_map(|fields| fields.read(response))
    }
}

/// Inserts a value at a JSON pointer and creates the objects on the way.
pub(super) fn insert_at(object: &mut Map<String, Value>, pointer: &str, value: Value) {
    let (path, last) = pointer.rsplit_once('/').unwrap_or_default();
    let mut place = object;
    for key in path.split('/').skip(1) {
        let entry = place.entry(key).or_insert_with(|| Map::new().into());
        let Value::Object(inner) = entry else { return };
        place = inner;
    }
    place.insert(last.to_owned(), value);
}

impl UsageFields {
    fn read(&self, response: &Map<String, Value>) -> Option<Usage> {
        let count = |pointer: &&str| {
            // `Value::pointer` would need a `Value`, and so a clone of the map.
            let mut keys = pointer.split('/').skip(1);
            let first = response.get(keys.next()?)?;
            keys.try_fold(first, |value, key| value.get(key))?.as_u64()
        };
        let sum = |pointers: &[&str]| {
            let counts = pointers.iter().filter_map(count);
            counts.reduce(u64::saturating_add)
        };
        let (input, output) = (sum(self.input), sum(self.output));
        if input.is_none() && output.is_none() {
            return None;
        }
        let input_tokens = input.unwrap_or_default();
        let total = count(&self.total).unwrap_or_default();
        Some(Usage {
            input_tokens,
            output_tokens: output
                .unwrap_or_default()
                .max(total.saturating_sub(input_tokens)),
            cached_tokens: self.cached.iter().find_map(count).unwrap_or_default(),
            cache_write_tokens: count(&self.cache_write).unwrap_or_default(),
            reasoning_tokens: count(&self.reasoning).unwrap_or_default(),
        })
    }
}

impl Endpoint {
    /// Returns the members of a request body that require an answer that matches `schema`. `None` if the provider does
    /// not support it together with tools.
    ///
    /// # Examples
    /// ```
    /// use provider_adapters::Provider;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object"});
    /// let body = Provider::Anthropic.endpoint().reply_format(&schema);
    /// let format = json!({"output_config": {"format": {"type": "json_schema", "schema": schema}}});
    /// assert_eq!(body.map(|body| json!(body)), Some(format));
    /// assert_eq!(Provider::Gemini.endpoint().reply_format(&schema), None);
    /// ```
    pub fn reply_format(&self, schema: &Value) -> Option<Map<String, Value>> {
        let (pointer, format) = match self.answer {
            ReplyFormat::None => return None,
            ReplyFormat::ResponseFormat => (
                "/response_format",
                json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}),
            ),
            ReplyFormat::TextFormat => (
                "/text/format",
                // Strict is the default there, but the schema isn't converted to the strict subset.
                json!({"type": "json_schema", "name": "answer", "schema": schema, "strict": false}),
            ),
            ReplyFormat::OutputConfig => (
                "/output_config/format",
                json!({"type": "json_schema", "schema": schema}),
            ),
        };
        let mut body = Map::new();
        insert_at(&mut body, pointer, format);
        Some(body)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Provider;

    #[test]
    fn sets_token_limit_under_key_of_provider() {
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
                json!({"model": "m", "options": {"num_predict": 9}, "stream": false}),
            ),
        ] {
            assert_eq!(
                Value::Object(provider.endpoint().settings("m", Some(9), false)),
                expected
            );
        }
    }

    #[test]
    fn sets_stream_switch_of_provider() {
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
            let switched = [false, true].map(|streams| {
                let mut settings = provider.endpoint().settings("m", None, streams);
                settings.retain(|key, _| key.starts_with("stream"));
                Value::Object(settings)
            });

            assert_eq!(switched, [unstreamed, streamed], "{provider}");
        }
    }
}
