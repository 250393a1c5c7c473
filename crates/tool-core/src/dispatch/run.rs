//! Step 8: runs the tool under a timeout, cancellation and a panic guard.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::settings::Scope;
use super::stop::{StopReason, cancelled_before_run};
use crate::cancellation::CancelOnDrop;
use crate::middleware::{Call, Next};
use crate::{
    Arguments, CallFuture, CallPlan, ToolContext, ToolError, ToolOutput, ToolResult, clock,
};

type Outcome = Result<Result<(), ToolError>, Box<StopReason>>;

/// A run of a tool.
pub(super) struct Run<'r> {
    scope: Scope<'r, 'r>,
    /// The run through the middleware, until it is ready.
    work: Option<CallFuture<'r, ToolOutput>>,
    attempts: &'r AtomicU32,
    /// Receives the output of a successful run, which is expensive to move.
    result: &'r mut ToolResult,
}

/// A finished run.
pub(super) struct FinishedRun {
    pub(super) outcome: Result<(), ToolError>,
    pub(super) ended: std::time::Instant,
    pub(super) attempts: u32,
    /// Bytes of partial output that were omitted from the error.
    pub(super) bytes_dropped: u64,
}

impl<'r> Run<'r> {
    pub(super) fn new(
        scope: Scope<'r, 'r>,
        work: CallFuture<'r, ToolOutput>,
        attempts: &'r AtomicU32,
        result: &'r mut ToolResult,
    ) -> Self {
        Self {
            scope,
            work: Some(work),
            attempts,
            result,
        }
    }

    /// Runs the tool. Fails if the call was cancelled before.
    pub(super) async fn execute(
        &mut self,
        since: std::time::Instant,
    ) -> Result<FinishedRun, ToolError> {
        let scope = self.scope;
        if scope.cx.cancellation().is_cancelled() {
            return Err(cancelled_before_run());
        }
        let timeout = scope.shared.settings.timeout_of(scope.entry, scope.options);
        // From here, so that neither the approver nor the queue uses up the timeout.
        scope.cx.start_clock(since, timeout);
        // Poll once before arming a timer: tools that only compute are then ready.
        let outcome = match poll_fn(|task| Poll::Ready(self.poll(task))).await {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Box::pin(self.wait(timeout)).await,
        };
        Ok(self.ended(outcome))
    }

    /// Polls the work and drops it when it is ready, because the drop may count its attempts.
    #[inline]
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Outcome> {
        let Some(running) = &mut self.work else {
            return Poll::Pending;
        };
        let polled = catch_panic(|| match running.as_mut().poll(task) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(output)) => {
                self.result.add(output);
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
        });
        let outcome = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(outcome)) => Ok(outcome),
            Err(panic) => Err(panic),
        };
        // Dropped before the result is returned, so that the tool holds nothing any more.
        self.work = None;
        Poll::Ready(outcome)
    }

    /// Waits for the work under the timers and the cancellation token.
    async fn wait(&mut self, timeout: Duration) -> Outcome {
        let (scope, cx) = (self.scope, self.scope.cx);
        let settings = &scope.shared.settings;
        let idle = settings.idle_timeout_of(scope.entry, scope.options);
        // For the threads of a call that is dropped while it runs.
        let mut cancel_on_drop = CancelOnDrop(Some(cx.cancellation()));
        let mut stop = pin!(stop_by_time(cx, timeout, idle));
        let mut cancelled = pin!(cx.cancellation().cancelled());
        let outcome = poll_fn(|task| {
            if let Poll::Ready(outcome) = self.poll(task) {
                return Poll::Ready(outcome);
            }
            if cancelled.as_mut().poll(task).is_ready() {
                return Poll::Ready(Err(Box::new(StopReason::Cancelled)));
            }
            stop.as_mut().poll(task).map(|stop| Err(Box::new(stop)))
        })
        .await;
        cancel_on_drop.0 = None;
        self.work = None;
        outcome
    }

    #[inline]
    fn ended(&self, outcome: Outcome) -> FinishedRun {
        let ended = clock::now();
        let attempts = self.attempts.load(Ordering::Relaxed);
        let (outcome, bytes_dropped) = match outcome {
            Ok(Ok(())) => (Ok(()), 0),
            Ok(Err(error)) => self.with_partial_output(error),
            Err(stop) => {
                // For threads of the call, which the drop of its future does not stop.
                self.scope.cx.cancellation().cancel();
                let hints = self.scope.entry.definition().hints();
                self.with_partial_output(stop.into_error(attempts, hints))
            }
        };
        FinishedRun {
            outcome,
            ended,
            attempts,
            bytes_dropped,
        }
    }

    /// Adds the partial output to an error without output, and returns the number of omitted bytes.
    #[cold]
    fn with_partial_output(&self, error: ToolError) -> (Result<(), ToolError>, u64) {
        if error.output().is_some() {
            return (Err(error), 0);
        }
        let Some(partial) = self.scope.cx.take_partial_output() else {
            return (Err(error), 0);
        };
        let follows = "The output up to then follows.";
        let suggestion = match error.suggestion() {
            Some(suggestion) => format!("{suggestion} {follows}"),
            None => follows.to_owned(),
        };
        let omitted = partial.bytes_omitted;
        let error = error.suggest(suggestion).with_output(partial.into_output());
        (Err(error), omitted)
    }
}

/// Starts the prepared run, through the middleware if there is any.
#[inline]
pub(super) fn start<'w>(
    scope: Scope<'w, 'w>,
    arguments: &'w Arguments<'w>,
    plan: &'w CallPlan,
    run: CallFuture<'w, ToolOutput>,
    attempts: &'w AtomicU32,
) -> CallFuture<'w, ToolOutput> {
    let Scope {
        shared, entry, cx, ..
    } = scope;
    if shared.settings.middleware.is_empty() {
        attempts.store(1, Ordering::Relaxed);
        return run;
    }
    let call = Call {
        tool: entry.tool().as_ref(),
        context: cx,
        arguments,
        plan,
        attempts,
    };
    let middleware = &shared.settings.middleware;
    Box::pin(async move { Next::new(middleware, Some(run)).run(call).await })
}

#[inline]
fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Box<StopReason>> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Box::new(StopReason::Panicked(panic)))
}

/// Upper bound of a timeout, because the clock cannot represent every duration.
const FAR: Duration = Duration::from_hours(30 * 365 * 24);

/// Waits until the timeout or the idle timeout of a call has passed. Without `idle`, the call may be silent until its timeout.
async fn stop_by_time(cx: &ToolContext, timeout: Duration, idle: Option<Duration>) -> StopReason {
    let deadline = later(Instant::now(), timeout);
    if let Some(idle) = idle {
        let reports = cx.reports();
        reports.restart_idle_timeout();
        loop {
            // A report does not wake us; read the last one when the time has passed.
            let silent = later(reports.last(), idle);
            if deadline <= silent {
                break;
            }
            if silent <= Instant::now() {
                return StopReason::Silent(idle);
            }
            sleep_until(silent).await;
        }
    }
    sleep_until(deadline).await;
    StopReason::TimedOut(timeout)
}

fn later(since: Instant, wait: Duration) -> Instant {
    since.checked_add(wait.min(FAR)).unwrap_or(since)
}
