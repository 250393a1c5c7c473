//! Fixtures for every provider's wire format: tools, responses and transcripts.
//!
//! A case has one or several of these groups of parts:
//!
//! - `tools` (with `options`) are converted to `converted`.
//! - A `response`, or a `stream` of lines, is decoded to `decoded`. A line of Bedrock and MCP is an
//!   event without framing.
//! - The same `response` in a conversation becomes the request `returned`, for the same provider and without losses.
//! - A `transcript` is converted to a `request` (with `losses` if there are lossy changes).
//!
//! For a new case, write the inputs and an empty expectation (`"converted": {}`), and run the tests
//! with `UPDATE_GOLDEN=1`.

mod cases;

use std::fs;
use std::path::Path;

use cases::{Case, cases};
use provider_adapters::{
    Decoded, Message, Options, Provider, ProviderDialect, PushError, StreamDecoder, StrictMode,
    ToolMessage, Transcript, decode, definitions_from_json, encode, trusted_definitions_from_json,
};
use serde_json::{Value, json};
use tool_core::{
    Dialect, DynamicTool, ErrorCode, ProviderTools, Registry, ToolDefinition, ToolOutput,
};

impl Case {
    fn definitions(&self) -> Option<Vec<ToolDefinition>> {
        let text = self.part("tools")?.to_string();
        let definitions = trusted_definitions_from_json(&text);
        Some(definitions.unwrap_or_else(|error| panic!("{self}: {error}")))
    }

    fn options(&self) -> Options {
        let given = self.part("options").cloned().unwrap_or(json!({}));
        serde_json::from_value(given).unwrap_or_else(|error| panic!("{self}: {error}"))
    }

    fn tool_set(&self) -> Option<ProviderTools> {
        let dialect = self.provider.with_options(self.options());
        self.definitions().map(|tools| dialect.convert(&tools))
    }

    fn converted(&self) -> Value {
        let tools = self.definitions().unwrap_or_default();
        let converted = self.provider.with_options(self.options()).convert(&tools);
        serde_json::to_value(converted).unwrap()
    }

    fn decoded(&self) -> Value {
        let response = self.part("response").cloned().unwrap_or_default();
        let decoded = decode(self.provider, &response, self.tool_set().as_ref());
        serde_json::to_value(decoded.unwrap_or_else(|error| panic!("{self}: {error}"))).unwrap()
    }

    /// Returns the request that continues the conversation after the response, and its losses.
    fn returned(&self) -> (Value, Value) {
        let response = self.part("response").cloned().unwrap_or_default();
        let tools = self.tool_set();
        let decoded = decode(self.provider, &response, tools.as_ref()).unwrap();
        let calls = decoded.calls.iter();
        let results: Vec<ToolMessage> = calls
            .map(|call| ToolMessage::new(&*call.id, &*call.name, "done"))
            .collect();
        let messages = vec![
            Message::user("Go"),
            decoded.into(),
            Message::Tool { results },
        ];
        let encoded = encode(self.provider, &Transcript::from(messages), tools.as_ref());
        (encoded.body, serde_json::to_value(encoded.losses).unwrap())
    }

    fn stream(&self) -> Option<String> {
        let lines = self.part("stream")?.clone();
        let lines: Vec<String> = serde_json::from_value(lines).unwrap();
        Some(lines.join("\n"))
    }

    fn has_text(&self) -> bool {
        !matches!(self.provider, Provider::Bedrock | Provider::Mcp)
    }

    /// Decodes a stream that arrives in the given chunks.
    fn streamed(&self, chunks: &[&str]) -> Value {
        self.streamed_by(|stream| {
            chunks.iter().try_for_each(|piece| {
                if self.has_text() {
                    stream.push_bytes(piece.as_bytes(), |_| {})
                } else {
                    stream.push_event(piece, |_| {})
                }
            })
        })
    }

    fn streamed_by(&self, push: impl FnOnce(&mut StreamDecoder) -> Result<(), PushError>) -> Value {
        let mut stream = StreamDecoder::new(self.provider);
        push(&mut stream).unwrap_or_else(|error| panic!("{self}: {error}"));
        let decoded: Decoded = stream.finish(self.tool_set().as_ref());
        serde_json::to_value(decoded).unwrap()
    }

    fn encoded(&self) -> (Value, Value) {
        let transcript = self.part("transcript").cloned().unwrap_or_default();
        let transcript: Transcript = serde_json::from_value(transcript).unwrap();
        let encoded = encode(self.provider, &transcript, self.tool_set().as_ref());
        (encoded.body, serde_json::to_value(encoded.losses).unwrap())
    }
}

/// Returns the complete events of a stream without framing, as clients with their own parser pass
/// them.
fn events(stream: &str) -> Vec<String> {
    // The stream may be truncated inside an event.
    let is_whole =
        |event: &String| event == "[DONE]" || serde_json::from_str::<Value>(event).is_ok();
    let is_framed = |line: &str| line.trim_start().starts_with("data:");
    if !stream.lines().any(is_framed) {
        let lines = stream.lines().map(str::to_owned);
        return lines.filter(is_whole).collect();
    }
    let stream = stream.replace("\r\n", "\n").replace('\r', "\n");
    let frames = stream.split("\n\n").map(|frame| {
        let lines = frame.lines().filter_map(|line| line.strip_prefix("data:"));
        let lines: Vec<&str> = lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        lines.join("\n")
    });
    frames.filter(is_whole).collect()
}

