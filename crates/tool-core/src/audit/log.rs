//! The trait of audit logs.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use super::AuditEvent;

/// A write in progress. Dropping it does not cancel the write.
///
/// # Examples
/// See [`AuditLog`].
pub type AuditWrite = Pin<Box<dyn Future<Output = Result<(), AuditError>> + Send>>;

/// Append-only destination of audit events, such as [`AuditFile`](super::AuditFile).
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
    /// Records an event. Must not block, and must keep the order of the calls. The future resolves when the event is written,
    /// or durable if [`AuditEvent::must_be_durable`] returns `true`.
    fn record(&self, event: AuditEvent) -> AuditWrite;
}

impl<T: AuditLog + ?Sized> AuditLog for Arc<T> {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        self.as_ref().record(event)
    }
}

/// Reason why an event could not be written.
///
/// # Examples
/// ```
/// use tool_core::audit::AuditError;
///
/// assert_eq!(AuditError::Full.to_string(), "too many events are queued");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The queue of the log is full.
    #[error("too many events are queued")]
    Full,
    /// The log was closed, or its writer has stopped.
    #[error("the log is closed")]
    Closed,
    /// The file is a link, or not a regular file.
    #[error("the log must be a regular file")]
    NotAFile,
    /// Writing failed.
    #[error("the log cannot be written")]
    Io(#[from] io::Error),
}
