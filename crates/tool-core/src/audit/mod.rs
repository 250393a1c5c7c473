//! A record of every call that can be kept: one event before it runs, one after.
//!
//! An [`AuditLog`] is set on the registry's builder. The event before a call is written once policy and approver have
//! decided; a dangerous call waits until it is durable, and does not run where it cannot be written. A call that was
//! refused before that has both events at its end. A call that is dropped while it runs is recorded as cancelled; one
//! that is dropped before it was to run is not recorded.
//!
//! Arguments are masked where their names look like secrets, scrubbed of the registry's known secrets (see
//! [`Redactor`](crate::Redactor)), and cut after 2 KB; a digest stands for the rest. Output over 10 KB is not written: where
//! the registry has an output store its handle is.

#[cfg(feature = "typed")]
mod chain;
mod digest;
mod event;
mod file;
mod log;
mod mask;

#[cfg(feature = "typed")]
pub use chain::{ChainError, ChainSummary, verify_chain};
pub use event::{AfterCall, AuditEvent, AuditedArguments, AuditedFile, AuditedOutput, BeforeCall};
pub use file::AuditFile;
pub use log::{AuditError, AuditLog, AuditWrite};

pub(crate) use digest::digest;
