//! A log in a file: one line of JSON for each event.

mod open;
mod writer;

use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};

use tokio::sync::oneshot;

use self::writer::{Line, Writer};
use super::{AuditError, AuditEvent, AuditLog, AuditWrite};

/// Events that may wait to be written.
const WAITING: usize = 4096;

/// A log in a file: one line of JSON for each event, appended with one write.
///
/// The file is created for its owner alone (mode 0600 on Unix; one that is there gets that mode), links are refused, and
/// it is only ever appended to. It must lie where no tool can write: outside every workspace. That is for the host to
/// see to. Lines of concurrent calls follow each other and never mix. A thread of its own writes; events that come at
/// once are made durable at once. At most 4,096 events wait, more are refused.
///
/// With a chain (feature `typed`) each line carries the digest of the line before, so that a changed, removed or
/// inserted line is found by `verify_chain`. A cut-off end is found only by who noted the last digest elsewhere. A
/// chained file is locked: it has one writer at a time.
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
    /// Resolves when the writer's thread has let go of the file.
    ended: oneshot::Receiver<()>,
}

impl AuditFile {
    /// Opens a log, or creates it. Opening blocks for a moment: it is meant for the start of a program. Where a crash cut
    /// the last line off, the next one begins behind it.
    ///
    /// # Errors
    /// [`AuditError::NotAFile`] for a link or what is no regular file; [`AuditError::Io`] when it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, AuditError> {
        let file = open::file(path.as_ref())?;
        let torn = open::is_torn(path.as_ref())?;
        Self::start(Writer::plain(file, torn))
    }

    /// Opens a log whose lines are chained by digests. A chain that is there is continued.
    ///
    /// # Errors
    /// As [`AuditFile::open`]; [`AuditError::Locked`] when another process has it open; [`AuditError::NotAChain`] when
    /// its last line is not a whole line of a chain.
    #[cfg(feature = "typed")]
    pub fn open_chained(path: impl AsRef<Path>) -> Result<Self, AuditError> {
        let file = open::file(path.as_ref())?;
        open::lock(&file)?;
        let last = open::last_digest(path.as_ref())?;
        Self::start(Writer::chained(file, last))
    }

    fn start(writer: Writer) -> Result<Self, AuditError> {
        let (lines, waiting) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("audit".to_owned());
        let (end, ended) = oneshot::channel();
        thread.spawn(move || {
            writer.run(&waiting);
            // Dropped by a panic, too, so that nobody waits for ever.
            drop(end);
        })?;
        Ok(Self { lines, ended })
    }

    /// Waits until everything that was recorded so far is durable.
    ///
    /// # Errors
    /// [`AuditError`] when it cannot be written.
    pub async fn flush(&self) -> Result<(), AuditError> {
        self.send(String::new(), true).await
    }

    /// Makes everything durable and waits until the file is closed, so that it can be opened again. Where a log is
    /// only dropped, its thread closes the file a moment later.
    ///
    /// # Errors
    /// [`AuditError`] when it cannot be written.
    pub async fn close(self) -> Result<(), AuditError> {
        let flushed = self.flush().await;
        drop(self.lines);
        // Nothing is ever sent; the sender goes when the thread ends.
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
#[cfg(all(unix, feature = "typed"))]
mod tests;
