//! Audit logs: one event before each call and one after.
//!
//! Set an [`AuditLog`] on the registry's builder. The first event is written after the approval; a dangerous call waits until
//! the event is durable, and does not run if it cannot be written. A call that is rejected earlier has both events at its
//! end. A call that is dropped while it runs is recorded as cancelled; one that is dropped before is not recorded.
//!
//! Arguments with names of secrets are masked, known secrets are removed (see [`Redactor`]), and text over
//! 2 KB is truncated; the digest covers all of it. Output over 10 KB is omitted; if the registry has an output store, the
//! event contains its handle.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::Outcome;
#[cfg(feature = "typed")]
use crate::approval::{canonical_json, sha256};
use crate::secret::REDACTED;
use crate::{ErrorCode, Redactor, RiskLevel, SideEffects, Timestamp};

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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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

/// Audit log in a file: one line of JSON per event, appended with one write.
///
/// The file is readable only by its owner (mode 0600 on Unix, even if it existed before), links are rejected, and the file is
/// only appended to. The host must place it outside every workspace, so that no tool can write to it. Lines of concurrent
/// calls never mix. The line of a call that is not dangerous is written to the system, but not synced.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_core::audit::AuditFile;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let path = std::env::temp_dir().join(format!("audit-{}.jsonl", std::process::id()));
/// let registry = Registry::builder().audit(AuditFile::open(&path)?).build();
/// registry.execute("nope", json!({})).await;
///
/// let lines = std::fs::read_to_string(&path)?;
/// assert_eq!(lines.lines().count(), 2);
/// # std::fs::remove_file(&path)?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct AuditFile(Arc<Mutex<Lines>>);

impl AuditFile {
    /// Opens or creates a log. Blocks briefly, so call it at the start of a program. After an incomplete last line, the next
    /// event begins a new line.
    ///
    /// # Errors
    /// Fails if the path is a link or not a regular file, or cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        // Check before opening: opening a pipe waits for a reader.
        if fs::symlink_metadata(path).is_ok_and(|known| !known.is_file()) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "an audit log must be a regular file",
            ));
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        // The file may exist already, with a mode that lets others read it.
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        let is_torn = is_torn(&mut file)?;
        Ok(Self::of(file, is_torn))
    }

    fn of(file: File, is_torn: bool) -> Self {
        Self(Arc::new(Mutex::new(Lines { file, is_torn })))
    }
}

impl AuditLog for AuditFile {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Written now, because a write that waits for its turn could change the order. The system buffers it.
        let written = lines.append(&event);
        if written.is_err() || !event.must_be_durable() {
            return Box::pin(async { written });
        }
        // Synced on another thread, because a disk takes milliseconds.
        let file = lines.file.try_clone();
        Box::pin(async {
            let file = file?;
            tokio::task::spawn_blocking(move || file.sync_data()).await?
        })
    }
}

#[derive(Debug)]
struct Lines {
    file: File,
    /// Whether the last line is incomplete.
    is_torn: bool,
}

impl Lines {
    fn append(&mut self, event: &AuditEvent) -> io::Result<()> {
        let mut line = Vec::new();
        if self.is_torn {
            // The incomplete line stays, so that a reader sees that an event is missing.
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, event)?;
        line.push(b'\n');
        // One write, because two could mix with the lines of another process.
        let count = self.file.write(&line)?;
        self.is_torn = count < line.len();
        if self.is_torn {
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(())
    }
}

/// Returns `true` if the last line is incomplete, as after a crash.
fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// Maximum bytes of recorded arguments.
const SHOWN_BYTES: usize = 2 * 1024;

/// Substrings of the names of secrets, in lowercase without separators.
const SECRET_NAMES: &str = "\
    password passwd passphrase secret credential authorization apikey privatekey accesskey cookie bearer";

/// Returns arguments as an event shows them: without secrets and truncated.
#[cfg(feature = "typed")]
pub(crate) fn recorded_arguments(arguments: Value, redactor: Option<&Redactor>) -> AuditedText {
    let text = canonical_json(&masked(arguments, redactor));
    let end = text.floor_char_boundary(SHOWN_BYTES);
    AuditedText {
        bytes: text.len() as u64,
        digest: Some(sha256(text.as_bytes())),
        text: text.get(..end).map(str::to_owned),
        handle: None,
    }
}

/// Returns arguments without known and likely secrets.
pub(crate) fn masked(mut arguments: Value, redactor: Option<&Redactor>) -> Value {
    mask(&mut arguments);
    if let Some(redactor) = redactor {
        redactor.scrub_value(&mut arguments);
    }
    arguments
}

/// Masks members with the name of a secret, at any depth.
fn mask(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(members) => {
            for (name, member) in members {
                if !member.is_null() && is_secret(name) {
                    *member = REDACTED.into();
                } else {
                    mask(member);
                }
            }
        }
        _ => {}
    }
}

/// Returns `true` if a name identifies a secret, such as `token` but not `max_tokens`.
fn is_secret(name: &str) -> bool {
    let letters = name.chars().filter(|character| character.is_alphanumeric());
    let folded: String = letters.take(256).flat_map(char::to_lowercase).collect();
    folded.ends_with("token")
        || ["auth", "pin"].contains(&folded.as_str())
        || SECRET_NAMES
            .split(' ')
            .any(|secret| folded.contains(secret))
}

#[cfg(test)]
mod tests;
