//! Record of a run that survives a crash.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use provider_adapters::{Message, Transcript};
use serde::{Deserialize, Serialize};

use crate::locked::locked;

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
    /// IDs of calls that start now: they are approved, and not read-only.
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

/// Recorded state of a run, for [`AgentLoop::resume_saved`](crate::AgentLoop::resume_saved).
///
/// # Examples
/// ```
/// use agent_loop::{Checkpoint, SavedRun};
/// use provider_adapters::Message;
///
/// let mut saved = SavedRun::default();
/// saved.apply(&Checkpoint::Message(&Message::user("Hi")));
/// assert_eq!(saved.transcript.messages().len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SavedRun {
    /// Recorded messages.
    pub transcript: Transcript,
    /// IDs of the calls of the last message that started.
    pub started: HashSet<String>,
}

impl SavedRun {
    /// Adds an entry, in the order in which the sink received them.
    pub fn apply(&mut self, entry: &Checkpoint<'_>) {
        match *entry {
            Checkpoint::Started(calls) => self.started.extend(calls.iter().cloned()),
            Checkpoint::Message(message) => {
                // IDs are unique within a turn only.
                self.started.clear();
                self.transcript.push(message.clone());
            }
            Checkpoint::Transcript(transcript) => {
                self.started.clear();
                self.transcript = transcript.clone();
            }
        }
    }
}

/// Maximum size of a file in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Record of one run in a file with one JSON object per line.
///
/// Each entry is written with one call and survives the end of the process, but it is not flushed to
/// the disk. Content is written verbatim, so protect the file like the conversation.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, ModelReply, ScriptedModel, TranscriptFile};
/// use tool_core::Registry;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("run.jsonl");
/// let (file, saved) = TranscriptFile::open(&path)?;
/// assert_eq!(saved.transcript.messages(), []);
/// let model = ScriptedModel::new([ModelReply::text("Hello.")]);
/// AgentLoop::new(Registry::new(), model).checkpoint(file).run("Greet me.").await;
///
/// let (_, saved) = TranscriptFile::open(&path)?;
/// let agent = AgentLoop::new(Registry::new(), ScriptedModel::new([]));
/// assert_eq!(agent.resume_saved(saved).await.reply.as_deref(), Some("Hello."));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct TranscriptFile(Mutex<File>);

/// Line of the file.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Message(Message),
    Started(Vec<String>),
    Transcript(Transcript),
}

impl TranscriptFile {
    /// Opens or creates a file, and returns its content. Further entries are appended.
    ///
    /// A last line without a newline, which a crash may leave, is removed.
    ///
    /// # Errors
    /// Returns [`io::Error`] if the file cannot be read or written, has over 1 GiB, or has an
    /// invalid line.
    pub fn open(path: impl AsRef<Path>) -> io::Result<(Self, SavedRun)> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        let mut text = Vec::new();
        let read = (&mut file).take(MAX_BYTES + 1).read_to_end(&mut text)?;
        if read as u64 > MAX_BYTES {
            return Err(invalid(format!(
                "the file is larger than {MAX_BYTES} bytes"
            )));
        }
        let complete = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let lines = text.get(..complete).unwrap_or_default();
        // Before the file is truncated: one that is no record stays unchanged.
        let saved = parse(lines)?;
        file.set_len(complete as u64)?;
        Ok((Self(Mutex::new(file)), saved))
    }

    fn write(&self, entry: &Checkpoint<'_>) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        // One write per line, so that a crash leaves at most one incomplete line, and it is the last.
        locked(&self.0).write_all(&line)
    }
}

fn parse(lines: &[u8]) -> io::Result<SavedRun> {
    let mut saved = SavedRun::default();
    for (number, line) in (1..).zip(lines.split(|byte| *byte == b'\n')) {
        if line.is_empty() {
            continue;
        }
        let line = serde_json::from_slice(line).map_err(|error| {
            invalid(format!("line {number} is not an entry of a run ({error})"))
        })?;
        saved.apply(&match &line {
            Line::Message(message) => Checkpoint::Message(message),
            Line::Started(calls) => Checkpoint::Started(calls),
            Line::Transcript(transcript) => Checkpoint::Transcript(transcript),
        });
    }
    Ok(saved)
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[async_trait]
impl CheckpointSink for TranscriptFile {
    async fn record(&self, _run: &str, entry: &Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.write(entry)
            .map_err(|error| CheckpointError::new(error.to_string()))
    }
}
