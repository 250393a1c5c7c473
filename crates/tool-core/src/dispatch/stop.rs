//! Panics, timeouts and cancellation: how foreign code is guarded, and the error that the model gets.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

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

/// Runs foreign code. A panic becomes an error.
#[inline]
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    // If a panic leaves something in an odd state, it is dropped with the call.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked(payload.as_ref())))
}

/// Awaits foreign code whose start was [`guarded`]. A panic becomes an error.
pub(super) async fn guarded_wait<T>(
    work: Result<Pin<Box<dyn Future<Output = T> + Send + '_>>, ToolError>,
) -> Result<T, ToolError> {
    guarded_future(work?).await
}

/// Awaits foreign code. A panic becomes an error.
pub(crate) async fn guarded_future<T>(work: impl Future<Output = T>) -> Result<T, ToolError> {
    let mut work = pin!(work);
    poll_fn(|cx| {
        guarded(|| Ok(work.as_mut().poll(cx)))
            .map_or_else(|error| Poll::Ready(Err(error)), |poll| poll.map(Ok))
    })
    .await
}

/// Returns the error for a panic. Its message may contain anything, so it is the source, for the log only.
pub(super) fn panicked(payload: &(dyn Any + Send)) -> ToolError {
    let message = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned());
    ToolError::new(ErrorCode::Panic, "The tool failed with an internal error")
        .suggest("The same call will fail again; try another way.")
        .caused_by(message)
}
