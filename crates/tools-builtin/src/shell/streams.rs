//! The two outputs of a running program, each by itself and both as one.

use std::future::pending;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStderr, ChildStdout};

use super::capture::Capture;

const READ_BYTES: usize = 16 * 1024;

/// What is still open of the outputs of a program, and what came so far.
#[derive(Debug)]
pub(crate) struct Streams {
    stdout: Stream<ChildStdout>,
    stderr: Stream<ChildStderr>,
    both: Capture,
}

impl Streams {
    /// Takes the pipes of `child`, and keeps `capture_bytes` of each.
    pub(crate) fn of(child: &mut Child, capture_bytes: usize) -> Self {
        Self {
            stdout: Stream::new(child.stdout.take(), capture_bytes),
            stderr: Stream::new(child.stderr.take(), capture_bytes),
            both: Capture::new(capture_bytes),
        }
    }

    /// Reads once from where something is to be read; does not return when both are closed. Giving up loses nothing.
    pub(crate) async fn fill(&mut self) {
        let fresh = tokio::select! {
            count = self.stdout.read() => self.stdout.take(count),
            count = self.stderr.read() => self.stderr.take(count),
        };
        self.both.push(fresh);
    }

    /// Reads until both are closed.
    pub(crate) async fn drain(&mut self) {
        while self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
            self.fill().await;
        }
    }

    /// How many bytes came in all.
    pub(crate) fn total(&self) -> u64 {
        self.both.total()
    }

    /// The last line that is not blank, cut to `max_chars`.
    pub(crate) fn last_line(&self, max_chars: usize) -> Option<String> {
        self.both.last_line(max_chars)
    }

    /// What came on the standard output, on the standard error, and on both.
    pub(crate) fn into_captures(self) -> [Capture; 3] {
        [self.stdout.capture, self.stderr.capture, self.both]
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

    /// Reads into the buffer; a closed pipe never answers.
    async fn read(&mut self) -> usize {
        match &mut self.pipe {
            // A pipe that cannot be read is one that has ended.
            Some(pipe) => pipe.read(&mut self.buffer).await.unwrap_or(0),
            None => pending().await,
        }
    }

    /// Keeps what was read, and lends it; nothing was read from a pipe that has ended.
    fn take(&mut self, count: usize) -> &[u8] {
        let fresh = self.buffer.get(..count).unwrap_or_default();
        if fresh.is_empty() {
            self.pipe = None;
        }
        self.capture.push(fresh);
        fresh
    }
}
