//! The thread that writes a log.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::Receiver;

use tokio::sync::oneshot;

use crate::audit::AuditError;

/// Maximum number of lines per sync.
const AT_ONCE: usize = 256;

/// A queued line. An empty one writes nothing.
pub(super) struct Line {
    pub(super) json: String,
    pub(super) durable: bool,
    pub(super) done: oneshot::Sender<Result<(), AuditError>>,
}

/// Writes lines to a file, each with one write.
pub(super) struct Writer {
    file: File,
    /// Whether the last line is incomplete.
    torn: bool,
}

impl Writer {
    /// Creates a writer. `torn` means that the last line is incomplete.
    pub(super) fn new(file: File, torn: bool) -> Self {
        Self { file, torn }
    }

    /// Writes until all senders are dropped.
    pub(super) fn run(mut self, waiting: &Receiver<Line>) {
        while let Ok(first) = waiting.recv() {
            let more = waiting.try_iter().take(AT_ONCE - 1);
            let lines: Vec<Line> = std::iter::once(first).chain(more).collect();
            self.write_all(lines);
        }
    }

    fn write_all(&mut self, lines: Vec<Line>) {
        let durable = lines.iter().any(|line| line.durable);
        let write = |line: Line| (self.write(&line.json), line.done);
        let written: Vec<_> = lines.into_iter().map(write).collect();
        let synced = if durable {
            self.file.sync_data()
        } else {
            Ok(())
        };
        for (outcome, done) in written {
            let outcome = outcome.and_then(|()| copy(&synced)).map_err(AuditError::Io);
            // The receiver may be dropped; the line is written anyway.
            let _ = done.send(outcome);
        }
    }

    fn write(&mut self, json: &str) -> io::Result<()> {
        if json.is_empty() {
            return Ok(());
        }
        let bytes = if self.torn {
            format!("\n{json}\n")
        } else {
            format!("{json}\n")
        };
        let count = self.file.write(bytes.as_bytes())?;
        self.torn = count < bytes.len();
        if self.torn {
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(())
    }
}

fn copy(outcome: &io::Result<()>) -> io::Result<()> {
    match outcome {
        Ok(()) => Ok(()),
        Err(error) => Err(error.kind().into()),
    }
}
