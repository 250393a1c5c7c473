//! Step 8: running the tool under timeout, cancellation and panic guard.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::Settings;
use super::record::Record;
use super::stop::{Stop, cancelled_in_the_queue, panicked, with_pieces};
use super::watch::Watch;
use crate::catalog::Entry;
use crate::middleware::{Call, Next};
use crate::{Arguments, CancellationToken, ToolContext, ToolError, ToolOutput};

type Work<'w> = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send + 'w>>;

/// How the run of a tool ended. Small, so that it is handed on without a place of its own.
enum End {
    /// By itself, with an output that is on record.
    Output,
    /// By itself, with an error.
    Error(ToolError),
    Stopped(Box<Stop>),
}

/// A tool that is to run.
pub(super) struct Run<'r> {
    pub(super) entry: &'r Entry,
    pub(super) cx: &'r ToolContext,
    pub(super) arguments: &'r Arguments<'r>,
    pub(super) settings: &'r Settings,
}

impl Run<'_> {
    /// Runs the tool through the middleware. Nothing it does gets past here but its output or an error.
    #[expect(
        clippy::manual_async_fn,
        reason = "a block uses what it is given where it stands, a function moves it first"
    )]
    pub(super) fn to_its_end(
        &self,
        record: &mut Record<'_, '_>,
    ) -> impl Future<Output = Result<(), ToolError>> + Send {
        async move {
            if self.cx.cancellation().is_cancelled() {
                return Err(cancelled_in_the_queue());
            }
            let attempts = AtomicU32::new(0);
            let timeout = self.settings.timeout_of(self.entry, record.call().options);
            let since = record.begins();
            self.cx.start_clock(since, timeout);
            let ended = |end, record: &mut Record<'_, '_>| {
                self.ended(end, attempts.load(Ordering::Relaxed), since, record)
            };
            let mut work = None;
            let begin = || work = Some(self.work(&attempts));
            if let Err(stop) = caught(begin) {
                return ended(End::Stopped(stop), record);
            }
            // Polled once before a timer is armed: most tools that only compute are done by then.
            let first = poll_fn(|task| Poll::Ready(poll_caught(&mut work, task, record)));
            if let Poll::Ready(end) = first.await {
                return ended(end, record);
            }
            let end = Box::pin(self.until_ended(&mut work, timeout, record)).await;
            ended(end, record)
        }
    }

    /// The tool's work, through the middleware where there is any.
    #[inline]
    fn work<'w>(&'w self, attempts: &'w AtomicU32) -> Work<'w> {
        if self.settings.middleware.is_empty() {
            attempts.store(1, Ordering::Relaxed);
            // Past the shared pointer, whose own future would be a second box.
            return self.entry.tool().as_ref().execute(self.cx, self.arguments);
        }
        let call = Call::new(self.entry.tool(), self.cx, self.arguments, attempts);
        Next::new(&self.settings.middleware).run(call)
    }

    /// What the end of the tool's work comes to.
    #[inline]
    fn ended(
        &self,
        end: End,
        attempts: u32,
        since: Instant,
        record: &mut Record<'_, '_>,
    ) -> Result<(), ToolError> {
        let definition = self.entry.definition();
        record.executed(since, attempts, definition);
        let error = match end {
            End::Output => return Ok(()),
            End::Error(error) => error,
            End::Stopped(stop) => {
                // For threads that work for the call: dropping its future does not reach them.
                self.cx.cancellation().cancel();
                stop.into_error(attempts, definition.hints())
            }
        };
        Err(with_pieces(error, self.cx, record))
    }

    async fn until_ended(
        &self,
        work: &mut Option<Work<'_>>,
        timeout: Duration,
        record: &mut Record<'_, '_>,
    ) -> End {
        let cx = self.cx;
        let idle = self
            .settings
            .idle_timeout_of(self.entry, record.call().options);
        let mut watched = Watched(Some(cx.cancellation()));
        let mut watch = Watch::start(cx, timeout, idle);
        let mut cancelled = pin!(cx.cancellation().cancelled());
        let end = poll_fn(|task| {
            if let Poll::Ready(end) = poll_caught(work, task, record) {
                return Poll::Ready(end);
            }
            if cancelled.as_mut().poll(task).is_ready() {
                return Poll::Ready(End::Stopped(Box::new(Stop::Cancelled)));
            }
            watch.poll(task).map(|stop| End::Stopped(Box::new(stop)))
        })
        .await;
        watched.0 = None;
        *work = None;
        end
    }
}

/// Tells threads that work for a call when nobody waits for it any more.
struct Watched<'c>(Option<&'c CancellationToken>);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if let Some(token) = self.0 {
            token.cancel();
        }
    }
}

/// Polls the work, and drops it at its end: that may be what counts its attempts. Its output goes where it stays.
#[inline]
fn poll_caught(
    work: &mut Option<Work<'_>>,
    task: &mut Context<'_>,
    record: &mut Record<'_, '_>,
) -> Poll<End> {
    let Some(going) = work else {
        return Poll::Pending;
    };
    let polled = caught(|| {
        match going.as_mut().poll(task) {
            Poll::Pending => return None,
            Poll::Ready(Ok(output)) => record.output(output),
            Poll::Ready(Err(error)) => return Some(End::Error(error)),
        }
        Some(End::Output)
    });
    let end = match polled {
        Ok(None) => return Poll::Pending,
        Ok(Some(end)) => end,
        Err(stop) => End::Stopped(stop),
    };
    *work = None;
    Poll::Ready(end)
}

#[inline]
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Box<Stop>> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Box::new(Stop::Panicked(panic)))
}

/// Waits for work of the host's own; a panic becomes an error.
pub(super) async fn guarded_wait<T>(
    mut work: Pin<Box<dyn Future<Output = T> + Send + '_>>,
) -> Result<T, ToolError> {
    poll_fn(|cx| {
        guarded(|| Ok(work.as_mut().poll(cx)))
            .map_or_else(|error| Poll::Ready(Err(error)), |poll| poll.map(Ok))
    })
    .await
}

/// Runs a piece of the tool's own code; a panic becomes an error.
#[inline]
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked(payload.as_ref())))
}
