//! Cost of registering a tool, and of converting the definitions of 100 tools.
//!
//! cargo bench --bench definitions -- [--quick]

use benches::bar::{self, Bar};
use benches::measure::{Case, Effort, interleaved};
use benches::options::Options;
use benches::tools::{registry_of, tool};
use benches::workload::{Add, ReadFile, Todo, Workload};
use provider_adapters::Provider;
use serde_json::json;
use tool_core::Registry;

fn main() {
    let effort = Options::from_command_line().effort;
    // Run first: compiling a validator is up to ten times slower in a fresh process.
    definitions(effort);
    let bars = [
        registering::<Add>(effort),
        registering::<ReadFile>(effort),
        registering::<Todo>(effort),
    ];
    bar::print(&bars);
}

/// Compares a registry of one typed tool with schema generation and validator compilation alone.
fn registering<W: Workload>(effort: Effort) -> Bar {
    let bare = || {
        let schema = schemars::schema_for!(W).to_value();
        jsonschema::validator_for(&schema).expect("the schema is valid")
    };
    let mut cases = [
        Case::new("schema_for! and a compiled validator", bare),
        Case::new("a registry of one tool", || Registry::of(tool::<W>())),
    ];
    println!("\nregistering {}", W::NAME);
    let measurements = interleaved(&mut cases, effort);
    measurements.print();
    let ratio = measurements.ratio(
        "a registry of one tool",
        "schema_for! and a compiled validator",
    );
    let name = format!("{}: registering / (schema_for! + compile)", W::NAME);
    Bar::ceiling(name, ratio, 1.2, 0.5)
}

/// Measures cached and first conversions of an unchanged registry.
fn definitions(effort: Effort) {
    let tools = registry_of(100);
    let list = tools.list();
    for provider in [
        Provider::OpenAi,
        Provider::Anthropic,
        Provider::Gemini,
        Provider::Ollama,
    ] {
        let mut cases = [
            Case::checked(
                "again",
                &json!(list.len()),
                || tools.definitions(&provider),
                |converted| json!(converted.names.len()),
            ),
            Case::new("for the first time", || {
                tool_core::Dialect::convert(&provider, &list)
            }),
        ];
        println!("\ndefinitions of 100 tools for {provider:?}");
        interleaved(&mut cases, effort).print();
    }
}