#[test]
fn converts_definitions_to_provider_formats() {
    for case in cases().iter().filter(|case| case.expects("converted")) {
        case.check("converted", &case.converted());
    }
}

#[test]
fn decodes_responses_of_every_provider() {
    for case in cases().iter().filter(|case| case.expects("decoded")) {
        if case.stream().is_none() {
            case.check("decoded", &case.decoded());
        }
    }
}

#[test]
fn recorded_turns_return_to_their_provider_without_losses() {
    let mut providers = Vec::new();
    for case in cases().iter().filter(|case| case.expects("returned")) {
        let (request, losses) = case.returned();

        assert_eq!(losses, json!([]), "{case}");
        case.check("returned", &request);
        providers.push(case.provider);
    }
    for provider in Provider::ALL {
        assert!(providers.contains(provider), "{provider}");
    }
}

#[test]
fn decodes_streams_split_at_every_byte() {
    let mut streams = 0;
    for case in cases() {
        let Some(stream) = case.stream() else {
            continue;
        };
        streams += 1;
        if !case.has_text() {
            let decoded = case.streamed(&stream.lines().collect::<Vec<_>>());
            case.check("decoded", &decoded);
            continue;
        }

        let decoded = case.streamed(&[&stream]);

        case.check("decoded", &decoded);
        let by_bytes = case.streamed_by(|reader| {
            let mut bytes = stream.as_bytes().chunks(1);
            bytes.try_for_each(|byte| reader.push_bytes(byte, |_| {}))
        });
        assert_eq!(by_bytes, decoded, "{case} in single bytes");
        for size in [2, 3, 7, 64] {
            let cut = case.streamed_by(|reader| {
                let mut chunks = stream.as_bytes().chunks(size);
                chunks.try_for_each(|piece| reader.push_bytes(piece, |_| {}))
            });
            assert_eq!(cut, decoded, "{case} in chunks of {size} bytes");
        }
        let by_events = case.streamed_by(|reader| {
            let mut events = events(&stream).into_iter();
            events.try_for_each(|event| reader.push_event(&event, |_| {}))
        });
        assert_eq!(by_events, decoded, "{case} in events");
    }
    assert!(streams > 110, "{streams}");
}

#[test]
fn converts_transcripts_to_provider_formats() {
    for case in cases().iter().filter(|case| case.expects("request")) {
        let (request, losses) = case.encoded();

        case.check("request", &request);
        let is_lossless = losses == json!([]);
        case.check("losses", if is_lossless { &Value::Null } else { &losses });
    }
}

/// Returns each provider with each strictness.
fn dialects() -> impl Iterator<Item = ProviderDialect> {
    let modes = [StrictMode::Auto, StrictMode::On, StrictMode::Off];
    Provider::ALL.iter().flat_map(move |provider| {
        modes.map(|mode| provider.with_options(Options::default().with_strict(mode)))
    })
}

fn hard_schemas() -> Vec<ToolDefinition> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hard_schemas.json");
    definitions_from_json(&fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn converts_all_hard_schemas_except_unsupported_ones() {
    for dialect in dialects() {
        let inlines = matches!(
            dialect.provider(),
            Provider::GeminiOpenApi | Provider::Ollama
        );
        let mut refused = vec!["root_that_is_no_object"];
        if inlines {
            refused.insert(0, "reference_bomb");
        }

        let converted = dialect.convert(&hard_schemas());

        let tools: Vec<&str> = converted
            .refused
            .iter()
            .map(|one| one.tool.as_str())
            .collect();
        assert_eq!(tools, refused, "{}", dialect.id());
        // What is sent resolves and is satisfiable.
        let text = converted.tools.to_string();
        for wrong in [r#""anyOf":[]"#, r##""$ref":"#/$defs/Gone""##, r"\u0000"] {
            assert!(!text.contains(wrong), "{}: {wrong}", dialect.id());
        }
    }
}

#[test]
fn every_provider_has_twelve_cases() {
    let cases = cases();
    for provider in Provider::ALL {
        let count = cases
            .iter()
            .filter(|case| case.provider == *provider)
            .count();

        assert!(count >= 12, "{provider} has {count}");
    }
}

#[test]
fn conversion_is_deterministic() {
    for case in cases() {
        let (first, second) = (case.converted(), case.converted());

        assert_eq!(first.to_string(), second.to_string(), "{case}");
    }
}

#[tokio::test]
async fn destructive_foreign_tool_requires_approval() {
    let entry = json!({"name": "drop_table", "annotations": {"destructiveHint": true}});
    let definition = definitions_from_json(&entry.to_string()).unwrap().remove(0);
    let tool = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("dropped")) });

    let result = Registry::of(tool)
        .unwrap()
        .execute("drop_table", json!({}))
        .await;

    let code = result.error.map(|error| error.code);
    assert_eq!(code, Some(ErrorCode::ApprovalDenied));
}
