//! Every provider's wire, as data: what goes out, what comes in, what goes back.
//!
//! A case is a folder `tests/fixtures/<provider>/<case>` with the files of one or several of these pairs:
//! `tools.json` (with `options.json`) gives `converted.json`, `response.json` gives `decoded.json`,
//! `transcript.json` gives `request.json` (with `losses.json`, where anything was changed). In place of `response.json`
//! may stand a stream: `stream.sse`, `stream.ndjson`, or `events.jsonl` with one parsed event per line.

use std::fs;
use std::path::{Path, PathBuf};

use provider_adapters::{
    Decoded, Options, Provider, ProviderDialect, PushError, StreamDecoder, StrictMode, ToolSet,
    Transcript, decode, definitions_from_json, encode,
};
use serde_json::{Value, json};
use tool_core::{Dialect, ToolDefinition};

struct Case {
    provider: Provider,
    folder: PathBuf,
}

impl Case {
    fn text(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(file)).ok()
    }

    fn json(&self, file: &str) -> Option<Value> {
        let text = self.text(file)?;
        Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{self}/{file}: {error}")))
    }

    fn definitions(&self) -> Option<Vec<ToolDefinition>> {
        let text = self.text("tools.json")?;
        Some(definitions_from_json(&text).unwrap_or_else(|error| panic!("{self}: {error}")))
    }

    fn options(&self) -> Options {
        let given = self.json("options.json").unwrap_or(json!({}));
        serde_json::from_value(given).unwrap_or_else(|error| panic!("{self}: {error}"))
    }

    fn tool_set(&self) -> Option<ToolSet> {
        let dialect = self.provider.with_options(self.options());
        self.definitions()
            .map(|tools| ToolSet::new(dialect, &tools))
    }

    fn converted(&self) -> Value {
        let tools = self.definitions().unwrap_or_default();
        let converted = self.provider.with_options(self.options()).convert(&tools);
        serde_json::to_value(converted).unwrap()
    }

    fn decoded(&self) -> Value {
        let response = self.json("response.json").unwrap_or_default();
        let decoded = decode(self.provider, &response, self.tool_set().as_ref());
        serde_json::to_value(decoded.unwrap_or_else(|error| panic!("{self}: {error}"))).unwrap()
    }

    /// The bytes of a stream, and the events in it where they are one per line.
    fn stream(&self) -> Option<String> {
        ["stream.sse", "stream.ndjson", "events.jsonl"]
            .iter()
            .find_map(|file| self.text(file))
    }

    fn has_text(&self) -> bool {
        !matches!(self.provider, Provider::Bedrock | Provider::Mcp)
    }

    /// The answer of a stream that comes in the given pieces.
    fn streamed(&self, pieces: &[&str]) -> Value {
        self.streamed_by(|stream| {
            pieces.iter().try_for_each(|piece| {
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
        let transcript = self.json("transcript.json").unwrap_or_default();
        let transcript: Transcript = serde_json::from_value(transcript).unwrap();
        let encoded = encode(self.provider, &transcript, self.tool_set().as_ref());
        (encoded.body, serde_json::to_value(encoded.losses).unwrap())
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.folder.file_name().unwrap_or_default();
        write!(f, "{}/{}", self.provider, name.to_string_lossy())
    }
}

/// The events of a stream as a client of its own would hand them over: without the framing, and only whole ones.
fn events(stream: &str) -> Vec<String> {
    // What the stream broke off within is no event.
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

fn cases() -> Vec<Case> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut cases = Vec::new();
    for provider in Provider::ALL {
        let Ok(folders) = fs::read_dir(fixtures.join(provider.as_str())) else {
            panic!("{provider} has no fixtures");
        };
        cases.extend(folders.map(|folder| Case {
            provider: *provider,
            folder: folder.unwrap().path(),
        }));
    }
    cases
}

#[test]
fn definitions_go_out_as_the_provider_wants_them() {
    for case in cases() {
        let Some(expected) = case.json("converted.json") else {
            continue;
        };

        let converted = case.converted();

        assert_eq!(converted, expected, "{case}: {converted:#}");
    }
}

#[test]
fn calls_come_in_the_same_from_every_provider() {
    for case in cases() {
        let (Some(expected), Some(_)) = (case.json("decoded.json"), case.text("response.json"))
        else {
            continue;
        };

        let decoded = case.decoded();

        assert_eq!(decoded, expected, "{case}: {decoded:#}");
    }
}

#[test]
fn a_stream_gives_its_calls_whole_and_cut_at_every_byte() {
    let mut streams = 0;
    for case in cases() {
        let Some(stream) = case.stream() else {
            continue;
        };
        let expected = case.json("decoded.json").unwrap();
        streams += 1;
        if !case.has_text() {
            let decoded = case.streamed(&stream.lines().collect::<Vec<_>>());
            assert_eq!(decoded, expected, "{case}: {decoded:#}");
            continue;
        }

        let decoded = case.streamed(&[&stream]);

        assert_eq!(decoded, expected, "{case}: {decoded:#}");
        let by_bytes = case.streamed_by(|reader| {
            let mut bytes = stream.as_bytes().chunks(1);
            bytes.try_for_each(|byte| reader.push_bytes(byte, |_| {}))
        });
        assert_eq!(by_bytes, expected, "{case} byte by byte");
        for size in [2, 3, 7, 64] {
            let cut = case.streamed_by(|reader| {
                let mut pieces = stream.as_bytes().chunks(size);
                pieces.try_for_each(|piece| reader.push_bytes(piece, |_| {}))
            });
            assert_eq!(cut, expected, "{case} by {size} bytes");
        }
        let by_events = case.streamed_by(|reader| {
            let mut events = events(&stream).into_iter();
            events.try_for_each(|event| reader.push_event(&event, |_| {}))
        });
        assert_eq!(by_events, expected, "{case} event by event");
    }
    assert!(streams > 70, "{streams}");
}

#[test]
fn results_go_out_as_the_provider_wants_them() {
    for case in cases() {
        let Some(expected) = case.json("request.json") else {
            continue;
        };
        let changes = case.json("losses.json").unwrap_or(json!([]));

        let (request, losses) = case.encoded();

        assert_eq!(request, expected, "{case}: {request:#}");
        assert_eq!(losses, changes, "{case}: {losses:#}");
    }
}

/// Each provider with each strictness, alone.
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
fn every_hard_schema_is_said_but_for_those_that_no_provider_could_take() {
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
    }
}

#[test]
fn what_is_said_of_a_hard_schema_leads_somewhere_and_can_be_filled() {
    for dialect in dialects() {
        let text = dialect.convert(&hard_schemas()).tools.to_string();

        for wrong in [r#""anyOf":[]"#, r##""$ref":"#/$defs/Gone""##, r"\u0000"] {
            assert!(!text.contains(wrong), "{}: {wrong}", dialect.id());
        }
    }
}

#[test]
fn every_provider_has_a_dozen_cases() {
    for provider in Provider::ALL {
        let count = cases()
            .iter()
            .filter(|case| case.provider == *provider)
            .count();

        assert!(count >= 12, "{provider} has {count}");
    }
}

#[test]
fn the_same_definitions_give_the_same_bytes() {
    for case in cases() {
        let (first, second) = (case.converted(), case.converted());

        assert_eq!(first.to_string(), second.to_string(), "{case}");
    }
}
