//! Transport to a local program or over a stream: one message per line.

mod response;

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use process_tree::Pipe;
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use self::response::{Raw, error, response_of};
use super::error::{OpenError, TOO_LARGE};
use super::link::Link;
use super::oversized::IdScanner;
use super::signals::Signals;
use crate::config::Protocol;
use crate::input::HostInput;

/// Size of one read in bytes.
const CHUNK: usize = 64 * 1024;

/// Maximum number of messages that wait for a program which does not read its input.
const QUEUE: usize = 64;

/// Output of a server.
pub(crate) enum Output {
    /// Standard output of a program.
    Program(Pipe),
    /// Stream of the host.
    Stream(Box<dyn AsyncRead + Send + Unpin>),
}

impl Output {
    /// Reads available bytes, or waits for them. Returns 0 at the end. Cancel safe.
    async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Program(pipe) => pipe.read(buffer).await,
            Self::Stream(stream) => stream.read(buffer).await,
        }
    }
}

/// Streams of a server.
pub(crate) struct Lines {
    stdin: mpsc::Sender<Vec<u8>>,
    input: Input,
}

impl Lines {
    /// Creates a transport that accepts messages of at most `max_message` bytes.
    pub(crate) fn new(
        stdin: impl AsyncWrite + Send + Unpin + 'static,
        stdout: Output,
        max_message: usize,
        signals: Arc<Signals>,
    ) -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        tokio::spawn(write(stdin, receiver));
        let input = Input {
            stdout,
            chunk: vec![0; CHUNK].into(),
            line: Line {
                bytes: Vec::new(),
                oversized: None,
                max_message,
            },
            ready: VecDeque::new(),
            raw: Raw::default(),
            signals,
        };
        Self {
            stdin: sender,
            input,
        }
    }

    /// Opens a connection.
    pub(crate) async fn open(
        self,
        server: &str,
        protocol: Protocol,
        input: HostInput,
    ) -> Result<Link, OpenError> {
        let signals = Arc::clone(&self.input.signals);
        Link::open(server, self, signals, protocol, input).await
    }
}

/// Writes messages until the connection is closed, so that one partial write blocks no other work.
async fn write(mut stdin: impl AsyncWrite + Send + Unpin, mut messages: mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        if stdin.write_all(&message).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

impl Transport<RoleClient> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.input.raw.sent(&item);
        let line = serde_json::to_vec(&item).map(|mut line| {
            line.push(b'\n');
            line
        });
        let stdin = self.stdin.clone();
        async move {
            let sent = stdin.send(line?).await;
            sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.input.next().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}

/// Messages of the server.
struct Input {
    stdout: Output,
    chunk: Box<[u8]>,
    line: Line,
    ready: VecDeque<RxJsonRpcMessage<RoleClient>>,
    raw: Raw,
    signals: Arc<Signals>,
}

impl Input {
    /// Returns the next message. Cancel safe: all state is in `self`.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.signals.was_oversized.load(Ordering::Relaxed) {
                return None;
            }
            let count = match self.stdout.read(&mut self.chunk).await {
                Ok(0) | Err(_) => return None,
                Ok(count) => count,
            };
            self.split(count);
        }
    }

    fn split(&mut self, count: usize) {
        let chunk = std::mem::take(&mut self.chunk);
        let mut rest = chunk.get(..count).unwrap_or_default();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (part, after) = rest.split_at(end);
            self.line.push(part);
            self.finish_line();
            rest = after.get(1..).unwrap_or_default();
        }
        self.line.push(rest);
        self.chunk = chunk;
    }

    fn finish_line(&mut self) {
        if let Some(scanner) = self.line.oversized.take() {
            self.finish_oversized(scanner);
            return;
        }
        let line = std::mem::take(&mut self.line.bytes);
        match serde_json::from_slice::<Value>(&line) {
            Ok(Value::Array(batch)) => batch.into_iter().for_each(|item| self.message(item)),
            Ok(message) => self.message(message),
            Err(_) if line.trim_ascii().is_empty() => {}
            Err(_) => self.signals.count_noise(),
        }
        // Keep the allocation of short lines.
        if line.capacity() <= CHUNK {
            self.line.bytes = line;
            self.line.bytes.clear();
        }
    }

    fn finish_oversized(&mut self, scanner: IdScanner) {
        let id = scanner
            .into_id()
            .and_then(|id| serde_json::from_slice(&id).ok());
        match id {
            Some(id) => self
                .ready
                .push_back(error(TOO_LARGE, "the message is too large", id)),
            None => self.signals.was_oversized.store(true, Ordering::Relaxed),
        }
    }

    fn message(&mut self, message: Value) {
        let parsed = match response_of(message, &self.raw) {
            Ok(response) => Some(response),
            Err(other) => serde_json::from_value(other).ok(),
        };
        match parsed {
            Some(message) => self.ready.push_back(message),
            None => self.signals.count_noise(),
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.signals.closed.cancel();
    }
}

/// Line that is being read.
struct Line {
    bytes: Vec<u8>,
    /// Scanner of a line that exceeds the limit.
    oversized: Option<IdScanner>,
    max_message: usize,
}

impl Line {
    fn push(&mut self, part: &[u8]) {
        if let Some(scanner) = &mut self.oversized {
            scanner.feed(part);
        } else if self.bytes.len() + part.len() > self.max_message {
            let mut scanner = IdScanner::default();
            scanner.feed(&std::mem::take(&mut self.bytes));
            scanner.feed(part);
            self.oversized = Some(scanner);
        } else {
            self.bytes.extend_from_slice(part);
        }
    }
}
