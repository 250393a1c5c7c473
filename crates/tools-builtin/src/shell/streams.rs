//! Output streams of a running program, separate and combined, and the recent part of a long one.

use std::collections::VecDeque;
use std::future::pending;
use std::mem;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
#[cfg(target_os = "linux")]
use std::time::Duration;

use process_tree::Pipe;
#[cfg(target_os = "linux")]
use process_tree::readable;

use super::capture::{Capture, Live};
use super::printed::{Printed, PrintedBytes};

const READ_BYTES: usize = 16 * 1024;

/// Maximum length of an incomplete line before it is added to the combined output.
const MAX_LINE_BYTES: usize = 4 * 1024;

/// What to keep of each stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    /// Bytes as the program writes them.
    pub(crate) raw: usize,
    /// Bytes of the readable text, for a model.
    pub(crate) printed: Option<PrintedBytes>,
}

impl Kept {
    /// Keeps bytes as the program writes them.
    pub(crate) fn raw(raw: usize) -> Self {
        Self { raw, printed: None }
    }
}

/// Reason for the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunEnd {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
}

/// Result of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) end: RunEnd,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
    /// Both streams in the order received.
    pub(crate) combined: Capture,
    /// Both streams for a model, if the tool shows them that way.
    pub(crate) printed: Option<Box<[Printed; 2]>>,
    /// Number of processes that were killed after the program had exited.
    pub(crate) left: usize,
}

impl Outcome {
    /// Returns the exit code of a program that exited.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        self.status()?.code()
    }

    /// Returns the signal that killed the program, unless it was killed at its timeout or by
    /// cancellation.
    #[cfg(unix)]
    pub(crate) fn signal(&self) -> Option<i32> {
        std::os::unix::process::ExitStatusExt::signal(&self.status()?)
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "used on Unix")]
    pub(crate) fn signal(&self) -> Option<i32> {
        None
    }

    fn status(&self) -> Option<ExitStatus> {
        match self.end {
            RunEnd::Exited(status) => Some(status),
            RunEnd::TimedOut | RunEnd::Cancelled => None,
        }
    }
}

/// Open pipes of a program, and the output received so far.
#[derive(Debug)]
pub(crate) struct Streams {
    stdout: Stream,
    stderr: Stream,
    combined: CombinedOutput,
}

impl Streams {
    /// Creates streams that keep `kept` of each pipe.
    pub(crate) fn of([stdout, stderr]: [Option<Pipe>; 2], kept: Kept) -> Self {
        Self {
            stdout: Stream::new(stdout, kept),
            stderr: Stream::new(stderr, kept),
            combined: CombinedOutput {
                capture: Capture::new(kept.raw),
                live: Live::default(),
                tail: None,
            },
        }
    }

    /// Also sends the output to `tail`.
    pub(crate) fn send_to(&mut self, tail: Arc<Tail>) {
        self.combined.tail = Some(tail);
    }

    /// Reads once from a ready pipe. Never completes if both pipes are closed. Cancel safe.
    pub(crate) async fn fill(&mut self) {
        tokio::select! {
            count = self.stdout.read() => self.stdout.take(count, &mut self.combined),
            count = self.stderr.read() => self.stderr.take(count, &mut self.combined),
        }
    }

