//! Entries of one run, for its record and its replay, and the writer of the file.

use std::collections::{BTreeMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use provider_adapters::{Message, Transcript};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tool_core::{Redactor, Timestamp};

use super::{HEADER, Replay, RunFileError};
use crate::locked::locked;
use crate::{Event, EventKind, ModelRequest};

/// Entry of a run file that is not an event.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Entry<'e> {
    RunStarted {
        transcript: &'e Transcript,
        /// IDs of open calls that started before.
        started: Option<&'e HashSet<String>>,
        /// Whether the run continues a suspended run.
        has_decisions: bool,
    },
    ModelRequested(&'e Request),
    /// The host sent a message during the run.
    MessageAdded {
        message: &'e Message,
    },
    TranscriptReplaced {
        transcript: &'e Transcript,
    },
}

/// Receives the entries of one run.
pub(crate) struct Journal {
    recorder: Option<Arc<Recorder>>,
    pub(crate) replay: Option<Arc<Replay>>,
    redactor: Option<Redactor>,
    /// Digests of the messages in the last request.
    requested: Mutex<Vec<String>>,
}

impl Journal {
    /// Returns a journal if anything reads it.
    pub(crate) fn new(
        recorder: Option<Arc<Recorder>>,
        replay: Option<Arc<Replay>>,
        redactor: Option<&Redactor>,
    ) -> Option<Arc<Self>> {
        let is_read = recorder.is_some() || replay.is_some();
        is_read.then(|| {
            Arc::new(Self {
                recorder,
                replay,
                redactor: redactor.cloned(),
                requested: Mutex::default(),
            })
        })
    }

    /// Adds an event, unless it is a part of a later one.
    pub(crate) fn event(&self, event: &Event<'_>) {
        let is_part = matches!(
            event.kind,
            EventKind::TurnStarted
                | EventKind::ModelPartial { .. }
                | EventKind::ModelReset
                | EventKind::CallProgress { .. }
                | EventKind::CallPartial { .. }
        );
        if !is_part {
            self.add(serde_json::to_value(event));
        }
    }

    pub(crate) fn entry(&self, run: &str, turn: u32, entry: &Entry<'_>) {
        let value = serde_json::to_value(entry).map(|mut value| {
            if let Some(members) = value.as_object_mut() {
                members.insert("run".to_owned(), json!(run));
                members.insert("turn".to_owned(), json!(turn));
            }
            value
        });
        self.add(value);
    }

    /// Adds the digests of a request.
    pub(crate) fn request(&self, run: &str, turn: u32, request: &ModelRequest<'_>) {
        let mut before = locked(&self.requested);
        let digests = Request::new(request, &mut before, self.redactor.as_ref());
        drop(before);
        self.entry(run, turn, &Entry::ModelRequested(&digests));
    }

    fn add(&self, entry: Result<Value, serde_json::Error>) {
        // Entries consist of strings, numbers, lists and objects with string keys.
        let Ok(Value::Object(members)) = entry else {
            return;
        };
        let mut timed = Map::new();
        let now = Timestamp::now().as_milliseconds();
        timed.insert("time_ms".to_owned(), json!(now));
        timed.extend(members);
        let mut entry = Value::Object(timed);
        if let Some(redactor) = &self.redactor {
            // Also for a replay, which compares with entries that have no secrets.
            redactor.scrub_value(&mut entry);
        }
        if let Some(recorder) = &self.recorder {
            recorder.write(&entry);
        }
        if let Some(replay) = &self.replay {
            replay.compare(&entry);
        }
    }

    /// Returns the error that ended the record.
    pub(crate) fn error(&self) -> Option<RunFileError> {
        self.recorder.as_ref()?.error()
    }
}

/// Digests of a request, from which the first difference between two requests can be named.
#[derive(Debug, Serialize)]
pub(crate) struct Request {
    /// Number of leading messages that the last request had, too.
    known_messages: usize,
    /// Digests of the other messages.
    new_messages: Vec<String>,
    /// Digest of each tool's definition.
    tools: BTreeMap<String, String>,
    /// Digest of tool choice, settings and required answer.
    options: String,
}

impl Request {
    /// Compares the messages with `last`, the digests of the last request, and replaces them.
    pub(super) fn new(
        request: &ModelRequest<'_>,
        last: &mut Vec<String>,
        redactor: Option<&Redactor>,
    ) -> Self {
        let messages = request.transcript.messages().iter();
        // Digests instead of content: a transcript in each request would make the file grow with the square of the turns.
        let digests: Vec<_> = messages.map(|one| digest(one, redactor)).collect();
        let pairs = last.iter().zip(&digests);
        let known = pairs.take_while(|(last, new)| last == new).count();
        let new_messages = digests.get(known..).unwrap_or_default().to_vec();
        *last = digests;
        let definitions = request.tools.list();
        let options = (request.choice, request.settings, request.answer_schema);
        Self {
            known_messages: known,
            new_messages,
            tools: definitions
                .iter()
                .map(|tool| (tool.name().to_owned(), digest(&tool.to_value(), redactor)))
                .collect(),
            options: digest(&options, redactor),
        }
    }
}

/// Returns the first eight bytes of the SHA-256 digest of the JSON form without secrets.
fn digest(content: &impl Serialize, redactor: Option<&Redactor>) -> String {
    let mut value = serde_json::to_value(content).unwrap_or_default();
    if let Some(redactor) = redactor {
        redactor.scrub_value(&mut value);
    }
    let hash = Sha256::digest(value.to_string().as_bytes());
    // A replay has to notice a change, not an attack, and the file has one digest per message.
    let first = hash.first_chunk().copied().unwrap_or_default();
    format!("{:016x}", u64::from_be_bytes(first))
}

/// File of the entries.
#[derive(Debug)]
pub(crate) struct Recorder(Mutex<RecordFile>);

#[derive(Debug)]
struct RecordFile {
    file: File,
    /// First error. Nothing is written after it: a record without its end is right, one with a gap is not.
    error: Option<String>,
}

impl Recorder {
    pub(super) fn create(path: &Path) -> Result<Self, RunFileError> {
        let create = || -> io::Result<File> {
            // Never replace a file: it may be the only record of another run.
            let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
            writeln!(file, "{HEADER}")?;
            Ok(file)
        };
        let file = create().map_err(|error| RunFileError::NotCreated {
            reason: error.to_string(),
        })?;
        Ok(Self(Mutex::new(RecordFile { file, error: None })))
    }

    fn write(&self, entry: &Value) {
        let line = format!("{entry}\n");
        let mut record = locked(&self.0);
        if record.error.is_none()
            && let Err(error) = record.file.write_all(line.as_bytes())
        {
            record.error = Some(error.to_string());
        }
    }

    fn error(&self) -> Option<RunFileError> {
        let reason = locked(&self.0).error.clone()?;
        Some(RunFileError::NotWritten { reason })
    }
}
