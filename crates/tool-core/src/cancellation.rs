//! Cancellation of calls and batches.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use tokio::sync::Notify;

/// Cancellation of calls. Clones share one state; a child is also cancelled with its parent.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
///
/// let batch = CancellationToken::new();
/// let call = batch.child();
/// batch.cancel();
/// assert!(call.is_cancelled());
/// ```
// The shared state is created on first use, because most calls never use their token.
#[derive(Debug, Default)]
pub struct CancellationToken(OnceLock<Arc<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    cancelled: AtomicBool,
    notify: Notify,
    parent: Option<Arc<Inner>>,
}

impl Clone for CancellationToken {
    fn clone(&self) -> Self {
        Self(OnceLock::from(Arc::clone(self.inner())))
    }
}

impl CancellationToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a token that is cancelled with this one, and can be cancelled separately.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(OnceLock::from(Arc::new(Inner {
            parent: Some(Arc::clone(self.inner())),
            ..Inner::default()
        })))
    }

    /// Cancels this token and its children.
    pub fn cancel(&self) {
        let inner = self.inner();
        inner.cancelled.store(true, Ordering::Release);
        inner.notify.notify_waiters();
    }

    /// Returns `true` if this token or one of its ancestors is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.get().is_some_and(|inner| inner.is_cancelled())
    }

    /// Returns `true` if the token has no shared state: no clone, parent or child, and no waiter.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.0.get().is_none()
    }

    /// Waits until the token is cancelled.
    pub async fn cancelled(&self) {
        let inner = self.inner();
        let mut waits: Vec<_> = inner
            .lineage()
            .map(|token| Box::pin(token.notify.notified()))
            .collect();
        // Register with every notifier before reading the flags: a concurrent cancel must not be missed.
        for wait in &mut waits {
            wait.as_mut().enable();
        }
        if inner.is_cancelled() {
            return;
        }
        poll_fn(|cx| {
            let woken = waits
                .iter_mut()
                .any(|wait| wait.as_mut().poll(cx).is_ready());
            if woken {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    /// Runs `work` until it is ready or the token is cancelled. Returns `None` if the token is cancelled first.
    pub async fn run_until_cancelled<F: Future>(&self, work: F) -> Option<F::Output> {
        let mut work = pin!(work);
        // Work that is ready immediately requires no waiter.
        let first = poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await;
        if let Poll::Ready(output) = first {
            return Some(output);
        }
        let mut cancelled = pin!(self.cancelled());
        poll_fn(|cx| {
            if let Poll::Ready(output) = work.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            cancelled.as_mut().poll(cx).map(|()| None)
        })
        .await
    }

    fn inner(&self) -> &Arc<Inner> {
        self.0.get_or_init(Arc::default)
    }
}

/// Cancels the token of work that is dropped before it ends.
pub(crate) struct CancelOnDrop<'c>(pub(crate) Option<&'c CancellationToken>);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(token) = self.0 {
            token.cancel();
        }
    }
}

impl Inner {
    fn is_cancelled(&self) -> bool {
        self.lineage()
            .any(|token| token.cancelled.load(Ordering::Acquire))
    }

    fn lineage(&self) -> impl Iterator<Item = &Self> {
        // Children look up, because a list of children would need a lock and would keep finished calls alive.
        std::iter::successors(Some(self), |token| token.parent.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn child_is_cancelled_with_parent_only() {
        let parent = CancellationToken::new();
        let (first, second) = (parent.child(), parent.child());

        first.cancel();

        assert!(first.is_cancelled() && !parent.is_cancelled() && !second.is_cancelled());
        parent.cancel();
        second.cancelled().await;
    }

    #[tokio::test]
    async fn cancels_waiter_from_another_task() {
        let token = CancellationToken::new();
        let waiter = tokio::spawn({
            let token = token.child();
            async move {
                token
                    .run_until_cancelled(std::future::pending::<()>())
                    .await
            }
        });
        tokio::task::yield_now().await;

        token.cancel();

        let outcome = tokio::time::timeout(Duration::from_secs(5), waiter)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(outcome, None);
    }

    #[tokio::test]
    async fn ready_work_returns_output() {
        assert_eq!(
            CancellationToken::new()
                .run_until_cancelled(async { 7 })
                .await,
            Some(7)
        );
    }
}
