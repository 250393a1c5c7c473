//! How long do a provider that converts 1,000 definitions of published servers, and a search among 10,000, need?
//!
//! cargo bench -p benches --bench convert -- [--quick]

use benches::bar::{self, Bar};
use benches::collected::definitions;
use benches::measure::{Case, interleaved_for};
use benches::options::Options;
use provider_adapters::Provider;
use tool_core::Dialect;
use tool_core::search::ToolIndex;

/// Fewer rounds than in other benches, because one conversion takes longer than a round.
const ROUNDS: usize = 9;

fn main() {
    let effort = Options::from_command_line().effort;
    let definitions = definitions(1000);
    let mut cases: Vec<Case<'_>> = Provider::ALL
        .iter()
        .map(|provider| Case::new(provider.to_string(), || provider.convert(&definitions)))
        .collect();
    let measured = interleaved_for(&mut cases, effort, ROUNDS);
    measured.print();
    let slowest = measured.slowest();
    let name = format!("1,000 definitions for `{}`, the slowest: ms", slowest.name);
    let converted = Bar::ceiling(name, slowest.median / 1e6, 80.0);
    let tools = benches::collected::definitions(10_000);
    let index = ToolIndex::new(&tools);
    let query = "list the orders of a customer and stop the oldest one";
    let mut cases = [
        Case::new("index of 10,000 tools", || ToolIndex::new(&tools)),
        Case::new("query among 10,000 tools", || index.search(query, 5)),
    ];
    let measured = interleaved_for(&mut cases, effort, ROUNDS);
    measured.print();
    let of = |name: &str, limit| {
        Bar::ceiling(format!("{name}: ms"), measured.of(name).median / 1e6, limit)
    };
    bar::print(&[
        converted,
        of("index of 10,000 tools", 150.0),
        of("query among 10,000 tools", 1.0),
    ]);
}
