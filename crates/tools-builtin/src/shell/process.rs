//! Running one program to its end, its timeout or its cancellation, with bounded output and nothing left behind.

#[cfg(test)]
#[cfg(target_os = "linux")]
pub(crate) mod tests;

use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::thread;
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

use tokio::time::{MissedTickBehavior, interval, timeout};
use tool_core::{Progress, ToolContext, ToolError};

use super::background::Tail;
use super::capture::Capture;
use super::child::Pipe;
use super::cookie::Cookie;
use super::program::{Program, start_error};
use super::remark::Remark;
use super::streams::Streams;
use super::tree::ProcessTree;

/// How long the thread that started a program waits for its end: what takes no longer costs one change of threads less
/// there and back, and what does is not held up.
#[cfg(target_os = "linux")]
const FIRST_WAIT: Duration = Duration::from_millis(10);

/// How long to wait before looking again for a program that has closed its output.
#[cfg(target_os = "linux")]
const PAUSE: Duration = Duration::from_micros(50);

/// How long the pipes may stay open after the program has ended: a child of its own may hold them.
const PIPE_GRACE: Duration = Duration::from_millis(250);

/// How long the last bytes may take once nothing runs any more.
const LAST_READ: Duration = Duration::from_millis(20);

/// How often progress is reported at most.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// How much of a line is reported as progress.
const MAX_PROGRESS_CHARS: usize = 200;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The program ended by itself.
    Exited(ExitStatus),
    /// The program was ended at its timeout.
    TimedOut,
    /// The program was ended because the call was cancelled.
    Cancelled,
}

/// How a run ended, and what the program wrote until then.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// How it ended.
    pub(crate) end: End,
    /// What it wrote to its standard output.
    pub(crate) stdout: Capture,
    /// What it wrote to its standard error.
    pub(crate) stderr: Capture,
    /// Both in the order in which they came.
    pub(crate) both: Capture,
}

impl Outcome {
    /// The exit code of a program that ended by itself and not by a signal.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        self.status()?.code()
    }

    /// The number of the signal that ended a program which was not ended at its timeout or by cancellation.
    #[cfg(unix)]
    pub(crate) fn signal(&self) -> Option<i32> {
        std::os::unix::process::ExitStatusExt::signal(&self.status()?)
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "on Unix it is used")]
    pub(crate) fn signal(&self) -> Option<i32> {
        None
    }

    fn status(&self) -> Option<ExitStatus> {
        match self.end {
            End::Exited(status) => Some(status),
            End::TimedOut | End::Cancelled => None,
        }
    }
}

/// A running program. When it is dropped, the program ends with everything it started.
#[derive(Debug)]
pub(crate) struct Run {
    tree: ProcessTree,
    streams: Streams,
    /// How the program ended, where that was seen with the end of its output.
    ended: Option<ExitStatus>,
}

impl Run {
    /// Starts `program`, and keeps `capture_bytes` of each stream. It blocks for as long as the system takes to start it.
    ///
    /// # Errors
    /// The program cannot be found or started.
    pub(crate) fn start(
        program: &Program,
        capture_bytes: usize,
        cx: &ToolContext,
    ) -> Result<Self, ToolError> {
        let cookie = Cookie::random();
        let (child, pipes) = program.spawn(&cookie, cx)?;
        Ok(Self {
            tree: ProcessTree::new(child, cookie),
            streams: Streams::of(pipes, capture_bytes),
            ended: None,
        })
    }

    /// Waits for a program that ends at once, and for the end of its output. It blocks, but not for long, and never
    /// beyond `limit`.
    #[cfg(target_os = "linux")]
    pub(crate) fn wait_briefly(&mut self, limit: Duration) {
        let until = Instant::now() + limit.min(FIRST_WAIT);
        while self.streams.are_open() {
            let left = until.saturating_duration_since(Instant::now());
            if !self.streams.fill_now(left) || left.is_zero() {
                return;
            }
        }
        // The pipes close a moment before the program is gone.
        while Instant::now() < until {
            self.ended = self.tree.try_wait();
            if self.ended.is_some() {
                self.tree.is_over();
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Elsewhere only the runtime can wait for a program and no longer than it may.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    pub(crate) fn wait_briefly(&mut self, _limit: Duration) {}

    /// What is no longer needed of the run, to be dropped when there is time.
    pub(crate) fn take_closed(&mut self) -> [Option<Pipe>; 2] {
        self.streams.take_closed()
    }

    /// Does `work` when nothing of the program runs any more, however the call ends. It may block.
    #[cfg(feature = "sandbox")]
    pub(crate) fn afterwards(
        &mut self,
        work: impl FnOnce() -> Vec<Remark> + Send + Sync + 'static,
    ) {
        self.tree.afterwards(work);
    }

    /// Gives everything that the program writes to `tail` as well.
    pub(crate) fn tell(&mut self, tail: Arc<Tail>) {
        self.streams.tell(tail);
    }

    /// Reads until the program has ended, has run for `limit`, or is cancelled, and leaves nothing of it running.
    ///
    /// # Errors
    /// The system does not tell how the program ended.
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
            None => End::Cancelled,
            Some(Err(_elapsed)) => End::TimedOut,
            Some(Ok(Ok(status))) => End::Exited(status),
            Some(Ok(Err(error))) => return Err(start_error(error)),
        };
        for remark in self.clean_up().await {
            remark.say(cx);
        }
        let [stdout, stderr, both] = self.streams.into_captures();
        Ok(Outcome {
            end,
            stdout,
            stderr,
            both,
        })
    }

    /// Reads until the program has ended and its pipes are closed, or shortly after its end where they are not.
    async fn watch(&mut self, cx: &ToolContext) -> io::Result<ExitStatus> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        let mut ticks = interval(PROGRESS_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks.reset();
        let mut reported = 0;
        let status = loop {
            tokio::select! {
                status = self.tree.wait() => break status?,
                () = self.streams.fill() => {}
                _ = ticks.tick() => reported = self.report(reported, cx),
            }
        };
        // Not an error: whatever still holds a pipe is ended next.
        let _ = timeout(PIPE_GRACE, self.streams.drain()).await;
        Ok(status)
    }

    /// Ends what still runs, and takes what was written until then.
    async fn clean_up(&mut self) -> Vec<Remark> {
        let remarks = self.end_while_reading().await;
        // What lies in the pipes of a dead program can be read at once.
        let _ = timeout(LAST_READ, self.streams.drain()).await;
        remarks
    }

    /// Reads on while the tree ends: a program that cannot write would not tidy up either.
    async fn end_while_reading(&mut self) -> Vec<Remark> {
        let mut ended = pin!(self.tree.end());
        loop {
            tokio::select! {
                remarks = &mut ended => return remarks,
                () = self.streams.fill() => {}
            }
        }
    }

    /// Reports what came since `reported` bytes, and how many bytes that makes.
    fn report(&mut self, reported: u64, cx: &ToolContext) -> u64 {
        let total = self.streams.total();
        if total > reported {
            let line = self.streams.last_line(MAX_PROGRESS_CHARS);
            cx.progress(&Progress::new(line.unwrap_or_default()).with_position(total, None));
            if let Some(lines) = self.streams.take_lines() {
                cx.partial(lines);
            }
        }
        total
    }
}
