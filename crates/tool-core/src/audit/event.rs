//! What is recorded of a call.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::Outcome;
use crate::{ErrorCode, RiskLevel, SideEffects, Timestamp};

/// What is recorded of a call: one event before it, one after.
///
/// As JSON it is one object with `event` `before` or `after`.
///
/// # Examples
/// ```
/// use tool_core::audit::AuditEvent;
///
/// let line = r#"{"event":"before","time":"2025-11-10T10:05:00.000Z","call_id":"call_1","tool":"read_file",
///     "arguments":{"bytes":14,"text":"{\"path\":\"a.txt\"}"},"risk":"read_only","decision":"allowed","rule":"read_only"}"#;
/// let event: AuditEvent = serde_json::from_str(line)?;
/// assert_eq!(event.call_id(), "call_1");
/// assert!(!event.must_be_durable());
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditEvent {
    /// A call is about to run, or was refused.
    Before(BeforeCall),
    /// A call has ended.
    After(AfterCall),
}

impl AuditEvent {
    /// The id of the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        match self {
            Self::Before(before) => &before.call_id,
            Self::After(after) => &after.call_id,
        }
    }

    /// Whether the event must survive a crash before the call goes on: it comes before a dangerous one.
    #[must_use]
    pub fn must_be_durable(&self) -> bool {
        matches!(self, Self::Before(before) if before.risk == Some(RiskLevel::Dangerous))
    }
}

/// What is known before a call runs.
///
/// # Examples
/// See [`AuditEvent`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BeforeCall {
    /// When.
    pub time: Timestamp,
    /// The id of the call; at most 256 characters of it.
    pub call_id: String,
    /// The call or agent that asked for it, if the host says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The tool's name, or what was called where no tool has that name.
    pub tool: String,
    /// SHA-256 of the definition as JSON with sorted keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_digest: Option<String>,
    /// The arguments as they would be executed.
    pub arguments: AuditedArguments,
    /// The risk of this call, where it was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskLevel>,
    /// What policy and approver decided, where the call came so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Outcome>,
    /// The rule that decided, or the risk level whose default applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Who let the call through: `policy` or `approver`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
}

/// The arguments of a call, without secrets.
///
/// # Examples
/// See [`AuditEvent`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditedArguments {
    /// SHA-256 of the whole redacted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Bytes of the whole redacted text.
    pub bytes: usize,
    /// The first 2 KB of the redacted text: JSON with sorted keys.
    pub text: String,
}

/// How a call ended.
///
/// # Examples
/// See [`AuditEvent`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AfterCall {
    /// When.
    pub time: Timestamp,
    /// The id of the call; at most 256 characters of it.
    pub call_id: String,
    /// The call or agent that asked for it, if the host says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The tool's name, or what was called where no tool has that name.
    pub tool: String,
    /// Whether the tool succeeded.
    pub success: bool,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// What the call did to the world.
    pub side_effects: SideEffects,
    /// How often the tool was run.
    pub attempts: u32,
    /// The exit code, of a tool that ran a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// How long the call took, without the time that a person took to decide.
    pub duration_ms: u64,
    /// Bytes of output that the model was not shown.
    pub bytes_dropped: u64,
    /// What the tool gave.
    pub output: AuditedOutput,
    /// The files that were written, the first 1,000 of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<AuditedFile>,
    /// What a sandbox enforced, as the tool's metadata says under `sandbox` and `protected`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sandbox: BTreeMap<String, Value>,
}

/// The text that a tool gave, or where it is.
///
/// # Examples
/// ```
/// use tool_core::audit::AuditedOutput;
///
/// let output: AuditedOutput = serde_json::from_str(r#"{"bytes": 2, "text": "ok"}"#)?;
/// assert_eq!(output.text.as_deref(), Some("ok"));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditedOutput {
    /// Bytes of the whole text.
    pub bytes: u64,
    /// The text, up to 10 KB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The handle of a text over 10 KB in the output store, where the registry has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

/// A file that was written.
///
/// The digests are what the tool says in its metadata: `file_digests` holds `{path: {before, after}}`.
///
/// # Examples
/// ```
/// use tool_core::audit::AuditedFile;
///
/// let file: AuditedFile = serde_json::from_str(r#"{"path": "a.txt"}"#)?;
/// assert_eq!(file.before, None);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditedFile {
    /// The path, relative to the workspace.
    pub path: String,
    /// Digest of what it held before; absent where it was not there, or the tool does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Digest of what it holds now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}
