//! Cost of assembling the arguments of a call from stream chunks.
//!
//! cargo bench --bench stream -- [--quick]

use std::iter;

use benches::bar::{self, Bar};
use benches::measure::{Case, Effort, Watch, interleaved};
use benches::options::Options;
use provider_adapters::{Decoded, Provider, StreamDecoder};
use serde_json::{Value, json};

/// Approximate size of the arguments in bytes.
const LENGTH: usize = 1024 * 1024;

/// Number of events that fit in the CPU cache.
const BATCH: usize = 64;

fn main() {
    let effort = Options::from_command_line().effort;
    // The shortest realistic chunks, and some longer ones.
    let short = |at: usize| {
        format!(
            r#"{{"id":{},"ok":{},"n":"Ada"}},"#,
            10_000 + at % 80_000,
            at % 10 > 4
        )
    };
    let long = |at: usize| {
        let (tag, score) = (at % 97, at % 89);
        format!(
            r#"{{"id":{at},"name":"Ada {at}","tags":["a{tag}","b"],"score":{score}.5,"note":null}},"#
        )
    };
    let bars = [bar_of(&short, effort), bar_of(&long, effort)];
    bar::print(&bars);
}

/// Streams a call with a list of unique records, one per event. Events are parsed in batches
/// shortly before they are pushed, like events from a network; this time is not measured. A second
/// case parses all events beforehand. It is dominated by cache misses, as a third case shows, which
/// only concatenates the chunks.
fn bar_of(record: &dyn Fn(usize) -> String, effort: Effort) -> Bar {
    let records = records(record);
    let length: usize = records.iter().map(String::len).sum();
    let arguments = format!("{{\"records\":[{}null]}}", records.concat());
    let events: Vec<Value> = iter::once("{\"records\":[")
        .chain(records.iter().map(String::as_str))
        .chain(["null]}"])
        .map(event)
        .collect();
    let texts: Vec<String> = events.iter().map(Value::to_string).collect();
    let parsed: Value = serde_json::from_str(&arguments).expect("the arguments are JSON");
    let mut cases = [
        Case::new("serde_json on the joined text", || {
            serde_json::from_str::<Value>(&arguments)
        }),
        Case::in_parts("a stream of events", |watch| stream(&texts, &parsed, watch)),
        Case::new("a stream of events parsed beforehand", || decoded(&events)),
        Case::new("concatenation of their chunks only", || joined(&events)),
    ];
    let (count, bytes) = (records.len(), length / records.len());
    let shortest = records.iter().map(String::len).min().unwrap_or_default();
    println!("\n{count} events of {bytes} bytes of arguments, none below {shortest}");
    let measurements = interleaved(&mut cases, effort);
    measurements.print();
    let ratio = measurements.ratio("a stream of events", "serde_json on the joined text");
    Bar::ceiling(
        format!("chunks of {bytes} bytes, all different: stream / serde_json"),
        ratio,
        1.5,
        1.3,
    )
}

fn records(record: &dyn Fn(usize) -> String) -> Vec<String> {
    let mut records = Vec::new();
    let mut length = 0;
    while length < LENGTH {
        let record = record(records.len());
        length += record.len();
        records.push(record);
    }
    records
}

fn event(arguments: &str) -> Value {
    let call = json!({"index": 0, "function": {"name": null, "arguments": arguments}});
    json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]})
}

fn push(decoder: &mut StreamDecoder, event: &Value) {
    let pushed = decoder.push_value(event, |_| {});
    pushed.expect("the stream is well formed");
}

fn finish(mut decoder: StreamDecoder) -> Decoded {
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    push(&mut decoder, &end);
    decoder.finish(None)
}

fn decoded(events: &[Value]) -> Decoded {
    let mut decoder = StreamDecoder::new(Provider::OpenAi);
    for event in events {
        push(&mut decoder, event);
    }
    finish(decoder)
}

/// Parses the events in batches and measures only the decoder.
fn stream(texts: &[String], expected: &Value, watch: &mut Watch) {
    let mut decoder = StreamDecoder::new(Provider::OpenAi);
    for texts in texts.chunks(BATCH) {
        let events = texts.iter().map(|text| serde_json::from_str(text));
        let events: Vec<Value> = events.collect::<Result<_, _>>().expect("events are JSON");
        watch.time(|| events.iter().for_each(|event| push(&mut decoder, event)));
    }
    let answer = watch.time(|| finish(decoder));
    assert_eq!(answer.calls[0].arguments.as_ref(), Some(expected));
    watch.time(|| drop(answer));
}

/// Concatenates the chunks, which no decoder can avoid.
fn joined(events: &[Value]) -> String {
    events.iter().filter_map(piece).collect()
}

fn piece(event: &Value) -> Option<&str> {
    let delta = event.get("choices")?.get(0)?.get("delta")?;
    let call = delta.get("tool_calls")?.get(0)?;
    call.get("function")?.get("arguments")?.as_str()
}
