//! What a call leaves behind that is dropped half-way.

use std::time::Duration;

use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::super::Broken;
use super::super::folder::Files;
use super::making::Made;

/// When calls are dropped, in milliseconds.
const MOMENTS: [u64; 4] = [0, 1, 5, 40];

/// How often it is looked whether something is still there, and how long in between: two seconds in all.
const LOOKS: u32 = 100;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// What is left by the first moment that leaves something.
pub(super) async fn check(make: &impl Fn() -> Option<Made>, call: &Value) -> Vec<Broken> {
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

/// What is still there after a while.
async fn left(made: &Made, known: &Files, call: &Value) -> Vec<Broken> {
    let mut file = None;
    let mut process = None;
    for _ in 0..LOOKS {
        let files = made.files().await;
        file = files.into_keys().find(|path| !known.contains_key(path));
        process = made.processes().await.first().copied();
        if file.is_none() && process.is_none() {
            return Vec::new();
        }
        sleep(BETWEEN_LOOKS).await;
    }
    let file = file.map(|path| {
        let detail = format!("`{}` after {call}", path.display());
        Broken::new("a dropped call leaves no file", detail)
    });
    let process =
        process.map(|_| Broken::new("a dropped call leaves no process", call.to_string()));
    file.into_iter().chain(process).collect()
}
