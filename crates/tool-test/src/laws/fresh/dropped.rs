//! Files, processes and locks that dropped calls leave.

use std::time::Duration;

use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::super::Broken;
use super::super::directory::Files;
use super::instance::ToolInstance;

/// Times in milliseconds after which a call is dropped.
const MOMENTS: [u64; 4] = [0, 1, 5, 40];

/// Number of cleanup checks and the delay between them: two seconds in total.
const CHECKS: u32 = 100;
const CHECK_DELAY: Duration = Duration::from_millis(20);

/// Returns the laws broken at the first moment of [`MOMENTS`] that breaks any.
pub(super) async fn check(make: &impl Fn() -> Option<ToolInstance>, call: &Value) -> Vec<Broken> {
    let Some(whole) = make() else {
        return Vec::new();
    };
    let ends = whole.ends(call).await;
    let left_by_whole = whole.files().await;
    for moment in MOMENTS {
        let Some(new) = make() else {
            return Vec::new();
        };
        let mut known = left_by_whole.clone();
        known.extend(new.files().await);
        let work = new.registry.execute(&new.name, call.clone());
        if timeout(Duration::from_millis(moment), work).await.is_ok() {
            continue;
        }
        let mut broken = left(&new, &known, call).await;
        if ends && !new.ends(call).await {
            broken.push(Broken::new(
                "a dropped call leaves no lock",
                call.to_string(),
            ));
        }
        if !broken.is_empty() {
            return broken;
        }
    }
    Vec::new()
}

/// Returns the laws broken by files and processes that remain after the last check.
async fn left(instance: &ToolInstance, known: &Files, call: &Value) -> Vec<Broken> {
    let mut file = None;
    let mut process = None;
    for _ in 0..CHECKS {
        let files = instance.files().await;
        file = files.into_keys().find(|path| !known.contains_key(path));
        process = instance.processes().await.first().copied();
        if file.is_none() && process.is_none() {
            return Vec::new();
        }
        sleep(CHECK_DELAY).await;
    }
    let file = file.map(|path| {
        let detail = format!("`{}` after {call}", path.display());
        Broken::new("a dropped call leaves no file", detail)
    });
    let process =
        process.map(|_| Broken::new("a dropped call leaves no process", call.to_string()));
    file.into_iter().chain(process).collect()
}
