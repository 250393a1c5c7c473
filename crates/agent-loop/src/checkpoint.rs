//! Record of a run that survives a crash.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use provider_adapters::{Message, Transcript};
use serde::Serialize;

/// Entry of a run's record. The serialized form is one JSON object.
///
/// # Examples
/// ```
/// use agent_loop::Checkpoint;
///
/// let ids = vec!["call_1".to_owned()];
/// let entry = serde_json::to_string(&Checkpoint::Started(&ids))?;
/// assert_eq!(entry, r#"{"started":["call_1"]}"#);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Checkpoint<'c> {
    /// Message that was appended to the transcript.
    Message(&'c Message),
    /// IDs of the calls that start next. Calls of read-only tools are omitted.
    Started(&'c [String]),
    /// Transcript that replaces all earlier messages.
    Transcript(&'c Transcript),
}

/// Error of a [`CheckpointSink`].
///
/// # Examples
/// ```
/// use agent_loop::CheckpointError;
///
/// let error = CheckpointError::new("the disk is full");
/// assert_eq!(error.to_string(), "the run cannot be recorded: the disk is full");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the run cannot be recorded: {0}")]
pub struct CheckpointError(String);

impl CheckpointError {
    /// Creates an error.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// Receiver for the record of runs, such as a file or a database.
///
/// An entry must be stored when `record` returns: the run continues only then. If it fails, the run
/// fails before its next call.
///
/// # Examples
/// ```
/// use std::sync::Mutex;
///
/// use agent_loop::{Checkpoint, CheckpointError, CheckpointSink};
/// use async_trait::async_trait;
///
/// #[derive(Default)]
/// struct Lines(Mutex<Vec<String>>);
///
/// #[async_trait]
/// impl CheckpointSink for Lines {
///     async fn record(&self, _run: &str, entry: &Checkpoint<'_>) -> Result<(), CheckpointError> {
///         let line = serde_json::to_string(entry).map_err(|error| CheckpointError::new(error.to_string()))?;
///         self.0.lock().map_err(|_| CheckpointError::new("poisoned"))?.push(line);
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
pub trait CheckpointSink: Send + Sync {
    /// Stores an entry of the run with this ID.
    ///
    /// # Errors
    /// Returns [`CheckpointError`] if the entry cannot be stored.
    async fn record(&self, run: &str, entry: &Checkpoint<'_>) -> Result<(), CheckpointError>;
}

#[async_trait]
impl<S: CheckpointSink + ?Sized> CheckpointSink for Arc<S> {
    async fn record(&self, run: &str, entry: &Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.as_ref().record(run, entry).await
    }
}

/// Recorded state of a run.
///
/// # Examples
/// ```
/// use agent_loop::SavedRun;
/// use provider_adapters::Message;
///
/// let mut saved = SavedRun::default();
/// saved.message(Message::user("Hi"));
/// assert_eq!(saved.transcript().messages().len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SavedRun {
    pub(crate) transcript: Transcript,
    pub(crate) started: HashSet<String>,
}

impl SavedRun {
    /// Returns the recorded messages.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Applies [`Checkpoint::Message`].
    pub fn message(&mut self, message: Message) {
        // IDs are unique within a turn only.
        self.started.clear();
        self.transcript.push(message);
    }

    /// Applies [`Checkpoint::Started`].
    pub fn started(&mut self, calls: impl IntoIterator<Item = String>) {
        self.started.extend(calls);
    }

    /// Applies [`Checkpoint::Transcript`].
    pub fn replaced(&mut self, transcript: Transcript) {
        self.started.clear();
        self.transcript = transcript;
    }
}
