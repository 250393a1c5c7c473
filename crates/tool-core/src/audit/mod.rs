//! Audit logs: one event before each call and one after.
//!
//! Set an [`AuditLog`] on the registry's builder. The first event is written after the approval; a dangerous call waits until
//! the event is durable, and does not run if it cannot be written. A call that is rejected earlier has both events at its
//! end. A call that is dropped while it runs is recorded as cancelled; one that is dropped before is not recorded.
//!
//! Arguments with names of secrets are masked, known secrets are removed (see [`Redactor`](crate::Redactor)), and text over
//! 2 KB is truncated; the digest covers all of it. Output over 10 KB is omitted; if the registry has an output store, the
//! event contains its handle.

mod event;
mod file;
mod log;
mod mask;

pub use event::{AfterCall, AuditEvent, AuditedArguments, AuditedFile, AuditedOutput, BeforeCall};
pub use file::AuditFile;
pub use log::{AuditError, AuditLog, AuditWrite};
pub(crate) use mask::masked;
