//! How many calls per second does a server accept over HTTP from 32 callers, compared with bare rmcp?
//!
//! cargo bench -p tool-mcp --features http-client,http-server --bench serve -- [--quick]

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

mod shared;

use std::time::Duration;

use self::shared::load::{load, serve_registry};
use self::shared::{is_quick, serve_bare};

/// Number of rounds, in which the servers alternate in this process.
const ROUNDS: usize = 5;

fn main() {
    let (rounds, round) = if is_quick() {
        (1, Duration::from_millis(50))
    } else {
        (ROUNDS, Duration::from_secs(1))
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (bare, registry) = (serve_bare().await, serve_registry().await);
        let (mut bare_rates, mut registry_rates) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            bare_rates.push(load(bare, round).await);
            registry_rates.push(load(registry, round).await);
        }
        let (bare, registry) = (median(bare_rates), median(registry_rates));
        println!("rmcp: {bare:.0} calls/s, McpServer: {registry:.0} calls/s");
        println!("ratio {:.2}, at least 0.85, goal 0.95", registry / bare);
    });
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap()
}
