//! Audit events.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::Outcome;
use crate::{ErrorCode, RiskLevel, SideEffects, Timestamp};

/// Event before or after a call. In JSON, it is an object with the member `event`: `before` or `after`.
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
    /// A call is about to run, or was rejected.
    Before(BeforeCall),
    /// A call has finished.
    After(AfterCall),
}

impl AuditEvent {
    /// Returns the id of the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        match self {
            Self::Before(before) => &before.call_id,
            Self::After(after) => &after.call_id,
        }
    }

    /// Returns `true` if the event must be durable before the call runs: it precedes a dangerous
    /// one.
    #[must_use]
    pub fn must_be_durable(&self) -> bool {
        matches!(self, Self::Before(before) if before.risk == Some(RiskLevel::Dangerous))
    }
}

/// Facts before a call runs.
///
/// # Examples
/// See [`AuditEvent`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BeforeCall {
    /// Time of the event.
    pub time: Timestamp,
    /// Id of the call, at most 256 characters.
    pub call_id: String,
    /// Parent call or agent, if set by the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Name of the tool, or the called name of an unknown tool.
    pub tool: String,
    /// SHA-256 of the definition as JSON with sorted keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_digest: Option<String>,
    /// Arguments that would be executed.
    pub arguments: AuditedArguments,
    /// Risk of the call, if it was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskLevel>,
    /// Decision of policy and approver, if the call reached them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Outcome>,
    /// Deciding rule, or the risk level whose verdict applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// `policy` or `approver`, if the call was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
}

/// Arguments of a call, without secrets.
///
/// # Examples
/// See [`AuditEvent`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditedArguments {
    /// SHA-256 of the full redacted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Bytes of the full redacted text.
    pub bytes: usize,
    /// First 2 KB of the redacted text: JSON with sorted keys.
    pub text: String,
}

/// Facts after a call.
///
/// # Examples
/// See [`AuditEvent`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AfterCall {
    /// Time of the event.
    pub time: Timestamp,
    /// Id of the call, at most 256 characters.
    pub call_id: String,
    /// Parent call or agent, if set by the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Name of the tool, or the called name of an unknown tool.
    pub tool: String,
    /// Whether the tool succeeded.
    pub success: bool,
    /// Error code of a failed call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// Side effects of the call.
    pub side_effects: SideEffects,
    /// Number of runs of the tool.
    pub attempts: u32,
    /// Exit code of a program that the tool ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Duration of the call, excluding the wait for the approver.
    pub duration_ms: u64,
    /// Bytes of output that the model did not see.
    pub bytes_dropped: u64,
    /// Output of the tool.
    pub output: AuditedOutput,
    /// Written files, at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<AuditedFile>,
    /// Restrictions of a sandbox: the members `sandbox` and `protected` of the tool's metadata.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sandbox: BTreeMap<String, Value>,
}

/// Output text of a tool, or its handle.
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
    /// Bytes of the full text.
    pub bytes: u64,
    /// Text of at most 10 KB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Handle of a longer text in the registry's output store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

/// A written file.
///
/// The digests are from the tool's metadata: `file_digests` is `{path: {before, after}}`.
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
    /// Path relative to the workspace.
    pub path: String,
    /// Digest of the previous content, if the file existed and the tool reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Digest of the new content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}