    /// Waits for at most `limit` until a pipe is ready, then reads from it. Returns `false` on
    /// timeout. Blocks.
    #[cfg(target_os = "linux")]
    pub(crate) fn fill_now(&mut self, limit: Duration) -> bool {
        let [from_stdout, from_stderr] = readable([self.stdout.open(), self.stderr.open()], limit);
        if from_stdout {
            let count = self.stdout.read_now();
            self.stdout.take(count, &mut self.combined);
        }
        if from_stderr {
            let count = self.stderr.read_now();
            self.stderr.take(count, &mut self.combined);
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

    pub(crate) fn total(&self) -> u64 {
        self.stdout.capture.total() + self.stderr.capture.total()
    }

    /// Returns the complete lines since the last call.
    pub(crate) fn take_lines(&mut self) -> Option<String> {
        self.combined.live.take()
    }

    /// Returns what was kept of standard output, standard error and both combined.
    pub(crate) fn into_outcome(mut self, end: RunEnd, left: usize) -> Outcome {
        // Both streams stopped without a newline: keep them on separate lines.
        if !self.stdout.line.is_empty() && !self.stderr.line.is_empty() {
            self.stdout.line.push(b'\n');
        }
        self.combined.push(&self.stdout.line);
        self.combined.push(&self.stderr.line);
        let printed = self.stdout.printed.zip(self.stderr.printed);
        Outcome {
            end,
            stdout: self.stdout.capture,
            stderr: self.stderr.capture,
            combined: self.combined.capture,
            printed: printed.map(|(mut stdout, mut stderr)| {
                stdout.finish();
                stderr.finish();
                Box::new([stdout, stderr])
            }),
            left,
        }
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
    printed: Option<Printed>,
    /// Incomplete last line.
    line: Vec<u8>,
}

impl Stream {
    fn new(pipe: Option<Pipe>, kept: Kept) -> Self {
        Self {
            is_open: pipe.is_some(),
            pipe,
            buffer: vec![0; READ_BYTES],
            capture: Capture::new(kept.raw),
            printed: kept.printed.map(Printed::new),
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
        if let Some(printed) = &mut self.printed {
            printed.push(received);
        }
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

/// Maximum bytes kept of an output.
pub(super) const MAX_BYTES: usize = 64 * 1024;

/// Keeps the last bytes of an output and their offset.
#[derive(Debug, Default)]
pub(crate) struct Tail(Mutex<TailBuffer>);

#[derive(Debug, Default)]
struct TailBuffer {
    bytes: VecDeque<u8>,
    total: u64,
}

/// Part of an output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutputPart {
    pub(super) text: String,
    /// Offset of the next part.
    pub(super) next_offset: u64,
    /// Bytes between the requested offset and the first retained byte.
    pub(super) omitted: u64,
}

impl Tail {
    /// Appends bytes and drops the oldest ones.
    pub(crate) fn push(&self, bytes: &[u8]) {
        let mut buffer = self.buffer();
        // Count what is dropped too: offsets are positions in the complete output.
        buffer.total = buffer.total.saturating_add(bytes.len() as u64);
        let (_, last) = bytes.split_at(bytes.len().saturating_sub(MAX_BYTES));
        let overflow = (buffer.bytes.len() + last.len()).saturating_sub(MAX_BYTES);
        buffer.bytes.drain(..overflow);
        buffer.bytes.extend(last);
    }

    /// Returns the number of bytes received.
    pub(super) fn total(&self) -> u64 {
        self.buffer().total
    }

    /// Returns the output from `offset`. An incomplete character at the end is left for the next part, unless `is_over`.
    pub(super) fn read(&self, offset: u64, is_over: bool) -> OutputPart {
        let buffer = self.buffer();
        let oldest = buffer.total - buffer.bytes.len() as u64;
        let begin = offset.clamp(oldest, buffer.total);
        let skipped = usize::try_from(begin - oldest).unwrap_or(usize::MAX);
        let bytes: Vec<u8> = buffer.bytes.iter().skip(skipped).copied().collect();
        let whole = match std::str::from_utf8(&bytes) {
            // `error_len` is `None` only for an incomplete character at the end; invalid bytes elsewhere become U+FFFD.
            Err(error) if error.error_len().is_none() && !is_over => error.valid_up_to(),
            _ => bytes.len(),
        };
        let text = String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default()).into_owned();
        OutputPart {
            text,
            next_offset: begin + whole as u64,
            omitted: begin.saturating_sub(offset),
        }
    }

    fn buffer(&self) -> MutexGuard<'_, TailBuffer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(text: &str, next_offset: u64, omitted: u64) -> OutputPart {
        OutputPart {
            text: text.to_owned(),
            next_offset,
            omitted,
        }
    }

    #[test]
    fn parts_are_contiguous() {
        let tail = Tail::default();
        tail.push(b"one\nt");
        assert_eq!(tail.read(0, false), part("one\nt", 5, 0));
        tail.push(b"wo\n");

        assert_eq!(tail.read(5, false), part("wo\n", 8, 0));
        assert_eq!(tail.read(8, false), part("", 8, 0));
        assert_eq!(tail.read(99, false), part("", 8, 0));
    }

    #[test]
    fn counts_dropped_bytes() {
        let tail = Tail::default();
        tail.push(&vec![b'x'; MAX_BYTES]);
        tail.push(b"last");

        let read = tail.read(1, false);

        assert_eq!((read.omitted, read.text.len()), (3, MAX_BYTES));
        assert!(read.text.ends_with("xlast"));
        assert!(tail.buffer().bytes.capacity() <= 2 * MAX_BYTES);
    }

    #[test]
    fn incomplete_character_waits_for_rest() {
        let tail = Tail::default();
        tail.push("aä".as_bytes().split_last().unwrap().1);

        assert_eq!(tail.read(0, false), part("a", 1, 0));
        assert_eq!(tail.read(0, true), part("a\u{fffd}", 2, 0));
        tail.push(&[0xa4]);
        assert_eq!(tail.read(1, false), part("ä", 3, 0));
    }

    proptest! {
        #[test]
        fn concatenated_parts_equal_output(text: String, size in 1_usize..40) {
            let tail = Tail::default();
            let (mut read, mut offset) = (String::new(), 0);

            for chunk in text.as_bytes().chunks(size) {
                tail.push(chunk);
                let part = tail.read(offset, false);
                read.push_str(&part.text);
                offset = part.next_offset;
            }

            prop_assert_eq!(read, text);
        }
    }
}
