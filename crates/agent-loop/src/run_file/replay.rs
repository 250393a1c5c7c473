//! Replays of recorded runs.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use async_trait::async_trait;
use provider_adapters::{Message, Transcript};
use serde_json::Value;
use tool_core::{ToolCall, ToolError, ToolResult};

use super::recorded::{kind, member};
use super::{RecordedRun, ReplayDifference, RunFileError};
use crate::locked::locked;
use crate::{Model, ModelError, ModelReply, ModelRequest, RunOutcome, Status};

/// Result of [`AgentLoop::replay`](crate::AgentLoop::replay).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Replayed {
    /// Outcome of the replay.
    pub outcome: RunOutcome,
    /// First difference between both runs; `None` if requests, replies, calls, results and the end
    /// are equal except for times.
    pub difference: Option<ReplayDifference>,
}

/// Recorded entries that the replay has not reached, and the first difference.
#[derive(Default)]
struct ReplayState {
    entries: VecDeque<Value>,
    replies: VecDeque<ModelReply>,
    /// Results by the ID of their call.
    results: HashMap<String, VecDeque<ToolResult>>,
    difference: Option<ReplayDifference>,
}

impl ReplayState {
    fn new(recorded: &RecordedRun) -> Result<Self, RunFileError> {
        let mut state = Self::default();
        for entry in recorded.entries() {
            match kind(entry) {
                "model_retried" | "model_changed" => continue,
                "model_replied" => state.replies.push_back(member(entry, "reply")?),
                "call_finished" => {
                    let result: ToolResult = member(entry, "result")?;
                    let of_call = state.results.entry(result.id.to_string()).or_default();
                    of_call.push_back(result);
                }
                _ => {}
            }
            state.entries.push_back(entry.clone());
        }
        Ok(state)
    }

    /// Returns the next entry if it has this kind.
    fn next(&self, event: &str) -> Option<&Value> {
        self.entries.front().filter(|next| kind(next) == event)
    }

    /// Returns the error that ended the recorded run at this point.
    fn recorded_error(&self, turn: usize) -> ModelError {
        let error = self
            .next("finished")
            .and_then(|end| end.get("error")?.as_str());
        error.map_or(ModelError::ScriptEnded { turn }, |error| {
            ModelError::Other(error.to_owned())
        })
    }
}

/// Source of recorded replies and results, which compares the entries of the new run.
pub(crate) struct Replay(Mutex<ReplayState>);

impl Replay {
    pub(super) fn new(recorded: &RecordedRun) -> Result<Self, RunFileError> {
        ReplayState::new(recorded).map(|state| Self(Mutex::new(state)))
    }

    fn with<R>(&self, read: impl FnOnce(&mut ReplayState) -> R) -> R {
        read(&mut locked(&self.0))
    }

    pub(crate) fn difference(&self) -> Option<ReplayDifference> {
        self.with(|state| state.difference.clone())
    }

    /// Compares an entry with the next recorded one.
    pub(super) fn compare(&self, found: &Value) {
        if matches!(kind(found), "model_retried" | "model_changed") {
            return;
        }
        self.with(|state| {
            let expected = state.entries.pop_front();
            let difference = ReplayDifference::between(expected.as_ref(), found);
            state.difference = state.difference.take().or(difference);
        });
    }

    /// Returns the recorded status if the run ended at this point.
    pub(crate) fn end(&self) -> Option<Status> {
        self.with(|state| member(state.next("finished")?, "status").ok())
    }

    /// Returns whether the recorded run was cancelled before its calls.
    pub(crate) fn cancels_calls(&self) -> bool {
        self.with(|state| {
            let result = state.next("call_finished");
            let code = result.and_then(|result| result.pointer("/result/error/code"));
            code.is_some_and(|code| code == "cancelled")
        })
    }

    /// Returns the messages that the host sent at this point.
    pub(crate) fn added_messages(&self) -> Vec<Message> {
        self.with(|state| {
            let next = state.entries.iter();
            let added = next.take_while(|entry| kind(entry) == "message_added");
            added
                .filter_map(|entry| member(entry, "message").ok())
                .collect()
        })
    }

    /// Returns the shortened conversation if a compaction happened at this point.
    pub(crate) fn compacted(&self) -> Option<Transcript> {
        self.with(|state| member(state.next("transcript_replaced")?, "transcript").ok())
    }

    /// Returns the recorded results of calls.
    pub(crate) fn results(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.with(|state| {
            let recorded = |call: ToolCall| {
                let results = state.results.get_mut(call.id.as_str());
                let result = results.and_then(VecDeque::pop_front);
                result.unwrap_or_else(|| {
                    let error = ToolError::failed("The recorded run has no result of this call");
                    ToolResult::refused(&call.id, &call.name, error)
                })
            };
            calls.into_iter().map(recorded).collect()
        })
    }
}

#[async_trait]
impl Model for Replay {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let turn = request.transcript.messages().len();
        if self.end() == Some(Status::Cancelled) {
            return Err(ModelError::Cancelled);
        }
        // The recorded run shortened its conversation here, so the replay has to get there too.
        if self.compacted().is_some() {
            return Err(ModelError::ContextTooLong {
                limit: None,
                used: None,
            });
        }
        self.with(|state| {
            if state.next("model_replied").is_none() {
                return Err(state.recorded_error(turn));
            }
            let reply = state.replies.pop_front();
            reply.ok_or(ModelError::ScriptEnded { turn })
        })
    }
}
