//! Differences between a recorded run and its replay.

use serde_json::{Map, Value};

use super::recorded::kind;

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
            "model_requested" => request(turn, expected, found),
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

fn request(turn: u64, expected: &Value, found: &Value) -> ReplayDifference {
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
