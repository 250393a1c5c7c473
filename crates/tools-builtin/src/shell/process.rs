//! Execution of one program until it exits, times out or is cancelled, with bounded output. The
//! thread that drops a tool waits until the programs of its dropped calls have exited.

#[cfg(test)]
#[cfg(target_os = "linux")]
pub(crate) mod tests;

use std::convert::Infallible;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;
use std::{io, mem};

use process_tree::ProcessTree;
use serde_json::Value;
use tokio::process::ChildStdin;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tool_core::{Progress, ToolContext, ToolError};

use super::program::{Program, start_error};
use super::streams::{Kept, Streams};
pub(crate) use super::streams::{Outcome, RunEnd};

/// Time for which the thread that started a program waits for it. Programs that exit within this
/// time need no switch to another thread and back; longer programs lose nothing.
#[cfg(target_os = "linux")]
const FIRST_WAIT: Duration = Duration::from_millis(10);

/// Time for which the pipes may stay open after the program has exited, because a child process may
/// hold them.
const PIPE_GRACE: Duration = Duration::from_millis(250);

/// Maximum time to read the last bytes after all processes have exited.
const LAST_READ: Duration = Duration::from_millis(20);

/// Minimum interval between progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum characters of a line in a progress report.
const MAX_PROGRESS_CHARS: usize = 200;

/// Running program. Dropping it kills the program and all its child processes.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) tree: ProcessTree,
    pub(crate) streams: Streams,
    /// Standard input, if the program has one.
    pub(crate) stdin: Option<ChildStdin>,
    /// Messages of the cleanup.
    notices: Arc<Mutex<Vec<RunNotice>>>,
    /// Exit status, if it was detected together with the end of the output.
    ended: Option<ExitStatus>,
    /// The last line that was complete at a report.
    last_line: String,
}

impl Run {
    /// Starts `program` and keeps `kept` of each stream. Blocks while the system starts the program.
    ///
    /// # Errors
    /// Returns an error if the program cannot be found or started.
    pub(crate) fn start(
        program: &Program,
        kept: Kept,
        cx: &ToolContext,
    ) -> Result<Self, ToolError> {
        let started = program.spawn(cx)?;
        cx.note("process_tree", started.tree.mechanism().as_str());
        Ok(Self {
            tree: started.tree,
            stdin: started.stdin,
            streams: Streams::of([started.stdout, started.stderr], kept),
            notices: Arc::default(),
            ended: None,
            last_line: String::new(),
        })
    }

    /// Lets a program run that was started held.
    #[cfg(target_os = "linux")]
    pub(crate) fn release(&mut self, keeps_input: bool) {
        if let Some(stdin) = &self.stdin {
            // The pipe is empty. If the program has ended, its exit status says so.
            let _ = rustix::io::write(stdin, b"\n");
        }
        if !keeps_input {
            self.stdin = None;
        }
    }

