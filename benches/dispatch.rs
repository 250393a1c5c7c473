//! Cost of one call: from a value and from text, compared with a direct call, with invalid
//! arguments, among many tools and on two threads.
//!
//! cargo bench --bench dispatch -- [--quick]

use std::hint::black_box;

use benches::bar::{self, Bar};
use benches::measure::{Case, Effort, at_once, interleaved};
use benches::options::Options;
use benches::threads::scaling;
use benches::tools::{registry, registry_of};
use benches::workload::{Add, ReadFile, Todo, Workload, parsed};
use serde_json::{Value, json};
use tool_core::{Registry, ToolResult};

fn main() {
    let effort = Options::from_command_line().effort;
    println!("One call, median of interleaved rounds:");
    calls::<Add>(effort);
    calls::<ReadFile>(effort);
    calls::<Todo>(effort);
    sizes(effort);
    bar::print(&[
        wrong_arguments(effort),
        hot_tools(effort),
        two_threads(effort),
    ]);
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
        Case::new("text to Value", || {
            serde_json::from_str::<Value>(black_box(&text))
        }),
        Case::checked(
            "dispatch from value",
            &expected,
            || at_once(tools.execute(W::NAME, black_box(&value).clone())),
            data,
        ),
        Case::checked(
            "dispatch from text",
            &expected,
            || at_once(tools.execute_text(W::NAME, black_box(&text))),
            data,
        ),
    ];
    println!("\n{}", W::NAME);
    interleaved(&mut cases, effort).print();
}

fn data(result: ToolResult) -> Value {
    result.data.unwrap_or_default()
}

/// Measures the same call in registries of increasing size.
fn sizes(effort: Effort) {
    let registries = [1, 10, 100, 1000, 10_000].map(|size| (size, registry_of(size)));
    let mut cases: Vec<Case<'_>> = registries
        .iter()
        .map(|(size, tools)| one_of(format!("among {size} tools"), tools, &["tool_0"]))
        .collect();
    println!("\ndispatch from text, by the number of tools");
    interleaved(&mut cases, effort).print();
}

/// Calls the named tools in turn.
fn one_of<'c>(case: impl Into<String>, tools: &'c Registry, names: &'c [&'c str]) -> Case<'c> {
    let mut names = names.iter().cycle();
    let call = move || {
        let name = names.next().copied().unwrap_or_default();
        at_once(tools.execute_text(name, black_box(r#"{"a": 2}"#)))
    };
    Case::checked(case, &json!({"a": 2}), call, data)
}

fn hot_tools(effort: Effort) -> Bar {
    let (one, many) = (registry_of(1), registry_of(10_000));
    // Distant indices, so that no two tools are adjacent in memory.
    let names: Vec<String> = (0..16)
        .map(|index| format!("tool_{}", index * 617))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut cases = [
        one_of("one", &one, &["tool_0"]),
        one_of("many", &many, &names),
    ];
    let ratio = interleaved(&mut cases, effort).ratio("many", "one");
    Bar::ceiling("16 hot tools of 10,000 / 1 of 1", ratio, 1.15, 1.08)
}

/// One number has the wrong type and the other is missing; both errors must be reported.
fn wrong_arguments(effort: Effort) -> Bar {
    const WRONG: &str = r#"{"a": "two", "c": 40}"#;
    let tools = registry();
    let text = Add::text();
    let issues = |result: ToolResult| {
        let error = result.error.expect("the arguments are wrong");
        json!(error.issues.len() >= 2)
    };
    let mut cases = [
        Case::new("good", || {
            at_once(tools.execute_text(Add::NAME, black_box(&text)))
        }),
        Case::checked(
            "wrong",
            &json!(true),
            || at_once(tools.execute_text(Add::NAME, black_box(WRONG))),
            issues,
        ),
    ];
    let ratio = interleaved(&mut cases, effort).ratio("wrong", "good");
    Bar::ceiling("add: wrong arguments / good ones", ratio, 5.0, 4.0)
}

fn two_threads(effort: Effort) -> Bar {
    let tools = registry();
    let text = Add::text();
    let call = || {
        black_box(at_once(tools.execute_text(Add::NAME, black_box(&text))));
    };
    let scaling = scaling(call, effort);
    println!(
        "\nadd on two threads: {:.2} x of one, arithmetic {:.2} x",
        scaling.work, scaling.control
    );
    let ratio = scaling.work / scaling.control;
    Bar::floor("add on two threads / arithmetic", ratio, 0.93, 0.97)
}
