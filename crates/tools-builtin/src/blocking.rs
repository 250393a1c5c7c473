//! Work that blocks, off the async threads, and the number of threads it may use.

use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};
use std::thread;

#[cfg(feature = "shell")]
use tokio::sync::oneshot;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use tool_core::{CancellationToken, ToolContext, ToolError, ToolOutput};

/// Runs `work` on a blocking thread. The token of its context is cancelled with the call and when the returned
/// future is dropped; long work must check it, because a thread cannot be dropped.
pub(crate) async fn blocking<T: Send + 'static>(
    cx: &ToolContext,
    work: impl FnOnce(&ToolContext) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let cancellation = cx.cancellation().child();
    let _guard = CancelOnDrop(cancellation.clone());
    let inner = cx.with_cancellation(cancellation);
    let run = move || {
        let (result, mut said) = (work(&inner), ToolOutput::default());
        inner.move_additions_to(&mut said);
        (result, said)
    };
    let (result, said) = tokio::task::spawn_blocking(run).await.map_err(|error| {
        ToolError::failed("The operation ended before it returned a result").caused_by(error)
    })?;
    add(cx, said);
    result
}

/// Adds the warnings, files, metadata and blocks of `said` to the output of a call.
pub(crate) fn add(cx: &ToolContext, said: ToolOutput) {
    for warning in said.warnings {
        cx.warn(warning);
    }
    for path in said.files_affected {
        cx.affected(path);
    }
    for (key, note) in said.metadata {
        cx.note(key, note);
    }
    for block in said.content {
        cx.attach(block);
    }
}

/// Like [`blocking`], but returns before the second value of `work` is dropped.
#[cfg(feature = "shell")]
pub(crate) async fn blocking_with_rest<T: Send + 'static, Rest>(
    cx: &ToolContext,
    work: impl FnOnce(&CancellationToken) -> Result<(T, Rest), ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let cancellation = cx.cancellation().child();
    let _guard = CancelOnDrop(cancellation.clone());
    let (sender, receiver) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let (result, _rest) = match work(&cancellation) {
            Ok((value, rest)) => (Ok(value), Some(rest)),
            Err(error) => (Err(error), None),
        };
        // Fails only if the call was dropped.
        let _ = sender.send(result);
    });
    receiver.await.map_err(|error| {
        ToolError::failed("The operation ended before it returned a result").caused_by(error)
    })?
}

struct CancelOnDrop(CancellationToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Maximum number of threads of one call. Further threads only wait for the disk and each other.
const MAX_THREADS: usize = 12;

/// Permits of all calls in the process, one per searching or walking thread. There are at least
/// two, so that one long search does not block all others.
static THREADS: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| Arc::new(Semaphore::new(cpus().max(2))));

/// Permit to work on one thread.
#[derive(Debug)]
pub(crate) struct Permit(#[expect(dead_code, reason = "held until dropped")] OwnedSemaphorePermit);

impl Permit {
    /// Acquires a permit if one is available.
    fn try_acquire() -> Option<Self> {
        Arc::clone(&THREADS).try_acquire_owned().ok().map(Self)
    }

    /// Waits for a permit; returns `None` at the deadline.
    pub(crate) async fn acquire(deadline: std::time::Instant) -> Option<Self> {
        let permit = Arc::clone(&THREADS).acquire_owned();
        let permit = timeout_at(Instant::from_std(deadline), permit).await;
        permit.ok()?.ok().map(Self)
    }

    /// Acquires all permits, so that every other call waits.
    #[cfg(test)]
    pub(crate) async fn acquire_all() -> Option<Self> {
        let all = u32::try_from(cpus().max(2)).ok()?;
        let permits = Arc::clone(&THREADS).acquire_many_owned(all);
        permits.await.ok().map(Self)
    }

    /// Acquires the available permits for the helpers of one thread, up to the maximum.
    pub(crate) fn acquire_helpers() -> Vec<Self> {
        let most = MAX_THREADS.min(cpus()) - 1;
        (0..most).map_while(|_| Self::try_acquire()).collect()
    }
}

/// Returns the number of CPUs available to this process.
fn cpus() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tool_core::ErrorCode;

    use super::*;

    #[tokio::test]
    async fn returns_result_of_work() {
        let outcome = blocking(&ToolContext::test(), |_| Ok(7)).await;

        assert_eq!(outcome.unwrap(), 7);
    }

    #[tokio::test]
    async fn panic_becomes_error() {
        let outcome: Result<(), _> =
            blocking(&ToolContext::test(), |_| panic!("secret detail")).await;

        let error = outcome.unwrap_err();
        assert_eq!(error.code(), &ErrorCode::Failed);
        assert!(!error.to_string().contains("secret"));
    }

    #[tokio::test]
    async fn dropped_call_cancels_work() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let cx = ToolContext::test();
        let call = blocking(&cx, move |cx| {
            while !cx.cancellation().is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            sender.send(()).unwrap();
            Ok(())
        });

        let outcome = tokio::time::timeout(Duration::from_millis(20), call).await;

        assert!(outcome.is_err());
        assert_eq!(receiver.recv_timeout(Duration::from_secs(5)), Ok(()));
    }
}
