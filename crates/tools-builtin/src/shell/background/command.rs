//! A background command, and the task that waits for it.

use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::io::AsyncWriteExt as _;
use tokio::process::ChildStdin;
use tokio::sync::{Mutex as AsyncMutex, watch};
use tool_core::{CancellationToken, ErrorCode, Timestamp, ToolContext, ToolError};

use crate::shell::process::{Outcome, Run, RunEnd};
use crate::shell::streams::Tail;

/// Status of a background command.
///
/// # Examples
/// ```
/// use tools_builtin::shell::BackgroundStatus;
///
/// assert_eq!(serde_json::to_string(&BackgroundStatus::Stopped)?, "\"stopped\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, description = "")]
pub enum BackgroundStatus {
    /// The command is still running.
    Running,
    /// The command exited, or a signal from another process killed it.
    Exited,
    /// The command was stopped.
    Stopped,
}

/// Background command, as shown to the host and the model.
///
/// # Examples
/// ```
/// use tool_core::Timestamp;
/// use tools_builtin::shell::{BackgroundCommand, BackgroundStatus};
///
/// let command = BackgroundCommand {
///     id: "command-1".to_owned(),
///     command: "npm run dev".to_owned(),
///     status: BackgroundStatus::Running,
///     exit_code: None,
///     signal: None,
///     started_at: Timestamp::parse("2025-11-10T10:05:00Z").ok_or("not a time")?,
///     output_bytes: 512,
/// };
/// assert!(command.is_running());
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(description = "A background command.")]
pub struct BackgroundCommand {
    /// Id of the command.
    pub id: String,
    /// Command line.
    pub command: String,
    /// Status of the command.
    pub status: BackgroundStatus,
    /// Exit code; null if the command is running or was killed.
    pub exit_code: Option<i32>,
    /// Number of the signal that killed the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Start time, as RFC 3339 in UTC.
    #[schemars(with = "String")]
    pub started_at: Timestamp,
    /// Number of bytes written so far.
    pub output_bytes: u64,
}

impl BackgroundCommand {
    /// Returns `true` if the command is still running.
    pub fn is_running(&self) -> bool {
        self.status == BackgroundStatus::Running
    }

    /// Returns a short description of the status.
    pub(super) fn status_text(&self) -> String {
        match (self.status, self.exit_code, self.signal) {
            (BackgroundStatus::Running, ..) => "running".to_owned(),
            (BackgroundStatus::Stopped, ..) => "stopped".to_owned(),
            (BackgroundStatus::Exited, Some(code), _) => format!("exited with code {code}"),
            (BackgroundStatus::Exited, None, Some(signal)) => format!("killed by signal {signal}"),
            (BackgroundStatus::Exited, None, None) => "exited".to_owned(),
        }
    }
}

/// Character that ends the input, as at a terminal.
pub(super) const END_OF_INPUT: char = '\u{4}';

/// Time for a command to read its input.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval between checks for output after input, and their number.
const ANSWER_INTERVAL: Duration = Duration::from_millis(50);
const ANSWER_CHECKS: u32 = 20;

fn no_input() -> ToolError {
    ToolError::invalid_arguments("input", "can't be written: the command reads no more input")
        .suggest("Read its output, or start it again.")
}

/// State shared by the store and the task of a command.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) tail: Arc<Tail>,
    cancellation: CancellationToken,
    state: watch::Sender<BackgroundCommand>,
    run_future: RunFuture,
    /// Standard input, until its end was sent.
    stdin: AsyncMutex<Option<ChildStdin>>,
    /// Offset at which the last read stopped.
    pub(super) read_to: AtomicU64,
}

