//! Stopped calls: the reason, and the error returned to the model.

use std::any::Any;
use std::time::Duration;

use super::guard::panicked;
use crate::{ErrorCode, Hints, ToolError};

const UNCHANGED: &str = "Nothing was changed; request less, or try again later.";

/// Reason for a stop from outside the tool.
pub(super) enum StopReason {
    TimedOut(Duration),
    Silent(Duration),
    Cancelled,
    Panicked(Box<dyn Any + Send>),
}

impl StopReason {
    /// Returns the error of a call whose tool was run `attempts` times. Its suggestion states whether a retry is safe.
    pub(super) fn into_error(self, attempts: u32, hints: Hints) -> ToolError {
        let effects = effects(attempts, hints);
        let (error, suggestion) = match self {
            Self::TimedOut(after) => (ToolError::timeout(after), effects.or(Some(UNCHANGED))),
            Self::Silent(after) => (ToolError::silent(after), effects.or(Some(UNCHANGED))),
            Self::Cancelled => (ToolError::cancelled(), effects),
            Self::Panicked(payload) => (
                panicked(payload.as_ref()),
                effects.map(|_| {
                    "The same call will fail again. It may already have made changes. Check before trying another way."
                }),
            ),
        };
        match suggestion {
            Some(suggestion) => error.suggest(suggestion),
            None => error,
        }
    }
}

/// Returns advice about possible changes of a stopped call.
fn effects(attempts: u32, hints: Hints) -> Option<&'static str> {
    if attempts == 0 || hints.read_only {
        None
    } else if hints.idempotent {
        Some("It may already have made changes. Calling it again does no further damage.")
    } else {
        Some("It may already have made changes. Check before calling it again.")
    }
}

/// Returns the error of a call that was cancelled in the queue.
pub(super) fn cancelled_before_run() -> ToolError {
    ToolError::new(
        ErrorCode::Cancelled,
        "The call was cancelled before it started, so nothing was done",
    )
}
