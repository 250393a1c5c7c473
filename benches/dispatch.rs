//! What does one call cost compared with calling the function, and do two threads double the calls?
//!
//! cargo bench -p benches --bench dispatch -- [--quick]
//!
//! The limits that compare a call with other SDKs are in `peers`, which needs a newer compiler.

use std::hint::black_box;

use benches::bar::{self, Bar};
use benches::measure::{Case, Effort, at_once, interleaved};
use benches::options::Options;
use benches::threads::scaling;
use benches::tools::registry;
use benches::workload::{Add, ReadFile, Todo, Workload, parsed};
use serde_json::{Value, json};
use tool_core::ToolResult;

fn main() {
    let effort = Options::from_command_line().effort;
    calls::<Add>(effort);
    calls::<ReadFile>(effort);
    calls::<Todo>(effort);
    bar::print(&[two_threads(effort)]);
}

/// Compares deserialization alone with both dispatch methods. All return the same result.
fn calls<W: Workload>(effort: Effort) {
    let tools = registry();
    let text = W::text();
    let value: Value = serde_json::from_str(&text).expect("the text is JSON");
    let expected = json!(parsed::<W>(&text).answer());
    let mut cases = [
        Case::checked(
            "text to struct, direct call",
            &expected,
            || parsed::<W>(black_box(&text)).answer(),
            |answer| json!(answer),
        ),
        Case::checked(
            "dispatch from value",
            &expected,
            || at_once(tools.execute(W::NAME, black_box(&value).clone())),
            data,
        ),
        Case::checked(
            "dispatch from text",
            &expected,
            || at_once(tools.execute(W::NAME, black_box(&text))),
            data,
        ),
    ];
    println!("\n{}", W::NAME);
    interleaved(&mut cases, effort).print();
}

fn data(result: ToolResult) -> Value {
    result.data.unwrap_or_default()
}

fn two_threads(effort: Effort) -> Bar {
    let tools = registry();
    let text = Add::text();
    let call = || {
        black_box(at_once(tools.execute(Add::NAME, black_box(&text))));
    };
    let scaling = scaling(call, effort);
    println!(
        "\nadd on two threads: {:.2} x of one, arithmetic {:.2} x",
        scaling.work, scaling.control
    );
    let ratio = scaling.work / scaling.control;
    Bar::floor("add on two threads / arithmetic", ratio, 0.9).goal(0.97)
}
