//! Step 8: running the tool under timeout, cancellation and panic guard.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use super::Settings;
use super::record::Record;
use crate::middleware::{Call, Next};
use crate::registry::{CallOptions, Entry};
use crate::{Arguments, CancellationToken, ErrorCode, ToolContext, ToolError, ToolOutput, clock};

type Work<'w> = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send + 'w>>;

/// Runs the tool through the middleware. Nothing it does gets past here but its output or an error.
pub(super) async fn run(
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
    settings: &Settings,
    options: Option<&CallOptions>,
    record: &mut Record<'_>,
) -> Result<ToolOutput, ToolError> {
    if cx.cancellation().is_cancelled() {
        return Err(ToolError::cancelled());
    }
    let timeout = settings.timeout_of(entry, options);
    let attempts = AtomicU32::new(0);
    let since = clock::now();
    cx.start_clock(since.checked_add(timeout));
    let outcome = {
        let call = Call::new(entry.tool(), cx, arguments, &attempts);
        match guarded(|| Ok(Next::new(&settings.middleware).run(call))) {
            Ok(mut work) => until_done(&mut work, timeout, cx.cancellation()).await,
            Err(error) => Err(error),
        }
    };
    record.executed(since, attempts.load(Ordering::Relaxed), entry.definition());
    outcome
}

/// Polls once before a timer is armed: most tools that only compute are done by then.
async fn until_done(
    work: &mut Work<'_>,
    timeout: Duration,
    cancellation: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let first = poll_fn(|cx| Poll::Ready(poll_guarded(work, cx))).await;
    match first {
        Poll::Ready(outcome) => outcome,
        // Apart from the call's own future, which most calls need not make room for this.
        Poll::Pending => Box::pin(until_ended(work, timeout, cancellation)).await,
    }
}

async fn until_ended(
    work: &mut Work<'_>,
    timeout: Duration,
    cancellation: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let mut timer = pin!(tokio::time::sleep(timeout));
    let mut cancelled = pin!(cancellation.cancelled());
    poll_fn(|cx| {
        if let Poll::Ready(outcome) = poll_guarded(work, cx) {
            return Poll::Ready(outcome);
        }
        if cancelled.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(ToolError::cancelled()));
        }
        timer
            .as_mut()
            .poll(cx)
            .map(|()| Err(ToolError::timeout(timeout)))
    })
    .await
}

fn poll_guarded(work: &mut Work<'_>, cx: &mut Context<'_>) -> Poll<Result<ToolOutput, ToolError>> {
    match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
        Ok(poll) => poll,
        Err(payload) => Poll::Ready(Err(panicked(payload.as_ref()))),
    }
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

/// The panic's own words may hold anything, so only the log gets them.
fn panicked(payload: &(dyn std::any::Any + Send)) -> ToolError {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a text".to_owned());
    ToolError::new(
        ErrorCode::Panic,
        "The tool stopped because of a fault of its own",
    )
    .suggest("The same call will fail again; try another way.")
    .caused_by(text)
}
