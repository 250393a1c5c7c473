//! Processes that claim the same keys.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::process::Command;
use tokio::task::JoinSet;
use tool_core::RiskLevel;
use tool_core::ledger::{CallKey, Claim, Intent};

use crate::store::Store;
use crate::{Outcome, check, print};

/// Concurrent claims of one process.
const PARALLEL: usize = 32;

/// Claims all keys, beginning with `first`, and prints those that are new.
pub(crate) async fn claim(store: &str, keys: usize, first: usize) -> Outcome {
    let store = Store::open(store).await?;
    let intent = Intent::new("count", &json!({}), RiskLevel::Dangerous);
    let mut running = JoinSet::new();
    for number in 0..keys {
        if running.len() == PARALLEL {
            new_key(running.join_next().await)?;
        }
        let (ledger, intent) = (Arc::clone(&store.ledger), intent.clone());
        let number = (number + first) % keys;
        running.spawn(async move {
            let key = CallKey::new("claims", number.to_string());
            let claim = ledger.claim(&key, &intent, Duration::from_mins(10)).await;
            claim.map(|claim| (number, claim))
        });
    }
    while !running.is_empty() {
        new_key(running.join_next().await)?;
    }
    Ok(())
}

type Claimed = Result<(usize, Claim), tool_core::ledger::LedgerError>;

fn new_key(claimed: Option<Result<Claimed, tokio::task::JoinError>>) -> Outcome {
    match claimed {
        Some(claimed) => match claimed?? {
            (number, Claim::New(_)) => print(&number.to_string()),
            (_, Claim::Running { .. }) => Ok(()),
            (_, other) => Err(format!("{other:?}").into()),
        },
        None => Ok(()),
    }
}

/// Starts processes that claim the same keys, and checks that each key is new once.
pub(crate) async fn run(store: &str, processes: usize, keys: usize) -> Outcome {
    drop(Store::open(store).await?);
    let since = Instant::now();
    let mut running = JoinSet::new();
    for number in 0..processes {
        // Half of them begin with the same key.
        let first = if number.is_multiple_of(2) {
            0
        } else {
            number * keys / processes
        };
        let mut process = Command::new(std::env::current_exe()?);
        process
            .args(["claim", store, &keys.to_string(), &first.to_string()])
            .stdin(Stdio::null());
        running.spawn(async move { process.output().await });
    }
    let (mut new, mut errors) = (BTreeMap::<String, u32>::new(), 0);
    while let Some(output) = running.join_next().await {
        let output = output??;
        if !output.status.success() {
            errors += 1;
            print(&String::from_utf8_lossy(&output.stderr))?;
        }
        for key in String::from_utf8(output.stdout)?.lines() {
            *new.entry(key.to_owned()).or_default() += 1;
        }
    }
    let twice = new.values().filter(|count| **count > 1).count();
    let seconds = since.elapsed().as_secs_f64();
    print(&format!(
        "{processes} processes, {keys} keys: {} new, {twice} twice, {errors} processes with errors, {seconds:.1} s",
        new.len()
    ))?;
    check(new.len() == keys && twice == 0 && errors == 0, || {
        "a bar is missed".to_owned()
    })
}
