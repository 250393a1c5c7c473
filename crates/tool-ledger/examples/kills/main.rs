//! Harness for `tests/ledger_kills.sh`: processes that are killed in the middle of calls.
//!
//! A store is the path of a SQLite file or a `postgres://` URL.

mod approvals;
mod calls;
mod claims;
mod counter;
mod points;
mod restarts;
mod store;

use std::error::Error;
use std::io::Write;

/// Result of a command of the harness.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const USAGE: &str = "usage: kills points STORE REPETITIONS | claims STORE PROCESSES KEYS | approvals STORE REPETITIONS
    | restarts URL MODE ROUNDS CALLS (with PGCTL)";

#[tokio::main]
async fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments.as_slice() {
        ["points", store, repetitions] => calls::run(store, repetitions.parse()?).await,
        ["claims", store, processes, keys] => {
            claims::run(store, processes.parse()?, keys.parse()?).await
        }
        ["approvals", store, repetitions] => approvals::run(store, repetitions.parse()?).await,
        ["restarts", url, mode, rounds, calls] => {
            restarts::run(url, mode, rounds.parse()?, calls.parse()?).await
        }
        // The processes that are killed.
        ["call", store, counters, key, point] => calls::call(store, counters, key, point).await,
        ["claim", store, keys, first] => claims::claim(store, keys.parse()?, first.parse()?).await,
        ["request", store, counters, key, point] => {
            approvals::request(store, counters, key, point).await
        }
        ["decide", store, counters, key, point] => {
            approvals::decide(store, counters, key, point).await
        }
        _ => Err(USAGE.into()),
    }
}

/// Prints a line.
pub(crate) fn print(line: &str) -> Outcome {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(())
}

/// Fails unless the condition holds.
pub(crate) fn check(holds: bool, problem: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { Err(problem().into()) }
}
