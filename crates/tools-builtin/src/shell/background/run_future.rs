//! Work of a background command, which its task or its store may stop.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Future that runs a command. It is shared, because the drop of a store must stop the command even
/// if the runtime no longer polls or drops its tasks.
#[derive(Clone, Default)]
pub(super) struct RunFuture(Arc<Mutex<State>>);

/// Task that polls the work. Dropping it stops the work.
#[derive(Debug)]
pub(super) struct WorkTask(RunFuture);

#[derive(Default)]
struct State {
    /// `None` before the start and after the end.
    future: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    waker: Option<Waker>,
}

impl RunFuture {
    /// Sets the future. Only the returned task polls it.
    pub(super) fn start(&self, future: impl Future<Output = ()> + Send + 'static) -> WorkTask {
        self.state().future = Some(Box::pin(future));
        WorkTask(self.clone())
    }

    /// Drops the future and completes the task.
    pub(super) fn stop(&self) {
        // Drop both without the lock, because they may run any code.
        let State { future, waker } = std::mem::take(&mut *self.state());
        drop(future);
        waker.into_iter().for_each(Waker::wake);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Future for WorkTask {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.state();
        let Some(future) = &mut state.future else {
            return Poll::Ready(());
        };
        // The lock is held during the poll: `stop` on another thread waits for it, so the future is never dropped while
        // it's being polled. The future itself must not call `stop`.
        let polled = future.as_mut().poll(cx);
        state.waker = Some(cx.waker().clone());
        drop(state);
        if polled.is_ready() {
            self.0.stop();
        }
        polled
    }
}

impl Drop for WorkTask {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl fmt::Debug for RunFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunFuture")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stopped_task_completes_without_polling_future() {
        let work = RunFuture::default();
        let task = work.start(async { unreachable!("the work is stopped before its first poll") });

        work.stop();

        task.await;
        assert_eq!(format!("{work:?}"), "RunFuture");
    }
}
