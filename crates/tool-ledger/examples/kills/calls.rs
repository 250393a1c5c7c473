//! Processes that are killed at every point of a call, and later calls with the same keys.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::process::Command;
use tokio::task::JoinSet;
use tool_core::approval::Policy;
use tool_core::ledger::{CallKey, LedgerState};
use tool_core::{CallOptions, Registry, RiskLevel, ToolCall, ToolResult};

use crate::counter::{Counter, count};
use crate::points::{POINTS, Point, Pointed};
use crate::store::Store;
use crate::{Outcome, check, print};

/// Lease of the calls, the shortest that a registry permits.
const LEASE: Duration = Duration::from_secs(1);
/// Number of processes at a time.
const PARALLEL: usize = 4;

/// Creates the registry of one process.
pub(crate) fn registry(
    store: &Store,
    counters: &str,
    risk: RiskLevel,
    point: &Point,
) -> Outcome<tool_core::RegistryBuilder> {
    let ledger = Arc::new(Pointed {
        ledger: Arc::clone(&store.ledger),
        point: point.clone(),
    });
    let counter = Counter::new(counters, risk, point.clone());
    Ok(Registry::builder()
        .ledger(ledger)
        .ledger_lease(LEASE)
        .tool(counter)?)
}

pub(crate) fn options() -> CallOptions {
    CallOptions::default().with_scope("kills")
}

/// Runs the call `key` in this process, which is killed at `point`. Prints the result once it is returned.
pub(crate) async fn call(store: &str, counters: &str, key: &str, point: &str) -> Outcome {
    let point = Point::new(point);
    let store = Store::open(store).await?;
    let builder = registry(&store, counters, RiskLevel::SafeWrite, &point)?;
    let registry = builder.policy(Policy::allow_all()).build();
    point.reach("start");
    let result = execute(&registry, key).await;
    let stored = result.success && result.warnings.is_empty();
    if stored {
        print(&format!("stored {}", json!(result.data)))?;
    }
    point.end();
    Ok(())
}

pub(crate) async fn execute(registry: &Registry, key: &str) -> ToolResult {
    let call = ToolCall::new("count", json!({"key": key})).with_id(key);
    registry.execute_call(&call, &options()).await
}

/// Starts a process of this harness, and returns the line that it printed before it was killed.
pub(crate) async fn process(arguments: [&str; 5], killed: bool) -> Outcome<String> {
    let output = Command::new(std::env::current_exe()?)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .await?;
    let problem = || format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    check(output.status.success() != killed, problem)?;
    check(!killed || output.stderr.is_empty(), problem)?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Kills processes at every point, repeats their calls, and checks the ledger and the counters.
pub(crate) async fn run(store: &str, repetitions: usize) -> Outcome {
    let directory = tempfile::tempdir()?;
    let counters = directory.path().to_string_lossy().into_owned();
    let opened = Store::open(store).await?;
    opened.report()?;
    let mut printed = BTreeMap::new();
    let mut running = JoinSet::new();
    for number in 0..repetitions * POINTS.len() {
        if running.len() == PARALLEL {
            collect(&mut running, &mut printed).await?;
        }
        let point = POINTS
            .get(number % POINTS.len())
            .copied()
            .unwrap_or("start");
        let key = format!("{point}-{number}");
        let (store, counters) = (store.to_owned(), counters.clone());
        running.spawn(async move {
            let line = process(["call", &store, &counters, &key, point], true).await?;
            Ok((key, line))
        });
    }
    while !running.is_empty() {
        collect(&mut running, &mut printed).await?;
    }
    let never = Point::new("never");
    let builder = registry(&opened, &counters, RiskLevel::SafeWrite, &never)?;
    let registry = builder.policy(Policy::allow_all()).build();
    // At once, and again after the leases have ended.
    for pause in [Duration::ZERO, LEASE + LEASE] {
        tokio::time::sleep(pause).await;
        for key in printed.keys() {
            execute(&registry, key).await;
        }
    }
    report(&opened, directory.path(), &printed).await
}

type Finished = Outcome<(String, String)>;

async fn collect(
    running: &mut JoinSet<Finished>,
    printed: &mut BTreeMap<String, String>,
) -> Outcome {
    if let Some(finished) = running.join_next().await {
        let (key, line) = finished??;
        printed.insert(key, line);
    }
    Ok(())
}

/// Checks every key, and prints the states by point.
async fn report(store: &Store, counters: &Path, printed: &BTreeMap<String, String>) -> Outcome {
    let mut states: BTreeMap<String, u32> = BTreeMap::new();
    let (mut twice, mut lost, mut open) = (0, 0, 0);
    for (key, line) in printed {
        let found = store
            .ledger
            .find(&CallKey::new("kills", key.as_str()))
            .await?;
        let state = found.as_ref().map(|entry| entry.state);
        let runs = count(counters, key)?;
        twice += u32::from(runs > 1);
        let result = found.and_then(|entry| entry.result);
        let stored = result.map(|result| format!("stored {}", json!(result.data)));
        lost += u32::from(!line.is_empty() && stored.as_ref() != Some(line));
        // A call that ended as done has run.
        lost += u32::from(state == Some(LedgerState::Done) && runs != 1);
        let ended = state.is_some_and(|state| state.is_settled() || state == LedgerState::Unknown);
        open += u32::from(!ended);
        let point = key
            .rsplit_once('-')
            .map_or(key.as_str(), |(point, _)| point);
        let state = state.map_or("missing", LedgerState::as_str);
        *states
            .entry(format!("{point}: {state}, {runs} runs"))
            .or_default() += 1;
    }
    for (state, keys) in states {
        print(&format!("  {state}: {keys}"))?;
    }
    let keys = printed.len();
    print(&format!(
        "{keys} killed calls: {twice} counters above 1, {lost} results lost, {open} keys open"
    ))?;
    check(twice + lost + open == 0, || "a bar is missed".to_owned())
}
