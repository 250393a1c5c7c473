//! Running one program to its end, its timeout or its cancellation, with bounded output and nothing left behind.

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use std::future::pending;
use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tool_core::{Progress, ToolContext, ToolError};

use super::capture::Capture;
use super::cookie::Cookie;
use super::program::{Program, start_error};
use super::tree::{ProcessTree, Remark};
use crate::blocking::blocking;

/// How long the pipes may stay open after the program has ended: a child of its own may hold them.
const PIPE_GRACE: Duration = Duration::from_millis(250);

/// How long the last bytes may take once nothing runs any more.
const LAST_READ: Duration = Duration::from_millis(20);

/// How often progress is reported at most.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// How much of a line is reported as progress.
const MAX_PROGRESS_CHARS: usize = 200;

const READ_BYTES: usize = 16 * 1024;

/// What one run may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// How long it may take.
    pub(crate) timeout: Duration,
    /// How many bytes of each stream are kept.
    pub(crate) capture_bytes: usize,
}

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
}

/// Runs `program`. When the future is dropped, the program ends with everything it started.
///
/// # Errors
/// The program cannot be found or started.
pub(crate) async fn run(
    program: &Program,
    budget: Budget,
    cx: &ToolContext,
) -> Result<Outcome, ToolError> {
    if cx.cancellation().is_cancelled() {
        return Err(ToolError::cancelled());
    }
    let mut run = start(program, budget.capture_bytes, cx).await?;
    let watched = cx
        .cancellation()
        .run_until_cancelled(timeout(budget.timeout, run.watch(cx)))
        .await;
    let end = match watched {
        None => End::Cancelled,
        Some(Err(_elapsed)) => End::TimedOut,
        Some(Ok(Ok(status))) => End::Exited(status),
        Some(Ok(Err(error))) => return Err(start_error(error)),
    };
    for remark in run.clean_up().await {
        remark.say(cx);
    }
    Ok(Outcome {
        end,
        stdout: run.stdout.capture,
        stderr: run.stderr.capture,
    })
}

/// Starts `program`, in its sandbox where it has one.
async fn start(
    program: &Program,
    capture_bytes: usize,
    cx: &ToolContext,
) -> Result<Run, ToolError> {
    let Some(confinement) = program.confinement.clone() else {
        return Run::start(program, capture_bytes);
    };
    let (program, context) = (program.clone(), cx.clone());
    blocking(cx, move |_| {
        confinement.start(program.environment.clone(), &context, |environment| {
            let program = Program {
                environment,
                ..program
            };
            Run::start(&program, capture_bytes)
        })
    })
    .await
}

/// A running program. When it is dropped, the program ends with everything it started.
#[derive(Debug)]
pub(crate) struct Run {
    tree: ProcessTree,
    stdout: Stream<ChildStdout>,
    stderr: Stream<ChildStderr>,
}

impl Run {
    fn start(program: &Program, capture_bytes: usize) -> Result<Self, ToolError> {
        let cookie = Cookie::random();
        let mut child = program.command(&cookie)?.spawn().map_err(start_error)?;
        let stdout = Stream::new(child.stdout.take(), capture_bytes);
        let stderr = Stream::new(child.stderr.take(), capture_bytes);
        Ok(Self {
            tree: ProcessTree::new(child, cookie),
            stdout,
            stderr,
        })
    }

    /// Does `work` when nothing of the program runs any more, however the call ends. It may block.
    #[cfg_attr(
        not(feature = "sandbox"),
        expect(dead_code, reason = "only a sandbox leaves work")
    )]
    pub(crate) fn afterwards(
        &mut self,
        work: impl FnOnce() -> Vec<Remark> + Send + Sync + 'static,
    ) {
        self.tree.afterwards(work);
    }

    /// Reads until the program has ended and its pipes are closed, or shortly after its end where they are not.
    async fn watch(&mut self, cx: &ToolContext) -> io::Result<ExitStatus> {
        let mut ticks = interval(PROGRESS_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks.reset();
        let mut reported = 0;
        let status = loop {
            tokio::select! {
                status = self.tree.wait() => break status?,
                () = self.stdout.fill() => {}
                () = self.stderr.fill() => {}
                _ = ticks.tick() => reported = self.report(reported, cx),
            }
        };
        // Not an error: whatever still holds a pipe is ended next.
        let _ = timeout(PIPE_GRACE, self.drain()).await;
        Ok(status)
    }

    /// Ends what still runs, and takes what was written until then.
    async fn clean_up(&mut self) -> Vec<Remark> {
        let remarks = self.end_while_reading().await;
        // What lies in the pipes of a dead program can be read at once.
        let _ = timeout(LAST_READ, self.drain()).await;
        remarks
    }

    /// Reads on while the tree ends: a program that cannot write would not tidy up either.
    async fn end_while_reading(&mut self) -> Vec<Remark> {
        let mut ended = pin!(self.tree.end());
        loop {
            tokio::select! {
                remarks = &mut ended => return remarks,
                () = self.stdout.fill() => {}
                () = self.stderr.fill() => {}
            }
        }
    }

    async fn drain(&mut self) {
        while self.stdout.is_open() || self.stderr.is_open() {
            tokio::select! {
                () = self.stdout.fill() => {}
                () = self.stderr.fill() => {}
            }
        }
    }

    /// Reports what came since `reported` bytes, and how many bytes that makes.
    fn report(&self, reported: u64, cx: &ToolContext) -> u64 {
        let total = self.stdout.capture.total() + self.stderr.capture.total();
        if total > reported {
            let line = self.stdout.capture.last_line(MAX_PROGRESS_CHARS);
            let line = line.or_else(|| self.stderr.capture.last_line(MAX_PROGRESS_CHARS));
            cx.progress(&Progress::new(line.unwrap_or_default()).with_position(total, None));
        }
        total
    }
}

/// One output of a program: what is still open, and what came so far.
#[derive(Debug)]
struct Stream<R> {
    pipe: Option<R>,
    buffer: Vec<u8>,
    capture: Capture,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(pipe: Option<R>, capture_bytes: usize) -> Self {
        Self {
            pipe,
            buffer: vec![0; READ_BYTES],
            capture: Capture::new(capture_bytes),
        }
    }

    fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Reads once; a closed pipe never answers. Giving up the read loses nothing.
    async fn fill(&mut self) {
        let Some(pipe) = &mut self.pipe else {
            return pending().await;
        };
        let read = pipe.read(&mut self.buffer).await.unwrap_or(0);
        match self.buffer.get(..read) {
            Some(bytes) if !bytes.is_empty() => self.capture.push(bytes),
            _ => self.pipe = None,
        }
    }
}
