//! Operations of the ledger, which complete even if their call is dropped.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::timeout;

use super::super::guard::guarded;
use crate::ledger::LedgerError;

/// Timeout of an operation of the ledger.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Runs an operation. After a drop or the timeout, it continues as a task. A panic fails only the call.
pub(super) async fn completed<T: Send + 'static>(
    work: impl Future<Output = Result<T, LedgerError>> + Send + 'static,
) -> Result<T, LedgerError> {
    Handle::try_current().map_err(LedgerError::unavailable)?;
    let operation = Operation(Some(Box::pin(work)));
    let outcome = timeout(TIMEOUT, operation).await;
    outcome.unwrap_or_else(|elapsed| Err(LedgerError::unavailable(elapsed)))
}

/// Operation that its drop continues as a task. Tasks for all operations would cost switches of threads.
struct Operation<T: Send + 'static>(Option<Work<T>>);

type Work<T> = Pin<Box<dyn Future<Output = Result<T, LedgerError>> + Send>>;

impl<T: Send> Future for Operation<T> {
    type Output = Result<T, LedgerError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(work) = &mut self.0 else {
            return Poll::Pending;
        };
        let outcome = match guarded(|| Ok(work.as_mut().poll(cx))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(outcome)) => outcome,
            Err(panicked) => Err(LedgerError::unavailable(panicked)),
        };
        self.0 = None;
        Poll::Ready(outcome)
    }
}

impl<T: Send> Drop for Operation<T> {
    fn drop(&mut self) {
        if let Some(work) = self.0.take()
            && let Ok(runtime) = Handle::try_current()
        {
            drop(runtime.spawn(work));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::time::sleep;

    use super::*;

    /// Returns an operation of 30 s, and whether it completed.
    fn slow() -> (
        impl Future<Output = Result<u8, LedgerError>> + Send + 'static,
        Arc<AtomicBool>,
    ) {
        let done = Arc::new(AtomicBool::new(false));
        let sets = Arc::clone(&done);
        let work = async move {
            sleep(Duration::from_secs(30)).await;
            sets.store(true, Ordering::SeqCst);
            Ok(7)
        };
        (work, done)
    }

    #[tokio::test]
    async fn returns_outcome() {
        assert_eq!(completed(async { Ok(7) }).await.unwrap(), 7);
        let failed: Result<u8, _> = completed(async { Err(LedgerError::LeaseLost) }).await;
        assert!(matches!(failed, Err(LedgerError::LeaseLost)));
    }

    #[tokio::test(start_paused = true)]
    async fn operation_completes_after_drop() {
        let (work, done) = slow();

        let dropped = timeout(Duration::from_secs(1), completed(work)).await;

        assert!(dropped.is_err() && !done.load(Ordering::SeqCst));
        sleep(Duration::from_secs(30)).await;
        assert!(done.load(Ordering::SeqCst));
    }

    #[tokio::test(start_paused = true)]
    async fn operation_completes_after_timeout() {
        let (work, done) = slow();

        let error = completed(work).await.unwrap_err();

        assert!(matches!(error, LedgerError::Unavailable(_)), "{error}");
        assert!(!done.load(Ordering::SeqCst));
        sleep(Duration::from_secs(30)).await;
        assert!(done.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn panic_is_error_of_call() {
        let outcome: Result<u8, _> = completed(async { panic!("secret detail") }).await;

        let error = outcome.unwrap_err();
        assert!(matches!(error, LedgerError::Unavailable(_)), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn runtime_is_required() {
        let mut work = Box::pin(completed(async { Ok(7) }));
        let mut cx = Context::from_waker(std::task::Waker::noop());

        assert!(matches!(
            work.as_mut().poll(&mut cx),
            Poll::Ready(Err(LedgerError::Unavailable(_)))
        ));
    }
}
