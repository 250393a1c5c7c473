//! Messages between callers and workers, as JSON.

mod described;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::approval::SealedRequest;
use tool_core::ledger::CallKey;
use tool_core::{CallEvent, ToolResult};

pub(crate) use described::Described;

/// Error of a damaged message. It contains no part of the message, which can have arguments.
#[derive(Debug, thiserror::Error)]
#[error("damaged JSON at line {line}, column {column}")]
pub(crate) struct Damaged {
    line: usize,
    column: usize,
}

/// Reads a message.
pub(crate) fn read<T: DeserializeOwned>(message: &[u8]) -> Result<T, Damaged> {
    serde_json::from_slice(message).map_err(|error| Damaged {
        line: error.line(),
        column: error.column(),
    })
}

/// A call, a query about an earlier call, or its cancellation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Key of the call, chosen by the caller.
    pub(crate) key: CallKey,
    pub(crate) tool: String,
    /// Digest of the definition that the caller knows.
    pub(crate) definition: String,
    pub(crate) arguments: Sent,
    /// Parent call or agent, for the audit log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
}

/// Arguments of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sent {
    Plain(Value),
    /// Arguments with the decision of the caller's side to run the call.
    Sealed(Box<SealedRequest>),
}

impl Sent {
    pub(crate) fn value(&self) -> &Value {
        match self {
            Self::Plain(arguments) => arguments,
            Self::Sealed(sealed) => &sealed.request.arguments,
        }
    }
}

/// A message about a running call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// A worker has the call.
    Alive,
    Event(CallEvent),
}

/// The last message about a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Finished(Box<Finished>),
    /// The worker has too many calls. The call did not run.
    Busy {
        retry_after_ms: u64,
    },
    /// The worker has another definition of the tool, or does not have it. The call did not run.
    OtherDefinition,
}

/// Result of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finished {
    /// Name of the worker.
    pub(crate) worker: String,
    pub(crate) result: ToolResult,
}

/// State of an earlier call in the ledger of the workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Finding {
    /// The ledger does not contain the call, or it failed before it had any effect.
    NotRun,
    Running,
    Settled(Box<ToolResult>),
    /// The outcome is unknown. The result describes when and where the call ran.
    Unknown(Box<ToolResult>),
    /// The ledger is unavailable.
    Unavailable,
}

/// A worker, as it announces itself with every heartbeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Beat {
    pub(crate) worker: String,
    pub(crate) group: String,
    /// Time between heartbeats.
    pub(crate) interval_ms: u64,
    pub(crate) tools: Vec<Offered>,
}

/// A tool of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Offered {
    pub(crate) name: String,
    /// Digest of the definition, which is its key in the bucket of definitions.
    pub(crate) digest: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_contain_no_part_of_message() {
        for message in [
            r#""tango""#,
            r#"{"key": {"scope": "tango", "key": 5}, "tool": "pay"}"#,
            r#"{"arguments": {"tango": 1}}"#,
            r#"{"key": "tango"#,
        ] {
            let error = read::<Request>(message.as_bytes()).unwrap_err();

            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("tango"), "{message}: {shown}");
        }
    }
}