    /// Waits briefly for the program to exit and close its output. Blocks for at most
    /// [`FIRST_WAIT`] and `limit`.
    #[cfg(target_os = "linux")]
    pub(crate) fn wait_briefly(&mut self, limit: Duration) {
        let until = Instant::now() + limit.min(FIRST_WAIT);
        while self.streams.are_open() {
            let left = until.saturating_duration_since(Instant::now());
            if !self.streams.fill_now(left) || left.is_zero() {
                return;
            }
        }
        // The pipes close shortly before the program exits.
        while self.ended.is_none() && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            self.ended = self.tree.wait_now(left);
        }
        if self.ended.is_some() {
            self.tree.end_if_over();
        }
    }

    /// Does nothing: on other systems, only the runtime can wait with a timeout.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "used on Linux")]
    pub(crate) fn wait_briefly(&mut self, _limit: Duration) {}

    /// Adds `work` to be done after all processes have exited, even if the call is dropped, and after
    /// the work that was added before. It may block.
    #[cfg(target_os = "linux")]
    pub(crate) fn after_exit(
        &mut self,
        work: impl FnOnce() -> Vec<RunNotice> + Send + Sync + 'static,
    ) {
        let notices = Arc::clone(&self.notices);
        self.tree.after_exit(move || {
            let messages = work();
            let mut received = notices.lock().unwrap_or_else(PoisonError::into_inner);
            received.extend(messages);
        });
    }

    /// Reads until the program exits, `limit` expires or the call is cancelled. Then kills all
    /// remaining processes.
    ///
    /// # Errors
    /// Returns an error if the system does not report the exit status, or if the cleanup fails.
    pub(crate) async fn finish(
        mut self,
        limit: Duration,
        cx: &ToolContext,
    ) -> Result<Outcome, ToolError> {
        let watched = cx
            .cancellation()
            .run_until_cancelled(timeout(limit, self.watch(cx)))
            .await;
        let end = match watched {
            // Neither is an error here: the caller adds the output until then.
            None => RunEnd::Cancelled,
            Some(Err(_elapsed)) => RunEnd::TimedOut,
            Some(Ok(Ok(status))) => RunEnd::Exited(status),
            // Returning drops the run, which kills the program.
            Some(Ok(Err(error))) => return Err(start_error(error)),
        };
        let left = self.clean_up().await;
        let notices = mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner));
        notices
            .into_iter()
            .try_for_each(|notice| notice.report(cx))?;
        Ok(self.streams.into_outcome(end, left))
    }

    /// Reads until the program has exited and its pipes are closed, but for at most [`PIPE_GRACE`]
    /// after the exit.
    async fn watch(&mut self, cx: &ToolContext) -> io::Result<ExitStatus> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        let mut ticks = interval(PROGRESS_INTERVAL);
        // After a pause of the runtime, the default would report several times in a row.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick of an interval is immediate; there is nothing to report yet.
        ticks.reset();
        let mut reported = 0;
        let status = loop {
            tokio::select! {
                status = self.tree.wait() => break status?,
                () = self.streams.fill() => {}
                _ = ticks.tick() => reported = self.report(reported, cx),
            }
        };
        // Not an error: the remaining processes that hold a pipe are killed next.
        let _ = timeout(PIPE_GRACE, self.streams.drain()).await;
        Ok(status)
    }

    /// Kills the remaining processes and reads their last output. Returns how many there were.
    async fn clean_up(&mut self) -> usize {
        // Continue reading while the processes are killed, because a program that blocks on a full
        // pipe cannot clean up.
        let mut ended = pin!(self.tree.end());
        let left = loop {
            tokio::select! {
                left = &mut ended => break left,
                () = self.streams.fill() => {}
            }
        };
        // The pipes of a dead program can be read immediately.
        let _ = timeout(LAST_READ, self.streams.drain()).await;
        left
    }

    /// Reports output received after the first `reported` bytes. Returns the total number of bytes.
    fn report(&mut self, reported: u64, cx: &ToolContext) -> u64 {
        let total = self.streams.total();
        if total > reported {
            let lines = self.streams.take_lines();
            if let Some(last) = lines.as_deref().and_then(last_line) {
                self.last_line = last;
            }
            cx.progress(&Progress::new(&*self.last_line).with_position(total, None));
            if let Some(lines) = lines {
                cx.partial(lines);
            }
        }
        total
    }
}

/// Returns the beginning of the last line that is not blank.
fn last_line(lines: &str) -> Option<String> {
    let line = lines.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.trim().chars().take(MAX_PROGRESS_CHARS).collect())
}

/// Message about a run that has finished.
#[derive(Debug)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "only the sandbox creates notices")
)]
pub(crate) enum RunNotice {
    /// Entry for the metadata.
    Note(&'static str, Value),
    /// Warning for the model.
    Warning(String),
    /// Path that the command changed.
    Affected(String),
    /// Failure of the call.
    Failure(ToolError),
}

impl RunNotice {
    /// Adds the message to the result of the call.
    ///
    /// # Errors
    /// Returns the failure.
    pub(crate) fn report(self, cx: &ToolContext) -> Result<(), ToolError> {
        match self {
            Self::Note(key, value) => cx.note(key, value),
            Self::Warning(sentence) => cx.warn(sentence),
            Self::Affected(path) => cx.affected(path),
            Self::Failure(error) => return Err(error),
        }
        Ok(())
    }
}

/// Maximum time for which dropping the last owner waits. Programs normally exit within a tenth of
/// it.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Programs of tools that are dropped together. Dropping the last clone waits until the programs
/// have exited, so that a host that exits afterwards leaves none.
#[derive(Clone)]
pub(crate) struct ExitBarrier(Arc<Inner>);

struct Inner {
    /// `None` only during drop.
    sender: Option<ExitToken>,
    ended: Mutex<Receiver<Infallible>>,
}

/// Part of a program that is dropped when all its processes have exited.
// Nothing is ever sent: the receiver wakes up when the last sender is dropped, even if its thread panics.
pub(crate) type ExitToken = Sender<Infallible>;

impl ExitBarrier {
    /// Returns a value that delays the drop of the last owner while it exists.
    pub(crate) fn running(&self) -> Option<ExitToken> {
        self.0.sender.clone()
    }
}

impl Default for ExitBarrier {
    fn default() -> Self {
        let (sender, ended) = mpsc::channel();
        Self(Arc::new(Inner {
            sender: Some(sender),
            ended: Mutex::new(ended),
        }))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Our own sender first, or the wait below could only finish by its timeout.
        self.sender = None;
        let ended = self.ended.get_mut();
        // An error means that no program is left, or that one takes too long.
        let _ = ended
            .unwrap_or_else(PoisonError::into_inner)
            .recv_timeout(MAX_WAIT);
    }
}

tool_core::debug_fields!(ExitBarrier);
