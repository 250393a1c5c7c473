//! A PostgreSQL server that restarts while calls run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::process::Command;
use tokio::task::JoinSet;
use tool_core::approval::Policy;
use tool_core::ledger::{CallKey, LedgerState};
use tool_core::{
    CallOptions, DynamicTool, ErrorCode, Registry, RiskLevel, ToolCall, ToolDefinition, ToolOutput,
};

use crate::store::Store;
use crate::{Outcome, check, print};

/// Concurrent callers.
const CALLERS: usize = 32;

/// Runs of each call.
type Runs = Arc<Mutex<BTreeMap<String, u32>>>;

/// Numbers of one round.
#[derive(Default)]
struct Round {
    stored: AtomicU32,
    unavailable: AtomicU32,
    unstored: AtomicU32,
    restarted: AtomicBool,
    results: Mutex<Vec<String>>,
}

fn tool(runs: &Runs) -> DynamicTool {
    let definition = ToolDefinition::new("count", "Counts.", json!({"type": "object"}))
        .with_risk(RiskLevel::SafeWrite)
        .with_max_parallel(64);
    let runs = Arc::clone(runs);
    DynamicTool::new(definition, move |cx, _| {
        let key = cx.call_key().map(|key| key.key.clone()).unwrap_or_default();
        let mut runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
        *runs.entry(key).or_default() += 1;
        async { Ok(ToolOutput::text("counted")) }
    })
}

/// Executes calls until `calls` were made and the server has restarted.
async fn caller(
    registry: Registry,
    round: Arc<Round>,
    next: Arc<AtomicU32>,
    scope: String,
    calls: u32,
) {
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= calls && round.restarted.load(Ordering::SeqCst) {
            return;
        }
        let call = ToolCall::new("count", json!({})).with_id(number.to_string());
        let options = CallOptions::default().with_scope(scope.as_str());
        // The caller repeats a call that failed without an effect.
        for _ in 0..3 {
            let result = registry.execute_call(&call, &options).await;
            let code = result.error.map(|error| error.code);
            if code == Some(ErrorCode::LedgerUnavailable) {
                round.unavailable.fetch_add(1, Ordering::SeqCst);
                continue;
            }
            if result.success && result.warnings.is_empty() {
                round.stored.fetch_add(1, Ordering::SeqCst);
                let mut results = round.results.lock().unwrap_or_else(PoisonError::into_inner);
                results.push(call.id.clone());
            } else {
                round.unstored.fetch_add(1, Ordering::SeqCst);
            }
            break;
        }
    }
}

async fn restart(mode: &str) -> Outcome {
    let control = std::env::var("PGCTL")?;
    let mut words = control.split(' ');
    let program = words.next().ok_or("PGCTL is empty")?;
    let status = Command::new(program)
        .args(words)
        .args(["-m", mode, "restart"])
        .stdout(std::process::Stdio::null())
        .status()
        .await?;
    check(status.success(), || "the server did not restart".to_owned())
}

/// Restarts the server in each round, and checks that no call ran twice and no stored result is missing.
pub(crate) async fn run(url: &str, mode: &str, rounds: u32, calls: u32) -> Outcome {
    let store = Store::open(url).await?;
    store.report()?;
    let runs = Runs::default();
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .parallel_calls(CALLERS)
        .ledger(Arc::clone(&store.ledger))
        .ledger_lease(Duration::from_secs(2))
        .tool(tool(&runs))?
        .build();
    for number in 0..rounds {
        let (round, next) = (Arc::new(Round::default()), Arc::new(AtomicU32::new(0)));
        let scope = format!("{mode}-{number}");
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let (round, next) = (Arc::clone(&round), Arc::clone(&next));
            callers.spawn(caller(registry.clone(), round, next, scope.clone(), calls));
        }
        while next.load(Ordering::SeqCst) < calls / 3 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        restart(mode).await?;
        round.restarted.store(true, Ordering::SeqCst);
        callers.join_all().await;
        report(&store, &round, &scope, &runs).await?;
    }
    Ok(())
}

async fn report(store: &Store, round: &Round, scope: &str, runs: &Runs) -> Outcome {
    let mut missing = 0;
    let results =
        std::mem::take(&mut *round.results.lock().unwrap_or_else(PoisonError::into_inner));
    for id in results {
        let entry = store.ledger.find(&CallKey::new(scope, id)).await?;
        missing += u32::from(entry.map(|entry| entry.state) != Some(LedgerState::Done));
    }
    let twice = {
        let mut runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *runs)
            .values()
            .filter(|runs| **runs > 1)
            .count()
    };
    let number = |count: &AtomicU32| count.load(Ordering::SeqCst);
    print(&format!(
        "{scope}: {} stored, {} not stored, {} times ledger_unavailable, {twice} run twice, {missing} stored and missing",
        number(&round.stored),
        number(&round.unstored),
        number(&round.unavailable),
    ))?;
    check(twice == 0 && missing == 0, || "a bar is missed".to_owned())
}
