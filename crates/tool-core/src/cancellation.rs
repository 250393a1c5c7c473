//! Cancellation of calls and batches.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::OnceLock;
use std::task::Poll;

use tokio_util::sync;

/// Cancellation of calls. Clones share one state; a child is also cancelled with its parent.
///
/// A [`tokio_util::sync::CancellationToken`] converts into a token that shares its state, and back.
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
pub struct CancellationToken(OnceLock<sync::CancellationToken>);

impl Clone for CancellationToken {
    fn clone(&self) -> Self {
        self.shared().clone().into()
    }
}

impl From<sync::CancellationToken> for CancellationToken {
    fn from(token: sync::CancellationToken) -> Self {
        Self(OnceLock::from(token))
    }
}

impl From<CancellationToken> for sync::CancellationToken {
    fn from(token: CancellationToken) -> Self {
        token.0.into_inner().unwrap_or_default()
    }
}

impl CancellationToken {
    /// Creates a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a token that is cancelled with this one, and can be cancelled separately.
    #[must_use]
    pub fn child(&self) -> Self {
        self.shared().child_token().into()
    }

    /// Cancels this token and its children.
    pub fn cancel(&self) {
        self.shared().cancel();
    }

    /// Returns `true` if this token or one of its ancestors is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0
            .get()
            .is_some_and(sync::CancellationToken::is_cancelled)
    }

    /// Returns `true` if the token has no shared state: no clone, parent or child, and no waiter.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.0.get().is_none()
    }

    /// Waits until the token is cancelled.
    pub async fn cancelled(&self) {
        self.shared().cancelled().await;
    }

    /// Runs `work` until it is ready or the token is cancelled. Returns `None` if the token is cancelled first.
    ///
    /// `work` is polled at least once, also if the token is already cancelled.
    pub async fn run_until_cancelled<F: Future>(&self, work: F) -> Option<F::Output> {
        let mut work = pin!(work);
        // Poll once before creating the shared state: work that is ready immediately does not require it.
        let first = poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await;
        if let Poll::Ready(output) = first {
            return Some(output);
        }
        self.shared().run_until_cancelled(work).await
    }

    fn shared(&self) -> &sync::CancellationToken {
        self.0.get_or_init(sync::CancellationToken::new)
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

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
            async move { token.run_until_cancelled(pending::<()>()).await }
        });
        tokio::task::yield_now().await;

        token.cancel();

        assert_eq!(waiter.await.unwrap(), None);
    }

    #[tokio::test]
    async fn ready_work_wins_over_cancellation() {
        let token = CancellationToken::new();
        token.cancel();

        assert_eq!(token.run_until_cancelled(async { 7 }).await, Some(7));
        assert_eq!(token.run_until_cancelled(pending::<()>()).await, None);
    }

    #[test]
    fn shares_state_with_tokio_util_token() {
        let host = sync::CancellationToken::new();
        let token = CancellationToken::from(host.clone());
        let copy = sync::CancellationToken::from(token.clone());

        host.cancel();

        assert!(token.is_cancelled() && copy.is_cancelled());
    }
}
