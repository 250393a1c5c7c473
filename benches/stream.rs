//! What does it cost to put the arguments of a call together from the pieces of a stream?
//!
//! cargo bench --bench stream -- [--quick]

use benches::bar::{self, Bar};
use benches::measure::{Case, Effort, interleaved};
use benches::options::Options;
use provider_adapters::{Decoded, Provider, StreamDecoder};
use serde_json::{Value, json};

/// The bytes of a piece.
const PIECE: usize = 32;

/// The bytes of the arguments.
const LENGTH: usize = 1024 * 1024;

fn main() {
    let effort = Options::from_command_line().effort;
    let bars = [
        bar_of("one long text", &text(), effort),
        bar_of("many small members", &members(), effort),
    ];
    bar::print(&bars);
}

/// Arguments as of a tool that writes a file.
fn text() -> String {
    json!({"path": "a.txt", "content": "All work and no play.\n".repeat(LENGTH / 23)}).to_string()
}

/// Arguments as of a tool that takes a list of records.
fn members() -> String {
    let record =
        json!({"id": 1, "name": "Ada Lovelace", "tags": ["a", "b"], "score": 0.5, "active": true});
    let length = record.to_string().len() + 1;
    json!({"records": vec![record; LENGTH / length]}).to_string()
}

fn bar_of(name: &str, arguments: &str, effort: Effort) -> Bar {
    let events = events(arguments);
    let parsed: Value = serde_json::from_str(arguments).expect("the arguments are JSON");
    let mut cases = [
        Case::new("serde_json on the joined text", || {
            serde_json::from_str::<Value>(arguments)
        }),
        Case::checked(
            "a stream of events",
            &parsed,
            || decoded(&events),
            |decoded| decoded.calls[0].arguments.clone().unwrap_or_default(),
        ),
    ];
    println!(
        "\n{name}: {} bytes in {} events",
        arguments.len(),
        events.len()
    );
    let measurements = interleaved(&mut cases, effort);
    measurements.print();
    let ratio = measurements.ratio("a stream of events", "serde_json on the joined text");
    Bar::ceiling(format!("{name}: stream / serde_json"), ratio, 1.5, 1.3)
}

/// The events of a call, parsed.
fn events(arguments: &str) -> Vec<Value> {
    let chunk = |call: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]});
    let mut events = vec![chunk(
        json!({"index": 0, "id": "c1", "function": {"name": "f", "arguments": ""}}),
    )];
    let pieces = arguments.as_bytes().chunks(PIECE);
    events.extend(pieces.map(|piece| {
        let piece = std::str::from_utf8(piece).expect("the arguments are ASCII");
        chunk(json!({"index": 0, "function": {"arguments": piece}}))
    }));
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
    events
}

fn decoded(events: &[Value]) -> Decoded {
    let mut decoder = StreamDecoder::new(Provider::OpenAi);
    for event in events {
        decoder
            .push_value(event, |_| {})
            .expect("the stream is well formed");
    }
    decoder.finish(None)
}
