//! Calls workers while one of them is killed every second, and counts lost calls and calls that ran twice
//! (`tests/remote_kills.sh`).
//!
//! `NATS_URL=nats://127.0.0.1:4222 cargo run -p tool-remote --example remote_kills -- DIRECTORY SECONDS`

#![expect(clippy::print_stdout, reason = "the program prints a report")]

mod tally;
mod workers;

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tool_core::approval::Policy;
use tool_core::{Registry, ToolResult};
use tool_remote::{NatsOptions, RemoteTools};

use self::tally::{Call, Tally};
use self::workers::Workers;

/// Time after which a call of a dead worker is delivered again. Not a multiple of the second between two kills, so that a call
/// does not always return when a worker is killed.
pub(crate) const ACK_WAIT: Duration = Duration::from_millis(1_700);
/// Calls per second: at least 10,000 in a minute.
const RATE: u64 = 200;
/// Maximum number of concurrent calls.
const CALLERS: usize = 256;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments
        .next()
        .ok_or("pass a directory and a number of seconds")?;
    if first == "worker" {
        let directory: PathBuf = arguments.next().ok_or("pass a directory")?.into();
        return workers::serve(&directory).await;
    }
    let seconds: u64 = arguments.next().unwrap_or_default().parse().unwrap_or(60);
    let tally = drive(first.into(), seconds).await?;
    println!("{tally}");
    if tally.is_clean(ACK_WAIT * 5) {
        return Ok(());
    }
    Err("a call was lost, ran twice or took too long".into())
}

pub(crate) fn options() -> Result<NatsOptions, Box<dyn Error>> {
    let url = std::env::var("NATS_URL")?;
    Ok(NatsOptions::new(url).ack_wait(ACK_WAIT))
}

/// Makes calls for some seconds, and kills a worker in each of them.
async fn drive(directory: PathBuf, seconds: u64) -> Result<Tally, Box<dyn Error>> {
    let mut workers = Workers::start(&directory)?;
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .parallel_calls(CALLERS)
        .build();
    let _remote = RemoteTools::connect(options()?, &registry).await?;
    while registry.list().len() < 3 {
        sleep(Duration::from_millis(50)).await;
    }
    let pinned = Arc::new(registry.snapshot());
    let (mut calls, mut finished) = (JoinSet::new(), Vec::new());
    let mut pace = interval(Duration::from_secs(1) / u32::try_from(RATE)?);
    pace.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut kills = interval(Duration::from_secs(1));
    kills.tick().await;
    for number in 0..seconds.saturating_mul(RATE) {
        pace.tick().await;
        while calls.len() >= CALLERS {
            finished.extend(calls.join_next().await.transpose()?);
        }
        calls.spawn(call(Arc::clone(&pinned), number));
        tokio::select! {
            biased;
            _ = kills.tick() => workers.kill_next(&directory)?,
            () = std::future::ready(()) => {}
        }
    }
    while let Some(call) = calls.join_next().await {
        finished.push(call?);
    }
    Ok(Tally::new(
        finished,
        &workers::runs(&directory)?,
        workers.killed(),
    ))
}

/// Makes one call. A third is not idempotent, a third is, and a third only reads.
async fn call(registry: Arc<Registry>, number: u64) -> Call {
    let tool = match number % 3 {
        0 => "pay",
        1 => "store",
        _ => "look",
    };
    let begun = Instant::now();
    let result = registry.execute(tool, json!({"number": number})).await;
    Call {
        number,
        tool,
        time: begun.elapsed(),
        code: code(&result),
    }
}

fn code(result: &ToolResult) -> String {
    let error = result.error.as_ref();
    error.map_or_else(|| "done".to_owned(), |error| error.code.to_string())
}
