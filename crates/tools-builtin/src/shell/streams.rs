//! Output streams of a running program, separate and combined.

use std::future::pending;
use std::mem;
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::time::Duration;

use process_tree::Pipe;
#[cfg(target_os = "linux")]
use process_tree::readable;

use super::background::Tail;
use super::capture::Capture;
use super::live::Live;

const READ_BYTES: usize = 16 * 1024;

/// Maximum length of an incomplete line before it is added to the combined output.
const MAX_LINE_BYTES: usize = 4 * 1024;

/// Open pipes of a program, and the output received so far.
#[derive(Debug)]
pub(crate) struct Streams {
    stdout: Stream,
    stderr: Stream,
    combined: CombinedOutput,
    stderr_was_last: bool,
}

impl Streams {
    /// Creates streams that keep `capture_bytes` of each pipe.
    pub(crate) fn of([stdout, stderr]: [Option<Pipe>; 2], capture_bytes: usize) -> Self {
        Self {
            stdout: Stream::new(stdout, capture_bytes),
            stderr: Stream::new(stderr, capture_bytes),
            combined: CombinedOutput {
                capture: Capture::new(capture_bytes),
                live: Live::default(),
                tail: None,
            },
            stderr_was_last: false,
        }
    }

    /// Also sends the output to `tail`.
    pub(crate) fn send_to(&mut self, tail: Arc<Tail>) {
        self.combined.tail = Some(tail);
    }

    /// Reads once from a ready pipe. Never completes if both pipes are closed. Cancel safe.
    pub(crate) async fn fill(&mut self) {
        tokio::select! {
            count = self.stdout.read() => self.take_stdout(count),
            count = self.stderr.read() => self.take_stderr(count),
        }
    }

    /// Waits for at most `limit` until a pipe is ready, then reads from it. Returns `false` on
    /// timeout. Blocks.
    #[cfg(target_os = "linux")]
    pub(crate) fn fill_now(&mut self, limit: Duration) -> bool {
        let [from_stdout, from_stderr] = readable([self.stdout.open(), self.stderr.open()], limit);
        if from_stdout {
            let count = self.stdout.read_now();
            self.take_stdout(count);
        }
        if from_stderr {
            let count = self.stderr.read_now();
            self.take_stderr(count);
        }
        from_stdout || from_stderr
    }

    /// Reads until both pipes are closed.
    pub(crate) async fn drain(&mut self) {
        while self.are_open() {
            self.fill().await;
        }
    }

    pub(crate) fn are_open(&self) -> bool {
        self.stdout.is_open || self.stderr.is_open
    }

    /// Takes the closed pipes, because closing them takes time.
    pub(crate) fn take_closed(&mut self) -> [Option<Pipe>; 2] {
        [&mut self.stdout, &mut self.stderr].map(|stream| stream.pipe.take_if(|_| !stream.is_open))
    }

    fn take_stdout(&mut self, count: usize) {
        self.stdout.take(count, &mut self.combined);
        self.stderr_was_last &= count == 0;
    }

    fn take_stderr(&mut self, count: usize) {
        self.stderr.take(count, &mut self.combined);
        self.stderr_was_last |= count > 0;
    }

    pub(crate) fn total(&self) -> u64 {
        self.stdout.capture.total() + self.stderr.capture.total()
    }

    /// Returns the last line that is not blank from the most recently active stream, truncated to
    /// `max_chars`.
    pub(crate) fn last_line(&self, max_chars: usize) -> Option<String> {
        if self.stderr_was_last {
            self.stderr.capture.last_line(max_chars)
        } else {
            self.stdout.capture.last_line(max_chars)
        }
    }

    /// Returns the complete lines since the last call.
    pub(crate) fn take_lines(&mut self) -> Option<String> {
        self.combined.live.take()
    }

    /// Returns the captures of standard output, standard error and both combined.
    pub(crate) fn into_captures(mut self) -> [Capture; 3] {
        // Both streams stopped without a newline: keep them on separate lines.
        if !self.stdout.line.is_empty() && !self.stderr.line.is_empty() {
            self.stdout.line.push(b'\n');
        }
        self.combined.push(&self.stdout.line);
        self.combined.push(&self.stderr.line);
        [
            self.stdout.capture,
            self.stderr.capture,
            self.combined.capture,
        ]
    }
}

/// Combined output, by lines in the order received.
#[derive(Debug)]
struct CombinedOutput {
    capture: Capture,
    live: Live,
    /// Receives all output immediately, without waiting for complete lines.
    tail: Option<Arc<Tail>>,
}

impl CombinedOutput {
    fn push(&mut self, bytes: &[u8]) {
        self.capture.push(bytes);
        if self.tail.is_none() {
            self.live.push(bytes);
        }
    }
}

/// One output stream of a program.
#[derive(Debug)]
struct Stream {
    pipe: Option<Pipe>,
    is_open: bool,
    buffer: Vec<u8>,
    capture: Capture,
    /// Incomplete last line.
    line: Vec<u8>,
}

impl Stream {
    fn new(pipe: Option<Pipe>, capture_bytes: usize) -> Self {
        Self {
            is_open: pipe.is_some(),
            pipe,
            buffer: vec![0; READ_BYTES],
            capture: Capture::new(capture_bytes),
            line: Vec::new(),
        }
    }

    /// Reads into the buffer. Never completes if the pipe is closed.
    async fn read(&mut self) -> usize {
        match &mut self.pipe {
            // Treat read errors as the end of the stream.
            Some(pipe) if self.is_open => pipe.read(&mut self.buffer).await.unwrap_or(0),
            _ => pending().await,
        }
    }

    #[cfg(target_os = "linux")]
    fn open(&self) -> Option<&Pipe> {
        self.pipe.as_ref().filter(|_| self.is_open)
    }

    #[cfg(target_os = "linux")]
    fn read_now(&mut self) -> usize {
        let pipe = self.pipe.as_mut();
        pipe.and_then(|pipe| pipe.read_now(&mut self.buffer).ok())
            .unwrap_or(0)
    }

    /// Captures `count` bytes of the buffer and adds complete lines to `combined`. A count of 0 is the
    /// end of the stream.
    fn take(&mut self, count: usize, combined: &mut CombinedOutput) {
        let received = self.buffer.get(..count).unwrap_or_default();
        self.is_open &= !received.is_empty();
        self.capture.push(received);
        if let Some(tail) = &combined.tail {
            tail.push(received);
        }
        let end = memchr::memrchr(b'\n', received).map_or(0, |end| end + 1);
        let (lines, rest) = received.split_at(end);
        // Complete lines keep the two streams from being mixed within a line; the limit keeps memory constant.
        if !lines.is_empty() || self.line.len() + rest.len() > MAX_LINE_BYTES {
            combined.push(&mem::take(&mut self.line));
            combined.push(lines);
        }
        if self.line.is_empty() && rest.len() > MAX_LINE_BYTES {
            combined.push(rest);
        } else {
            self.line.extend_from_slice(rest);
        }
    }
}
