//! Record of a run in a file.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Mutex;

use async_trait::async_trait;
use provider_adapters::{Message, Transcript};
use serde::Deserialize;

use crate::locked::locked;
use crate::{Checkpoint, CheckpointError, CheckpointSink, SavedRun};

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
/// assert_eq!(saved.transcript().messages(), []);
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
        match line {
            Line::Message(message) => saved.message(message),
            Line::Started(calls) => saved.started(calls),
            Line::Transcript(transcript) => saved.replaced(transcript),
        }
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
