//! Files that record runs, for replays and reports.

mod error;
mod journal;
mod replay;
mod report;

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use provider_adapters::Transcript;
use serde::Deserialize;
use serde_json::Value;

pub use error::RunFileError;
pub(crate) use journal::{Entry, Journal, Recorder};
pub(crate) use replay::Replay;
pub use replay::{ReplayDifference, Replayed};
pub use report::RunReport;

use crate::{AgentLoop, RunBuilder};

/// First line of a file.
const HEADER: &str = r#"{"format":"toolwright-run","version":1}"#;

impl AgentLoop {
    /// Records all runs of this loop in a new file with one JSON object per line: requests as
    /// digests, replies, calls, results, decisions, usage and times.
    ///
    /// Secrets known to the [`Redactor`](tool_core::Redactor) of the registry are removed. Other
    /// content is written verbatim, so protect the file like the conversation. If writing fails, the
    /// runs continue and set [`RunOutcome::recording_error`](crate::RunOutcome::recording_error).
    ///
    /// # Errors
    /// Returns [`RunFileError::NotCreated`] if the file exists or cannot be created.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{AgentLoop, ModelReply, RecordedRun, ScriptedModel};
    /// use tool_core::Registry;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), agent_loop::RunFileError> {
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path().join("run.jsonl");
    /// let model = ScriptedModel::new([ModelReply::text("Hello.")]);
    /// AgentLoop::new(Registry::new(), model).record_to(&path)?.run("Greet me.").await;
    ///
    /// let recorded = RecordedRun::read(&path)?;
    /// let same = AgentLoop::new(Registry::new(), ScriptedModel::new([]));
    /// let replayed = same.replay(&recorded).await?;
    /// assert_eq!(replayed.difference, None);
    /// assert_eq!(replayed.outcome.reply.as_deref(), Some("Hello."));
    /// # Ok(()) }
    /// ```
    pub fn record_to(mut self, path: impl AsRef<Path>) -> Result<Self, RunFileError> {
        self.recorder = Some(Arc::new(Recorder::create(path.as_ref())?));
        Ok(self)
    }

    /// Runs a recorded run again with the settings of this loop, but with the recorded replies and
    /// results: neither the model nor a tool is called. Compaction strategies are not called either.
    ///
    /// Returns the first difference between both runs, such as a changed definition of a tool.
    ///
    /// # Errors
    /// Returns [`RunFileError::NotReplayable`] if the run is incomplete or continued a suspended
    /// run, and [`RunFileError::Invalid`] if an entry cannot be read.
    pub async fn replay(&self, recorded: &RecordedRun) -> Result<Replayed, RunFileError> {
        let replay = Arc::new(Replay::new(recorded)?);
        let (transcript, started) = recorded.start()?;
        let builder = RunBuilder {
            id: Some(recorded.id().to_owned()),
            started,
            replay: Some(Arc::clone(&replay)),
            ..self.resume(transcript)
        };
        let outcome = builder.await;
        Ok(Replayed {
            outcome,
            difference: replay.difference(),
        })
    }
}

/// Maximum size of a file in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Run from a file of [`AgentLoop::record_to`](crate::AgentLoop::record_to).
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    id: String,
    entries: Vec<Value>,
}

impl RecordedRun {
    /// Reads the first run of a file.
    ///
    /// # Errors
    /// Returns [`RunFileError::Unreadable`] if the file cannot be read or has over 1 GiB,
    /// [`RunFileError::Invalid`] if it has an invalid line, and [`RunFileError::Empty`] if it
    /// contains no run. A last line without a newline, which a crash may leave, is ignored.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, RunFileError> {
        let runs = Self::read_all(path)?;
        runs.into_iter().next().ok_or(RunFileError::Empty)
    }

    /// Reads all runs of a file, in the order of their first entries.
    ///
    /// # Errors
    /// Returns the errors of [`read`](Self::read), except for a file without a run.
    pub fn read_all(path: impl AsRef<Path>) -> Result<Vec<Self>, RunFileError> {
        let mut text = String::new();
        let read = File::open(path)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text))
            .map_err(|error| RunFileError::Unreadable {
                reason: error.to_string(),
            })?;
        // One byte more than allowed was requested, so an exact limit is no error.
        if read as u64 > MAX_BYTES {
            return Err(RunFileError::Unreadable {
                reason: format!("it has over {MAX_BYTES} bytes"),
            });
        }
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Vec<Self>, RunFileError> {
        let complete = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = (1..).zip(text.get(..complete).unwrap_or_default().lines());
        if lines.next().is_none_or(|(_, header)| header != HEADER) {
            return Err(invalid(1, "it is not the header of version 1"));
        }
        let mut runs: Vec<Self> = Vec::new();
        for (line, text) in lines {
            let entry: Value =
                serde_json::from_str(text).map_err(|error| invalid(line, error.to_string()))?;
            let id = entry.get("run").and_then(Value::as_str);
            let id = id.ok_or_else(|| invalid(line, "`run` is missing"))?;
            match runs.iter_mut().find(|run| run.id == id) {
                Some(run) => run.entries.push(entry),
                None => runs.push(Self {
                    id: id.to_owned(),
                    entries: vec![entry],
                }),
            }
        }
        Ok(runs)
    }

    /// Returns the ID of the run.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the entries: events in their serialized form with the time in milliseconds since
    /// 1970 (`time_ms`), and the kinds `run_started`, `model_requested`, `message_added` and
    /// `transcript_replaced`.
    pub fn entries(&self) -> &[Value] {
        &self.entries
    }

    /// Returns the conversation at the start, and the IDs of open calls that started before.
    pub(crate) fn start(&self) -> Result<(Transcript, Option<HashSet<String>>), RunFileError> {
        let not_replayable = |reason: &str| RunFileError::NotReplayable {
            reason: reason.to_owned(),
        };
        let (first, last) = (self.entries.first(), self.entries.last());
        let first = first.filter(|entry| kind(entry) == "run_started");
        let first = first.ok_or_else(|| not_replayable("its start is missing"))?;
        if first.get("has_decisions").and_then(Value::as_bool) == Some(true) {
            return Err(not_replayable("it continued a suspended run"));
        }
        if last.is_none_or(|entry| kind(entry) != "finished") {
            return Err(not_replayable("its end is missing"));
        }
        Ok((member(first, "transcript")?, member(first, "started")?))
    }
}

/// Returns the kind of an entry.
fn kind(entry: &Value) -> &str {
    entry
        .get("event")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Deserializes a member of an entry; `null` if it is missing.
fn member<T: for<'d> Deserialize<'d>>(entry: &Value, name: &str) -> Result<T, RunFileError> {
    let value = entry.get(name).unwrap_or(&Value::Null);
    T::deserialize(value).map_err(|error| RunFileError::NotReplayable {
        reason: format!(
            "`{name}` of an entry `{}` is invalid ({error})",
            kind(entry)
        ),
    })
}

fn invalid(line: usize, reason: impl Into<String>) -> RunFileError {
    RunFileError::Invalid {
        line,
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests;
