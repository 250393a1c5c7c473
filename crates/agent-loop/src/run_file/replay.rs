//! Replays of recorded runs, and their differences.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use async_trait::async_trait;
use provider_adapters::{Message, Transcript};
use serde_json::{Map, Value};
use tool_core::{ToolCall, ToolError, ToolResult};

use super::{RecordedRun, RunFileError, kind, member};
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
                // A replay has no failed requests.
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

/// First difference between a recorded run and its replay.
///
/// # Examples
/// ```
/// use agent_loop::ReplayDifference;
///
/// let difference = ReplayDifference::Definition { turn: 2, tool: "read_file".into() };
/// assert_eq!(difference.to_string(), "turn 2: the definition of `read_file` changed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayDifference {
    /// The definition of a tool changed, or the tool was added or removed.
    #[error("turn {turn}: the definition of `{tool}` changed")]
    Definition {
        /// Number of the turn.
        turn: u64,
        /// Name of the tool.
        tool: String,
    },
    /// A message of a request changed.
    #[error("turn {turn}: message {message} of the request changed")]
    Message {
        /// Number of the turn.
        turn: u64,
        /// Number of the message in the request, counted from 1.
        message: usize,
    },
    /// The tool choice, the settings or the required answer of a request changed.
    #[error("turn {turn}: the options of the request changed")]
    Options {
        /// Number of the turn.
        turn: u64,
    },
    /// A call has other arguments, or calls another tool.
    #[error("turn {turn}: the arguments of the call `{call}` of `{tool}` changed")]
    Arguments {
        /// Number of the turn.
        turn: u64,
        /// ID of the call.
        call: String,
        /// Name of the tool.
        tool: String,
    },
    /// A call has another result.
    #[error("turn {turn}: the result of the call `{call}` of `{tool}` changed")]
    Result {
        /// Number of the turn.
        turn: u64,
        /// ID of the call.
        call: String,
        /// Name of the tool.
        tool: String,
    },
    /// An event has another kind or content.
    #[error("turn {turn}: expected the event `{expected}`, found `{found}`")]
    Event {
        /// Number of the turn.
        turn: u64,
        /// Recorded event; `end` after the last one.
        expected: String,
        /// Event of the replay.
        found: String,
    },
}

impl ReplayDifference {
    /// Compares an entry with the recorded one.
    pub(super) fn between(expected: Option<&Value>, found: &Value) -> Option<Self> {
        let turn = found
            .get("turn")
            .and_then(Value::as_u64)
            .unwrap_or_default();
        let expected_kind = expected.map_or("end", kind);
        let event = || Self::Event {
            turn,
            expected: expected_kind.to_owned(),
            found: kind(found).to_owned(),
        };
        let Some(expected) = expected.filter(|_| expected_kind == kind(found)) else {
            return Some(event());
        };
        if comparable(expected) == comparable(found) {
            return None;
        }
        Some(match expected_kind {
            "model_requested" => changed_request(turn, expected, found),
            "call_started" => {
                let (call, tool) = named(found.get("call"));
                Self::Arguments { turn, call, tool }
            }
            "call_finished" => {
                let (call, tool) = named(found.get("result"));
                Self::Result { turn, call, tool }
            }
            _ => event(),
        })
    }
}

fn changed_request(turn: u64, expected: &Value, found: &Value) -> ReplayDifference {
    let tools = |entry: &Value| {
        let tools = entry.get("tools").and_then(Value::as_object);
        tools.cloned().unwrap_or_default()
    };
    let (old, new) = (tools(expected), tools(found));
    let mut names = old.keys().chain(new.keys());
    if let Some(tool) = names.find(|name| old.get(*name) != new.get(*name)) {
        let tool = tool.clone();
        return ReplayDifference::Definition { turn, tool };
    }
    if expected.get("options") != found.get("options") {
        return ReplayDifference::Options { turn };
    }
    let message = first_message(expected, found);
    ReplayDifference::Message { turn, message }
}

/// Returns the number of the first message that differs.
fn first_message(expected: &Value, found: &Value) -> usize {
    let parts = |entry: &Value| {
        let known = entry.get("known_messages").and_then(Value::as_u64);
        let new = entry.get("new_messages").and_then(Value::as_array);
        let known = known.and_then(|known| usize::try_from(known).ok());
        (known.unwrap_or_default(), new.cloned().unwrap_or_default())
    };
    let ((known, old), (other, new)) = (parts(expected), parts(found));
    if known != other {
        return known.min(other) + 1;
    }
    let equal = old.iter().zip(&new).take_while(|(old, new)| old == new);
    known + equal.count() + 1
}

/// Returns ID and name of a call or result.
fn named(call: Option<&Value>) -> (String, String) {
    let text = |name| {
        let text = call.and_then(|call| call.get(name)).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    (text("id"), text("name"))
}

/// Returns the members that do not depend on the time.
fn comparable(entry: &Value) -> Map<String, Value> {
    let mut members = entry.as_object().cloned().unwrap_or_default();
    // These differ in every run, so comparing them would find nothing but noise.
    for name in ["time_ms", "elapsed_ms", "run", "parent_call"] {
        members.remove(name);
    }
    let result = members.get_mut("result").and_then(Value::as_object_mut);
    if let Some(result) = result {
        // It contains the times of the call.
        result.remove("metadata");
    }
    // Estimates count secrets, which are not recorded.
    if kind(entry) == "model_replied" {
        members.remove("usage");
        members.remove("cost");
    }
    let usage = members.get_mut("usage").and_then(Value::as_object_mut);
    if let Some(usage) = usage.filter(|usage| usage.get("estimated") == Some(&Value::Bool(true))) {
        usage.retain(|name, _| name != "cost" && !name.ends_with("tokens"));
    }
    members
}
