//! Reader of run files.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use provider_adapters::Transcript;
use serde::Deserialize;
use serde_json::Value;

use super::{HEADER, RunFileError};

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
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the entries: events in their serialized form with the time in milliseconds since
    /// 1970 (`time_ms`), and the kinds `run_started`, `model_requested`, `message_added` and
    /// `transcript_replaced`.
    #[must_use]
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
pub(super) fn kind(entry: &Value) -> &str {
    entry
        .get("event")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Deserializes a member of an entry; `null` if it is missing.
pub(super) fn member<T: for<'d> Deserialize<'d>>(
    entry: &Value,
    name: &str,
) -> Result<T, RunFileError> {
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
