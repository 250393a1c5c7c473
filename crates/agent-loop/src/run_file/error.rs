//! Errors of run files.

/// Error of a run file.
///
/// # Examples
/// ```
/// use agent_loop::{RecordedRun, RunFileError};
///
/// let error = RecordedRun::read("missing.jsonl").unwrap_err();
/// assert!(matches!(error, RunFileError::Unreadable { .. }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunFileError {
    /// The file exists or cannot be created.
    #[error("the run file cannot be created: {reason}; set a path of a new file")]
    NotCreated {
        /// Error of the operating system.
        reason: String,
    },
    /// The file cannot be read.
    #[error("the run file cannot be read: {reason}")]
    Unreadable {
        /// Error of the operating system, or the exceeded limit.
        reason: String,
    },
    /// A line is not an entry of a run file of a supported version.
    #[error("line {line} of the run file is invalid: {reason}")]
    Invalid {
        /// Number of the line, counted from 1.
        line: usize,
        /// The cause.
        reason: String,
    },
    /// The file contains no run.
    #[error("the run file contains no run")]
    Empty,
    /// The run continued a suspended run or is incomplete, and cannot be replayed.
    #[error("the run cannot be replayed: {reason}")]
    NotReplayable {
        /// The cause.
        reason: String,
    },
    /// Entries could not be written. The file ends before the failed entry.
    #[error("the run was not recorded completely: {reason}")]
    NotWritten {
        /// Error of the operating system.
        reason: String,
    },
}
