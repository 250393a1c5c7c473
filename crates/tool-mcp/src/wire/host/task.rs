//! Descriptions of tasks.

use std::time::Duration;

use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ErrorData, Task, TaskPayload, TaskStatus,
};
use serde::Serialize;
use serde_json::{Map, Value};
use tool_core::Timestamp;

/// Time for which a task is kept.
pub(super) const TTL: Duration = Duration::from_hours(1);

/// Recommended interval between two requests for the state of a task, in milliseconds.
pub(super) const POLL_INTERVAL: u64 = 500;

/// Returns a random id.
pub(super) fn new_id() -> Option<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).ok()?;
    Some(format!("{:032x}", u128::from_le_bytes(random)))
}

/// Returns the description of a task.
pub(super) fn task(id: &str, status: TaskStatus, created: Timestamp, updated: Timestamp) -> Task {
    let ttl = u64::try_from(TTL.as_millis()).unwrap_or(u64::MAX);
    Task::new(id, status, created.to_string(), updated.to_string())
        .with_ttl_ms(ttl)
        .with_poll_interval_ms(POLL_INTERVAL)
}

/// Returns a result or an error as an object.
pub(super) fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        // Results and errors are objects.
        _ => Map::new(),
    }
}

/// Returns the final state of a task.
pub(super) fn payload(outcome: Result<CallToolResponse, ErrorData>) -> TaskPayload {
    match outcome {
        Ok(CallToolResponse::Complete(result)) => TaskPayload::Completed {
            result: object(&result),
        },
        // The call waits for an operator, as another task.
        Ok(CallToolResponse::Task(created)) => {
            let text = format!(
                "Error: This call waits for approval and has not run. The task `{}` has its result.",
                created.task.task_id
            );
            let result = CallToolResult::error(vec![ContentBlock::text(text)]);
            TaskPayload::Completed {
                result: object(&result),
            }
        }
        Ok(_) => TaskPayload::Cancelled,
        Err(error) => TaskPayload::Failed {
            error: object(&error),
        },
    }
}
