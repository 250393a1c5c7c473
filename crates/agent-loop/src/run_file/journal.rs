//! Entries of one run, for its record and its replay.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use provider_adapters::{Message, Transcript};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tool_core::{Redactor, Timestamp};

use super::request::Request;
use super::{Recorder, Replay};
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

    /// Waits until the record is written. Returns the error that ended it.
    pub(crate) async fn flush(&self) -> Option<super::RunFileError> {
        match &self.recorder {
            Some(recorder) => recorder.flush().await,
            None => None,
        }
    }
}
