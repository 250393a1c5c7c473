//! Logs in files.

mod open;
mod writer;

use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};

use tokio::sync::oneshot;

use self::writer::{Line, Writer};
use super::{AuditError, AuditEvent, AuditLog, AuditWrite};

/// Maximum number of queued events.
const WAITING: usize = 4096;

/// Audit log in a file: one line of JSON per event, appended with one write.
///
/// The file is readable only by its owner (mode 0600 on Unix, even if it existed before), links are rejected, and the file is
/// only appended to. The host must place it outside every workspace, so that no tool can write to it. Lines of concurrent
/// calls never mix. A separate thread writes; concurrent events share one sync. At most 4,096 events are queued; further
/// events fail.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_core::audit::AuditFile;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let path = std::env::temp_dir().join(format!("audit-{}.jsonl", std::process::id()));
/// let registry = Registry::builder().audit(AuditFile::open(&path)?).build();
/// registry.execute("nope", json!({})).await;
///
/// let lines = std::fs::read_to_string(&path)?;
/// assert_eq!(lines.lines().count(), 2);
/// # std::fs::remove_file(&path)?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct AuditFile {
    lines: SyncSender<Line>,
    /// Resolves when the writer has closed the file.
    ended: oneshot::Receiver<()>,
}

impl AuditFile {
    /// Opens or creates a log. Blocks briefly, so call it at the start of a program. After an incomplete last line, the next
    /// event begins a new line.
    ///
    /// # Errors
    /// Returns [`AuditError::NotAFile`] if the path is a link or not a regular file, and [`AuditError::Io`] if it cannot be
    /// opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, AuditError> {
        let file = open::file(path.as_ref())?;
        let torn = open::is_torn(path.as_ref())?;
        Self::start(Writer::new(file, torn))
    }

    fn start(writer: Writer) -> Result<Self, AuditError> {
        let (lines, waiting) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("audit".to_owned());
        let (end, ended) = oneshot::channel();
        thread.spawn(move || {
            writer.run(&waiting);
            // Also dropped by a panic, so that `close` never hangs.
            drop(end);
        })?;
        Ok(Self { lines, ended })
    }

    /// Waits until all recorded events are durable.
    ///
    /// # Errors
    /// Returns [`AuditError`] if they cannot be written.
    pub async fn flush(&self) -> Result<(), AuditError> {
        self.send(String::new(), true).await
    }

    /// Waits until all events are durable and the file is closed, so that it can be opened again. If a log is only dropped,
    /// its thread closes the file later.
    ///
    /// # Errors
    /// Returns [`AuditError`] if the events cannot be written.
    pub async fn close(self) -> Result<(), AuditError> {
        let flushed = self.flush().await;
        drop(self.lines);
        // Fails when the thread drops the sender.
        let _ = self.ended.await;
        flushed
    }

    fn send(&self, json: String, durable: bool) -> AuditWrite {
        let (done, outcome) = oneshot::channel();
        let sent = self.lines.try_send(Line {
            json,
            durable,
            done,
        });
        let sent = sent.map_err(|error| match error {
            TrySendError::Full(_) => AuditError::Full,
            TrySendError::Disconnected(_) => AuditError::Closed,
        });
        Box::pin(async move {
            sent?;
            outcome.await.map_err(|_| AuditError::Closed)?
        })
    }
}

impl AuditLog for AuditFile {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        match serde_json::to_string(&event) {
            Ok(json) => self.send(json, event.must_be_durable()),
            Err(error) => Box::pin(async { Err(AuditError::Io(error.into())) }),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
