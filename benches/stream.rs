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
    let bars = [
        bar_of(r#"{"id":7,"name":"Ada","ok":true},"#, effort),
        bar_of(
            r#"{"id":7,"name":"Ada","tags":["a","b"],"score":0.5,"note":null},"#,
            effort,
        ),
    ];
    bar::print(&bars);
}

/// A call with a list of records, of which each event brings one. An event is still near when it is pushed, as it is
/// when it has just been read: so one event stands for all.
fn bar_of(record: &str, effort: Effort) -> Bar {
    let count = LENGTH / record.len();
    let arguments = format!("{{\"records\":[{}null]}}", record.repeat(count));
    let parsed: Value = serde_json::from_str(&arguments).expect("the arguments are JSON");
    let [first, piece, last] = ["{\"records\":[", record, "null]}"].map(event);
    let mut cases = [
        Case::new("serde_json on the joined text", || {
            serde_json::from_str::<Value>(&arguments)
        }),
        Case::checked(
            "a stream of events",
            &parsed,
            || {
                let pieces = std::iter::repeat_n(&piece, count);
                decoded([&first].into_iter().chain(pieces).chain([&last]))
            },
            |decoded| decoded.calls[0].arguments.clone().unwrap_or_default(),
        ),
    ];
    let bytes = record.len();
    println!("\n{count} events of {bytes} bytes of arguments");
    let measurements = interleaved(&mut cases, effort);
    measurements.print();
    let ratio = measurements.ratio("a stream of events", "serde_json on the joined text");
    Bar::ceiling(
        format!("pieces of {bytes} bytes: stream / serde_json"),
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
