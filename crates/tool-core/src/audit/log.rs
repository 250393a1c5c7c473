//! Where events go.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use super::AuditEvent;

/// The most bytes of one line.
pub(super) const MAX_LINE_BYTES: u64 = 1024 * 1024;

/// A write that is under way. It is done when it resolves; dropping it does not take it back.
///
/// # Examples
/// See [`AuditLog`].
pub type AuditWrite = Pin<Box<dyn Future<Output = Result<(), AuditError>> + Send>>;

/// Where events go: append-only, in the order in which they are given.
///
/// [`AuditFile`](super::AuditFile) is one; a host may send them elsewhere.
///
/// # Examples
/// ```
/// use std::sync::{Arc, Mutex};
/// use tool_core::Registry;
/// use tool_core::audit::{AuditEvent, AuditLog, AuditWrite};
///
/// #[derive(Default)]
/// struct Kept(Mutex<Vec<AuditEvent>>);
///
/// impl AuditLog for Kept {
///     fn record(&self, event: AuditEvent) -> AuditWrite {
///         if let Ok(mut events) = self.0.lock() {
///             events.push(event);
///         }
///         Box::pin(async { Ok(()) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let kept = Arc::new(Kept::default());
/// let registry = Registry::builder().audit(kept.clone()).build();
/// registry.execute("nope", serde_json::json!({})).await;
/// assert_eq!(kept.0.lock().map(|events| events.len()).ok(), Some(2));
/// # }
/// ```
pub trait AuditLog: Send + Sync {
    /// Takes an event. It must not block: the event is on its way when this returns, and written when the future
    /// resolves. Where [`AuditEvent::must_be_durable`] says so, it resolves once the event would survive a crash.
    fn record(&self, event: AuditEvent) -> AuditWrite;
}

impl<T: AuditLog + ?Sized> AuditLog for Arc<T> {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        self.as_ref().record(event)
    }
}

/// Why an event could not be written.
///
/// # Examples
/// ```
/// use tool_core::audit::AuditError;
///
/// assert_eq!(AuditError::Full.to_string(), "too many events wait to be written");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// More events wait than the log holds.
    #[error("too many events wait to be written")]
    Full,
    /// The log was closed, or its writer has ended.
    #[error("the log is closed")]
    Closed,
    /// Another process writes this chained log.
    #[error("another process writes this log")]
    Locked,
    /// The file is a link, or no regular file.
    #[error("a log must be a regular file")]
    NotAFile,
    /// The last line of the file cannot be continued by a chain.
    #[error("the last line of the log is not part of a chain")]
    NotAChain,
    /// Writing failed.
    #[error("the log cannot be written")]
    Io(#[from] io::Error),
}
