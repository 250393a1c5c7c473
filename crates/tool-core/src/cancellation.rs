//! Telling a call, or a batch of calls, to stop.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
#[derive(Debug, Clone, Default)]
pub struct CancellationToken(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    cancelled: AtomicBool,
    notify: Notify,
    parent: Option<CancellationToken>,
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
        Self(Arc::new(Inner {
            parent: Some(self.clone()),
            ..Inner::default()
        }))
    }

    /// Cancels this token and its children.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        self.0.notify.notify_waiters();
    }

    /// Whether this token or one above it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.lineage()
            .any(|token| token.0.cancelled.load(Ordering::Acquire))
    }

    /// Waits until the token is cancelled.
    pub async fn cancelled(&self) {
        let mut waits: Vec<_> = self
            .lineage()
            .map(|token| Box::pin(token.0.notify.notified()))
            .collect();
        // Register with every notifier before looking at the flags: a cancel in between must not be missed.
        for wait in &mut waits {
            wait.as_mut().enable();
        }
        if self.is_cancelled() {
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
        let mut cancelled = pin!(self.cancelled());
        poll_fn(|cx| {
            if let Poll::Ready(output) = work.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            cancelled.as_mut().poll(cx).map(|()| None)
        })
        .await
    }

    fn lineage(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |token| token.0.parent.as_ref())
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
