//! What does it cost to put the arguments of a call together from the pieces of a stream?
//!
//! cargo bench --bench stream -- [--quick]

use benches::bar::{self, Bar};
use benches::measure::{Case, Effort, interleaved};
use benches::options::Options;
use provider_adapters::{Decoded, Provider, StreamDecoder};
use serde_json::{Value, json};

/// About as many bytes as the arguments have.
const LENGTH: usize = 1024 * 1024;

fn main() {
    let effort = Options::from_command_line().effort;
    // The shortest pieces that count, and some that are longer.
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

/// A call with a list of records, of which each event brings one, and no two alike: all of them lie in memory of their
/// own, as the pieces of the text beside them do.
fn bar_of(record: &dyn Fn(usize) -> String, effort: Effort) -> Bar {
    let mut records: Vec<String> = Vec::new();
    let mut length = 0;
    while length < LENGTH {
        records.push(record(records.len()));
        length += records.last().map_or(0, String::len);
    }
    let arguments = format!("{{\"records\":[{}null]}}", records.concat());
    let parsed: Value = serde_json::from_str(&arguments).expect("the arguments are JSON");
    let pieces = records.iter().map(String::as_str);
    let pieces = ["{\"records\":["]
        .into_iter()
        .chain(pieces)
        .chain(["null]}"]);
    let events: Vec<Value> = pieces.map(event).collect();
    let mut cases = [
        Case::new("serde_json on the joined text", || {
            serde_json::from_str::<Value>(&arguments)
        }),
        Case::checked(
            "a stream of events",
            &parsed,
            || decoded(events.iter()),
            |decoded| decoded.calls[0].arguments.clone().unwrap_or_default(),
        ),
    ];
    let (count, bytes) = (records.len(), length / records.len());
    let shortest = records.iter().map(String::len).min().unwrap_or_default();
    println!("\n{count} events of {bytes} bytes of arguments, none below {shortest}");
    let measurements = interleaved(&mut cases, effort);
    measurements.print();
    let ratio = measurements.ratio("a stream of events", "serde_json on the joined text");
    Bar::ceiling(
        format!("pieces of {bytes} bytes, no two alike: stream / serde_json"),
        ratio,
        1.5,
        1.3,
    )
}

fn event(arguments: &str) -> Value {
    let call = json!({"index": 0, "function": {"name": null, "arguments": arguments}});
    json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]})
}

fn decoded<'e>(events: impl Iterator<Item = &'e Value>) -> Decoded {
    let mut decoder = StreamDecoder::new(Provider::OpenAi);
    let mut push = |event: &Value| {
        let pushed = decoder.push_value(event, |_| {});
        pushed.expect("the stream is well formed");
    };
    events.for_each(&mut push);
    push(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
    decoder.finish(None)
}
