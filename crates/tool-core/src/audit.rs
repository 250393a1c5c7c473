//! Audit logs: one event before each call and one after.
//!
//! Set an [`AuditLog`] on the registry's builder. The first event is written after the approval; a dangerous call waits until
//! the event is durable, and does not run if it cannot be written. A call that is rejected earlier has both events at its
//! end. A call that is dropped while it runs is recorded as cancelled; one that is dropped before is not recorded.
//!
//! Arguments with names of secrets are masked, known secrets are removed (see [`Redactor`](crate::Redactor)), and text over
//! 2 KB is truncated; the digest covers all of it. Output over 10 KB is omitted; if the registry has an output store, the
//! event contains its handle.

mod file;
mod mask;

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::Outcome;
use crate::{ErrorCode, RiskLevel, SideEffects, Timestamp};

pub use file::AuditFile;
pub(crate) use mask::{masked, recorded_arguments};

/// Event before or after a call. The event after it repeats the first one and adds the result.
///
/// # Examples
/// ```
/// use tool_core::audit::AuditEvent;
///
/// let line = r#"{"time":"2025-11-10T10:05:00.000Z","call_id":"call_1","tool":"read_file",
///     "arguments":{"bytes":14,"text":"{\"path\":\"a.txt\"}"},"risk":"read_only","decision":"allowed","rule":"read_only"}"#;
/// let event: AuditEvent = serde_json::from_str(line)?;
/// assert!(event.result.is_none());
/// assert!(!event.must_be_durable());
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditEvent {
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
    /// Arguments that would be executed: JSON with sorted keys and without secrets, of which at most 2 KB are shown.
    pub arguments: AuditedText,
    /// Risk of the call, if it was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskLevel>,
    /// Decision of policy and approver, if the call reached them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Outcome>,
    /// Deciding rule, or the risk level whose verdict applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What came of the call. `None` before it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<AuditedResult>,
}

impl AuditEvent {
    /// Returns `true` if the event must be durable before the call runs: it precedes a dangerous one.
    #[must_use]
    pub fn must_be_durable(&self) -> bool {
        self.result.is_none() && self.risk == Some(RiskLevel::Dangerous)
    }
}

/// Arguments or output of a call.
///
/// # Examples
/// ```
/// use tool_core::audit::AuditedText;
///
/// let output: AuditedText = serde_json::from_str(r#"{"bytes": 2, "text": "ok"}"#)?;
/// assert_eq!(output.text.as_deref(), Some("ok"));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditedText {
    /// Bytes of the full text.
    pub bytes: u64,
    /// The text, or the beginning of long arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// SHA-256 of all arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Handle of an output over 10 KB in the registry's output store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

/// What came of a call.
///
/// # Examples
/// See [`AuditEvent`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditedResult {
    /// Error code of a failed call. `None` if the tool succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// Side effects of the call.
    pub side_effects: SideEffects,
    /// Number of runs of the tool.
    pub attempts: u32,
    /// Duration of the call, excluding the wait for the approver.
    pub duration_ms: u64,
    /// Output of the tool, shown up to 10 KB.
    pub output: AuditedText,
    /// Written files, at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Metadata of the tool, such as an exit code or the digests of written files. Values over 4 KB are omitted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, Value>,
}

/// A write in progress. Dropping it does not cancel the write.
///
/// # Examples
/// See [`AuditLog`].
pub type AuditWrite = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Append-only destination of audit events, such as [`AuditFile`].
///
/// # Examples
/// ```
/// use std::sync::{Arc, Mutex};
/// use tool_core::Registry;
/// use tool_core::audit::{AuditEvent, AuditLog, AuditWrite};
///
/// #[derive(Default)]
/// struct MemoryLog(Mutex<Vec<AuditEvent>>);
///
/// impl AuditLog for MemoryLog {
///     fn record(&self, event: AuditEvent) -> AuditWrite {
///         if let Ok(mut events) = self.0.lock() {
///             events.push(event);
///         }
///         Box::pin(async { Ok(()) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let log = Arc::new(MemoryLog::default());
/// let registry = Registry::builder().audit(log.clone()).build();
/// registry.execute("nope", serde_json::json!({})).await;
/// assert_eq!(log.0.lock().map(|events| events.len()).ok(), Some(2));
/// # }
/// ```
pub trait AuditLog: Send + Sync {
    /// Records an event. Must not wait, and must keep the order of the calls. The future resolves when the event is written,
    /// or durable if [`AuditEvent::must_be_durable`] returns `true`.
    fn record(&self, event: AuditEvent) -> AuditWrite;
}

impl<T: AuditLog + ?Sized> AuditLog for Arc<T> {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        self.as_ref().record(event)
    }
}
