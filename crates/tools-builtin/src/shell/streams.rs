//! The two outputs of a running program, each by itself and both as one.

use std::future::pending;
use std::mem;
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::time::Duration;

use super::background::Tail;
use super::capture::Capture;
use super::child::Pipe;
#[cfg(target_os = "linux")]
use super::child::readable;
use super::live::Live;

const READ_BYTES: usize = 16 * 1024;

/// How long a line of one stream may be before it is put among the lines of the other although it has no end yet.
const MAX_LINE_BYTES: usize = 4 * 1024;

/// What is still open of the outputs of a program, and what came so far.
#[derive(Debug)]
pub(crate) struct Streams {
    stdout: Stream,
    stderr: Stream,
    both: Both,
    stderr_spoke_last: bool,
}

impl Streams {
    /// Reads from these, and keeps `capture_bytes` of each.
    pub(crate) fn of([stdout, stderr]: [Option<Pipe>; 2], capture_bytes: usize) -> Self {
        Self {
            stdout: Stream::new(stdout, capture_bytes),
            stderr: Stream::new(stderr, capture_bytes),
            both: Both {
                capture: Capture::new(capture_bytes),
                live: Live::default(),
                tail: None,
            },
            stderr_spoke_last: false,
        }
    }

    /// Gives everything that comes to `tail` as well.
    pub(crate) fn tell(&mut self, tail: Arc<Tail>) {
        self.both.tail = Some(tail);
    }

    /// Reads once from where something is to be read; does not return when both are closed. Giving up loses nothing.
    pub(crate) async fn fill(&mut self) {
        tokio::select! {
            count = self.stdout.read() => self.take_stdout(count),
            count = self.stderr.read() => self.take_stderr(count),
        }
    }

    /// Waits until something is to be read or `limit` is over, and reads once from where it is; whether there was
    /// something. It blocks.
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

    /// Reads until both are closed.
    pub(crate) async fn drain(&mut self) {
        while self.are_open() {
            self.fill().await;
        }
    }

    /// Whether something may still come.
    pub(crate) fn are_open(&self) -> bool {
        self.stdout.is_open || self.stderr.is_open
    }

    /// What is only to be dropped, which takes the system a while.
    pub(crate) fn take_closed(&mut self) -> [Option<Pipe>; 2] {
        [&mut self.stdout, &mut self.stderr].map(|stream| stream.pipe.take_if(|_| !stream.is_open))
    }

    fn take_stdout(&mut self, count: usize) {
        self.stdout.take(count, &mut self.both);
        self.stderr_spoke_last &= count == 0;
    }

    fn take_stderr(&mut self, count: usize) {
        self.stderr.take(count, &mut self.both);
        self.stderr_spoke_last |= count > 0;
    }

    /// How many bytes came in all.
    pub(crate) fn total(&self) -> u64 {
        self.stdout.capture.total() + self.stderr.capture.total()
    }

    /// The last line that is not blank, of the stream that spoke last, cut to `max_chars`.
    pub(crate) fn last_line(&self, max_chars: usize) -> Option<String> {
        if self.stderr_spoke_last {
            self.stderr.capture.last_line(max_chars)
        } else {
            self.stdout.capture.last_line(max_chars)
        }
    }

    /// The lines that came since they were last taken.
    pub(crate) fn take_lines(&mut self) -> Option<String> {
        self.both.live.take()
    }

    /// What came on the standard output, on the standard error, and on both.
    pub(crate) fn into_captures(mut self) -> [Capture; 3] {
        if !self.stdout.line.is_empty() && !self.stderr.line.is_empty() {
            self.stdout.line.push(b'\n');
        }
        self.both.push(&self.stdout.line);
        self.both.push(&self.stderr.line);
        [self.stdout.capture, self.stderr.capture, self.both.capture]
    }
}

/// Both outputs as one, line by line in the order in which they came.
#[derive(Debug)]
struct Both {
    capture: Capture,
    live: Live,
    /// Who reads along, without waiting for the ends of lines.
    tail: Option<Arc<Tail>>,
}

impl Both {
    fn push(&mut self, bytes: &[u8]) {
        self.capture.push(bytes);
        if self.tail.is_none() {
            self.live.push(bytes);
        }
    }
}

/// One output of a program: what is still open, and what came so far.
#[derive(Debug)]
struct Stream {
    pipe: Option<Pipe>,
    is_open: bool,
    buffer: Vec<u8>,
    capture: Capture,
    /// The beginning of a line whose end has not come.
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

    /// Reads into the buffer; a closed pipe never answers.
    async fn read(&mut self) -> usize {
        match &mut self.pipe {
            // A pipe that cannot be read is one that has ended.
            Some(pipe) if self.is_open => pipe.read(&mut self.buffer).await.unwrap_or(0),
            _ => pending().await,
        }
    }

    #[cfg(target_os = "linux")]
    fn open(&self) -> Option<&Pipe> {
        self.pipe.as_ref().filter(|_| self.is_open)
    }

    /// Reads into the buffer what is there.
    #[cfg(target_os = "linux")]
    fn read_now(&mut self) -> usize {
        let pipe = self.pipe.as_mut();
        pipe.and_then(|pipe| pipe.read_now(&mut self.buffer).ok())
            .unwrap_or(0)
    }

    /// Keeps what was read and gives whole lines of it to `both`; nothing was read from a pipe that has ended.
    fn take(&mut self, count: usize, both: &mut Both) {
        let fresh = self.buffer.get(..count).unwrap_or_default();
        self.is_open &= !fresh.is_empty();
        self.capture.push(fresh);
        if let Some(tail) = &both.tail {
            tail.push(fresh);
        }
        let end = memchr::memrchr(b'\n', fresh).map_or(0, |end| end + 1);
        let (lines, rest) = fresh.split_at(end);
        if !lines.is_empty() || self.line.len() + rest.len() > MAX_LINE_BYTES {
            both.push(&mem::take(&mut self.line));
            both.push(lines);
        }
        if self.line.is_empty() && rest.len() > MAX_LINE_BYTES {
            both.push(rest);
        } else {
            self.line.extend_from_slice(rest);
        }
    }
}
