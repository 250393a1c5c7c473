//! Cost of converting the definitions of published servers, and of reusing converted tools.
//!
//! cargo bench --bench convert -- [--quick]

use std::time::Instant;

use benches::bar::{self, Bar};
use benches::collected::definitions;
use benches::measure::{Case, Effort, interleaved_for};
use benches::options::Options;
use benches::tools::registry_of;
use provider_adapters::{Provider, StrictMode};
use serde_json::{Map, Value, json};
use tool_core::{Dialect, ToolDefinition};

/// Fewer rounds than in other benches, because one conversion takes longer than a round.
const ROUNDS: usize = 9;

fn main() {
    let effort = Options::from_command_line().effort;
    let (thousand, four) = (definitions(1000), definitions(4000));
    let mut bars = Vec::new();
    for provider in Provider::ALL {
        bars.extend(bars_of(*provider, &thousand, &four, effort));
    }
    bars.push(unchanged_tools(effort));
    bars.push(bomb());
    bar::print(&bars);
}

/// Measures the time for 1,000 definitions and its growth.
fn bars_of(
    provider: Provider,
    thousand: &[ToolDefinition],
    four: &[ToolDefinition],
    effort: Effort,
) -> [Bar; 2] {
    let mut cases = [
        Case::new("1,000 definitions", || provider.convert(thousand)),
        Case::new("4,000 definitions", || provider.convert(four)),
    ];
    let measurements = interleaved_for(&mut cases, effort, ROUNDS);
    println!("\n{provider}");
    measurements.print();
    let milliseconds = measurements.of("1,000 definitions").median / 1e6;
    let growth = measurements.ratio("4,000 definitions", "1,000 definitions");
    [
        Bar::ceiling(
            format!("{provider}: ms for 1,000"),
            milliseconds,
            50.0,
            25.0,
        ),
        Bar::ceiling(format!("{provider}: 4,000 / 1,000"), growth, 5.0, 4.2),
    ]
}

/// Definitions of a request with 20 unchanged tools: the snapshot of the turn and its shared conversion, without copying
/// the definitions into the request body.
fn unchanged_tools(effort: Effort) -> Bar {
    let registry = registry_of(20);
    let options = provider_adapters::Options::default().with_strict(StrictMode::On);
    let dialect = Provider::Anthropic.with_options(options);
    let name = "20 unchanged tools";
    let mut cases = [Case::new(name, || {
        registry.snapshot().definitions(&dialect)
    })];
    let measurements = interleaved_for(&mut cases, effort, ROUNDS);
    println!();
    measurements.print();
    let microseconds = measurements.of(name).median / 1e3;
    Bar::ceiling("20 unchanged tools: us per request", microseconds, 5.0, 1.0)
}

/// Converts a schema of 60 definitions, each of which refers to the next one twice. Providers with
/// support for references send it, the others reject it.
fn bomb() -> Bar {
    let last = json!({"type": "string"});
    let levels = (0..60).map(|level| {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        let schema = json!({"type": "object", "properties": {"a": next, "b": next}});
        (format!("d{level}"), schema)
    });
    let defined: Map<String, Value> = levels.chain([("d60".to_owned(), last)]).collect();
    let schema =
        json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defined});
    let bomb = [ToolDefinition::new("bomb", "", schema)];
    let slowest = Provider::ALL.iter().map(|provider| {
        let start = Instant::now();
        let converted = provider.convert(&bomb);
        let knows = !matches!(provider, Provider::GeminiOpenApi | Provider::Ollama);
        assert_eq!(converted.refused.is_empty(), knows, "{provider}");
        start.elapsed().as_secs_f64() * 1e3
    });
    let slowest = slowest.fold(0.0, f64::max);
    Bar::ceiling(
        "reference bomb: ms, slowest provider",
        slowest,
        1000.0,
        100.0,
    )
}
