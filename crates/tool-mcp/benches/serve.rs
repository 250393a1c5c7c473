//! How many calls per second does a server accept over HTTP, compared with bare rmcp in the same process?
//!
//! cargo bench -p tool-mcp --features http-client,http-server --bench serve

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

mod shared;

use std::time::Duration;

use self::shared::load::{load, serve_registry};
use self::shared::{Bare, median};

/// Number of rounds, in which the servers alternate.
const ROUNDS: usize = 5;

/// Duration of one server in a round.
const ROUND: Duration = Duration::from_secs(1);

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (bare, registry) = (Bare::new(1).serve_http().await, serve_registry().await);
        let (mut bare_rates, mut registry_rates) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            bare_rates.push(load(bare, ROUND).await.rate);
            registry_rates.push(load(registry, ROUND).await.rate);
        }
        let (bare, registry) = (median(&mut bare_rates), median(&mut registry_rates));
        println!("rmcp: {bare:.0} calls/s");
        println!(
            "McpServer: {registry:.0} calls/s, ratio {:.2}",
            registry / bare
        );
    });
}
