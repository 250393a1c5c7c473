//! Spans of tool calls as lines of text, through `tracing-subscriber`.
//!
//! `cargo run -p examples --example telemetry`

use std::io::stdout;

use serde_json::json;
use tool_core::{OrFail, RegisterError, Registry, tool_fn};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Division {
    /// Dividend.
    number: i64,
    /// Divisor, not zero.
    by: i64,
}

#[tokio::main]
async fn main() -> Result<(), RegisterError> {
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::DEBUG)
        // One line per call, with its duration.
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(stdout)
        .init();
    let divide = tool_fn(
        "divide",
        "Divides two integers.",
        |_, input: Division| async move {
            let quotient = input.number.checked_div(input.by);
            quotient.or_fail("The quotient does not exist")
        },
    );
    let registry = Registry::of(divide)?;

    for arguments in [
        json!({"number": 84, "by": 2}),
        json!({"number": 1, "by": 0}),
    ] {
        registry.execute("divide", arguments).await;
    }
    registry.execute("multiply", json!({})).await;
    Ok(())
}
