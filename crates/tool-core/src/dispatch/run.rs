//! Step 8: running the tool under timeout, cancellation and panic guard.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use super::Settings;
use super::record::Record;
use super::stop::{Stop, cancelled_in_the_queue, panicked, with_pieces};
use super::watch::Watch;
use crate::catalog::Entry;
use crate::middleware::{Call, Next};
use crate::{Arguments, CallOptions, CancellationToken, ToolContext, ToolError, ToolOutput};

type Work<'w> = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send + 'w>>;

/// How the run of a tool ended.
enum End {
    Own(Result<ToolOutput, ToolError>),
    Stopped(Stop),
}

/// Runs the tool through the middleware. Nothing it does gets past here but its output or an error.
pub(super) async fn run(
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
    settings: &Settings,
    options: Option<&CallOptions>,
    record: &mut Record<'_>,
) -> Result<(), ToolError> {
    if cx.cancellation().is_cancelled() {
        return Err(cancelled_in_the_queue());
    }
    let timeout = settings.timeout_of(entry, options);
    let idle = || settings.idle_timeout_of(entry, options);
    let attempts = AtomicU32::new(0);
    let since = record.begins();
    cx.start_clock(since, timeout);
    let end = {
        let call = Call::new(entry.tool(), cx, arguments, &attempts);
        match caught(|| Next::new(&settings.middleware).run(call)) {
            Ok(mut work) => until_done(&mut work, cx, timeout, idle).await,
            Err(stop) => End::Stopped(stop),
        }
    };
    let attempts = attempts.load(Ordering::Relaxed);
    record.executed(since, attempts, entry.definition());
    let error = match end {
        End::Own(Ok(output)) => {
            record.output(output);
            return Ok(());
        }
        End::Own(Err(error)) => error,
        End::Stopped(stop) => {
            // For threads that work for the call: dropping its future does not reach them.
            cx.cancellation().cancel();
            stop.into_error(attempts, entry.definition().hints())
        }
    };
    Err(with_pieces(error, cx, record))
}

/// Polls once before a timer is armed: most tools that only compute are done by then.
async fn until_done(
    work: &mut Work<'_>,
    cx: &ToolContext,
    timeout: Duration,
    idle: impl Fn() -> Option<Duration>,
) -> End {
    let first = poll_fn(|task| Poll::Ready(poll_caught(work, task))).await;
    match first {
        Poll::Ready(end) => end,
        // Apart from the call's own future, which most calls need not make room for this.
        Poll::Pending => Box::pin(until_ended(work, cx, timeout, idle())).await,
    }
}

async fn until_ended(
    work: &mut Work<'_>,
    cx: &ToolContext,
    timeout: Duration,
    idle: Option<Duration>,
) -> End {
    let mut watched = Watched(Some(cx.cancellation()));
    let mut watch = Watch::start(cx, timeout, idle);
    let mut cancelled = pin!(cx.cancellation().cancelled());
    let end = poll_fn(|task| {
        if let Poll::Ready(end) = poll_caught(work, task) {
            return Poll::Ready(end);
        }
        if cancelled.as_mut().poll(task).is_ready() {
            return Poll::Ready(End::Stopped(Stop::Cancelled));
        }
        watch.poll(task).map(End::Stopped)
    })
    .await;
    watched.0 = None;
    end
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

fn poll_caught(work: &mut Work<'_>, task: &mut Context<'_>) -> Poll<End> {
    match caught(|| work.as_mut().poll(task)) {
        Ok(poll) => poll.map(End::Own),
        Err(stop) => Poll::Ready(End::Stopped(stop)),
    }
}

fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Stop> {
    catch_unwind(AssertUnwindSafe(work)).map_err(Stop::Panicked)
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
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked(payload.as_ref())))
}
