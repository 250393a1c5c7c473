//! Keeping the whole text of an output.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::ToolResult;
use crate::dispatch::run::{guarded, guarded_wait};
use crate::output_store::{OutputStore, STORED_OUTPUT};

/// How long a store may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Keeps the result's text and notes the handle; `None` when it cannot be kept.
pub(super) async fn keep(store: &Arc<dyn OutputStore>, result: &mut ToolResult) -> Option<String> {
    if let Some(Value::String(handle)) = result.metadata.extra.get(STORED_OUTPUT) {
        return Some(handle.clone());
    }
    let text = result.text().into();
    let put = match guarded(|| Ok(store.put(text))) {
        Ok(put) => guarded_wait(put),
        Err(fault) => return lost(result, &fault),
    };
    let handle = match tokio::time::timeout(PATIENCE, put).await {
        Ok(Ok(Ok(handle))) => handle.to_string(),
        Ok(Ok(Err(error))) => return lost(result, &error),
        Ok(Err(fault)) => return lost(result, &fault),
        Err(elapsed) => return lost(result, &elapsed),
    };
    let noted = Value::from(handle.as_str());
    result
        .metadata
        .extra
        .insert(STORED_OUTPUT.to_owned(), noted);
    Some(handle)
}

fn lost(result: &mut ToolResult, error: &(dyn std::error::Error + 'static)) -> Option<String> {
    tracing::warn!(
        error,
        call = result.id.as_str(),
        "a large output could not be kept"
    );
    result
        .warnings
        .push("The whole output could not be kept.".to_owned());
    None
}
