//! Storage of the full text of an output.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::ToolResult;
use crate::dispatch::guard::{guarded, guarded_wait};
use crate::output_store::{OutputStore, STORED_OUTPUT};

/// Timeout of a store.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Stores the result's text and adds the handle to its metadata; `None` if that fails.
pub(super) async fn store(store: &Arc<dyn OutputStore>, result: &mut ToolResult) -> Option<String> {
    if let Some(Value::String(handle)) = result.metadata.extra.get(STORED_OUTPUT) {
        return Some(handle.clone());
    }
    let text = result.text().into();
    let put = guarded_wait(guarded(|| Ok(store.put(text))));
    let handle = match tokio::time::timeout(TIMEOUT, put).await {
        Ok(Ok(Ok(handle))) => handle.to_string(),
        Ok(Ok(Err(error))) => return lost(result, &error),
        Ok(Err(issue)) => return lost(result, &issue),
        Err(elapsed) => return lost(result, &elapsed),
    };
    let extra = &mut result.metadata.extra;
    extra.insert(STORED_OUTPUT.to_owned(), handle.as_str().into());
    Some(handle)
}

fn lost(result: &mut ToolResult, error: &(dyn std::error::Error + 'static)) -> Option<String> {
    tracing::warn!(
        error,
        call = result.id.as_str(),
        "a large output could not be stored"
    );
    result
        .warnings
        .push("The full output could not be stored.".to_owned());
    None
}
