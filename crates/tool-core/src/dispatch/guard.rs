//! Panic guards around the code of tools and hosts.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

use crate::{ErrorCode, ToolError};

/// Runs foreign code. A panic becomes an error.
#[inline]
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked(payload.as_ref())))
}

/// Awaits foreign code whose start was [`guarded`]. A panic becomes an error.
pub(super) async fn guarded_wait<T>(
    work: Result<Pin<Box<dyn Future<Output = T> + Send + '_>>, ToolError>,
) -> Result<T, ToolError> {
    let mut work = work?;
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