impl Job {
    pub(super) fn new(id: String, command: String) -> Self {
        let state = BackgroundCommand {
            id: id.clone(),
            command,
            status: BackgroundStatus::Running,
            exit_code: None,
            signal: None,
            started_at: Timestamp::now(),
            output_bytes: 0,
        };
        Self {
            id,
            tail: Arc::default(),
            cancellation: CancellationToken::new(),
            state: watch::Sender::new(state),
            run_future: RunFuture::default(),
            stdin: AsyncMutex::default(),
            read_to: AtomicU64::new(0),
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        !self.state.borrow().is_running()
    }

    pub(super) fn stop(&self) {
        self.cancellation.cancel();
    }

    /// Kills the command even if its runtime no longer polls its task.
    pub(super) fn kill(&self) {
        self.run_future.stop();
    }

    /// Waits until the command has finished.
    pub(super) async fn finished(&self) {
        let mut state = self.state.subscribe();
        // An error would mean that the job was dropped, but `self` exists.
        let _ = state.wait_for(|state| !state.is_running()).await;
    }

    /// Writes to standard input, and closes it if `input` ends with [`END_OF_INPUT`]. Then waits briefly for output.
    pub(super) async fn write(&self, input: &str) -> Result<(), ToolError> {
        let before = self.tail.total();
        let mut stdin = self.stdin.lock().await;
        let pipe = stdin.as_mut().ok_or_else(no_input)?;
        let text = input.strip_suffix(END_OF_INPUT);
        let written = pipe.write_all(text.unwrap_or(input).as_bytes());
        match tokio::time::timeout(WRITE_TIMEOUT, written).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(no_input()),
            Err(_) => {
                let sentence = "was not read completely within 5 seconds";
                return Err(ToolError::about(ErrorCode::Timeout, "input", sentence)
                    .suggest("Read the output of the command first, or stop it."));
            }
        }
        if text.is_some() {
            stdin.take();
        }
        drop(stdin);
        let mut left = ANSWER_CHECKS;
        while left > 0 && self.tail.total() == before && !self.is_finished() {
            tokio::time::sleep(ANSWER_INTERVAL).await;
            left -= 1;
        }
        // A program often answers in more than one write.
        tokio::time::sleep(ANSWER_INTERVAL).await;
        Ok(())
    }

    /// Returns the current state.
    pub(super) fn state(&self) -> BackgroundCommand {
        let mut state = self.state.borrow().clone();
        state.output_bytes = self.tail.total();
        state
    }
}

/// Returns a task that runs a command to completion. If the task is dropped, even before the first
/// poll, the command is stopped.
pub(super) fn watch(job: Arc<Job>, mut run: Run) -> WorkTask {
    run.streams.send_to(Arc::clone(&job.tail));
    if let Ok(mut stdin) = job.stdin.try_lock() {
        *stdin = run.stdin.take();
    }
    // Not the context of the call: its cancellation and deadline must not reach a command that outlives the call.
    let cx = ToolContext::new(job.id.as_str(), "").with_cancellation(job.cancellation.clone());
    let run_future = job.run_future.clone();
    let mut publisher = PublishOnDrop { job, outcome: None };
    run_future.start(async move {
        let outcome = run.finish(Duration::MAX, &cx).await.ok();
        publisher.set(outcome);
    })
}

/// Publishes the final status on drop, so that it is published even if the task is dropped.
struct PublishOnDrop {
    job: Arc<Job>,
    outcome: Option<Outcome>,
}

impl PublishOnDrop {
    /// A method, so that the async block captures the entire value and not only one field.
    fn set(&mut self, outcome: Option<Outcome>) {
        self.outcome = outcome;
    }
}

impl Drop for PublishOnDrop {
    fn drop(&mut self) {
        let outcome = self.outcome.take();
        // Otherwise the pipe would stay open as long as the output is kept.
        if let Ok(mut stdin) = self.job.stdin.try_lock() {
            stdin.take();
        }
        self.job.state.send_modify(|state| {
            state.status = match outcome.as_ref().map(|outcome| outcome.end) {
                Some(RunEnd::Exited(_)) => BackgroundStatus::Exited,
                Some(RunEnd::TimedOut | RunEnd::Cancelled) | None => BackgroundStatus::Stopped,
            };
            state.exit_code = outcome.as_ref().and_then(Outcome::exit_code);
            state.signal = outcome.as_ref().and_then(Outcome::signal);
        });
    }
}

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

tool_core::debug_fields!(RunFuture);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stopped_task_completes_without_polling_future() {
        let work = RunFuture::default();
        let task = work.start(async { unreachable!("the work is stopped before its first poll") });

        work.stop();

        task.await;
        assert_eq!(format!("{work:?}"), "RunFuture { .. }");
    }
}
