//! How long does a provider need to convert 1,000 definitions of published servers?
//!
//! cargo bench -p benches --bench convert -- [--quick]

use benches::bar::{self, Bar};
use benches::collected::definitions;
use benches::measure::{Case, interleaved_for};
use benches::options::Options;
use provider_adapters::Provider;
use tool_core::Dialect;

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
    bar::print(&[Bar::ceiling(name, slowest.median / 1e6, 80.0)]);
}
