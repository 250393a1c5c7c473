//! Telling a call, or a batch of calls, to stop.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use tokio::sync::Notify;

/// Tells calls to stop. Clones are one token; a child also stops with its parent.
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
// Most calls run with a token that nobody looks at, so what clones share is made for the first of them.
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
    /// Creates a token that nobody has cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a token that is cancelled with this one, and can be cancelled alone.
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

    /// Whether this token or one above it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.get().is_some_and(|inner| inner.is_cancelled())
    }

    /// Whether nobody has cancelled it, waited for it or copied it, and it is neither a child nor a parent.
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
        // Register with every notifier before looking at the flags: a cancel in between must not be missed.
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

    /// Runs `work` until it ends or the token is cancelled; `None` means cancelled.
    pub async fn run_until_cancelled<F: Future>(&self, work: F) -> Option<F::Output> {
        let mut work = pin!(work);
        // What is ready at once needs nobody to wait beside it.
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

impl Inner {
    fn is_cancelled(&self) -> bool {
        self.lineage()
            .any(|token| token.cancelled.load(Ordering::Acquire))
    }

    fn lineage(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |token| token.parent.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_child_stops_with_its_parent_and_not_the_other_way_round() {
        let parent = CancellationToken::new();
        let (first, second) = (parent.child(), parent.child());

        first.cancel();

        assert!(first.is_cancelled() && !parent.is_cancelled() && !second.is_cancelled());
        parent.cancel();
        second.cancelled().await;
    }

    #[tokio::test]
    async fn a_waiter_is_woken_by_a_cancel_from_another_task() {
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
    async fn work_that_ends_first_gives_its_output() {
        assert_eq!(
            CancellationToken::new()
                .run_until_cancelled(async { 7 })
                .await,
            Some(7)
        );
    }
}
