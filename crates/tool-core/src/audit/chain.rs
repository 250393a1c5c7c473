//! Verification of chained logs.

use std::io::{self, BufRead, Read};

use serde::Deserialize;

use super::log::MAX_LINE_BYTES;
use crate::digest::sha256;

/// Digest in the first line of a chain.
pub(super) const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Summary of a valid chain.
///
/// # Examples
/// See [`verify_chain`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChainSummary {
    /// Number of lines.
    pub lines: u64,
    /// Digest of the last line. Store it elsewhere to detect a truncated log later.
    pub last: String,
}

/// Reason why a chain is invalid.
///
/// # Examples
/// See [`verify_chain`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// A line has the wrong digest: it, the previous line or a line between them was changed.
    #[error("line {line} does not match the digest of the previous line")]
    Broken {
        /// Number of the line, counted from 1.
        line: u64,
    },
    /// A line is not an event of a chain, or is truncated.
    #[error("line {line} is not a line of a chain")]
    Unreadable {
        /// Number of the line, counted from 1.
        line: u64,
    },
    /// The log cannot be read.
    #[error("the log cannot be read")]
    Io(#[from] io::Error),
}

#[derive(Deserialize)]
struct Link {
    previous: String,
}

/// Verifies that each line of a chained log has the digest of the previous one.
///
/// # Errors
/// Returns [`ChainError`] with the first invalid line.
///
/// # Examples
/// ```
/// use tool_core::audit::{ChainError, verify_chain};
///
/// let summary = verify_chain(&b""[..])?;
/// assert_eq!(summary.lines, 0);
///
/// let changed = &br#"{"previous":"00","event":"before"}"#[..];
/// assert!(matches!(verify_chain(changed), Err(ChainError::Unreadable { line: 1 })));
/// # Ok::<_, ChainError>(())
/// ```
pub fn verify_chain(mut log: impl BufRead) -> Result<ChainSummary, ChainError> {
    let mut summary = ChainSummary {
        lines: 0,
        last: START.to_owned(),
    };
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let mut next = log.by_ref().take(MAX_LINE_BYTES);
        if next.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(summary);
        }
        let line = summary.lines + 1;
        let (previous, own) = linked(&bytes).ok_or(ChainError::Unreadable { line })?;
        if previous != summary.last {
            return Err(ChainError::Broken { line });
        }
        summary = ChainSummary {
            lines: line,
            last: own,
        };
    }
}

/// Returns the previous digest in a complete line, and the line's own.
fn linked(bytes: &[u8]) -> Option<(String, String)> {
    let line = bytes.strip_suffix(b"\n")?;
    let Link { previous } = serde_json::from_slice(line).ok()?;
    Some((previous, sha256(line)?))
}

/// Returns the digest of the last line in the end of a log.
pub(super) fn digest_of_last_line(end: &[u8]) -> Option<String> {
    let line = end.strip_suffix(b"\n")?;
    let begins = line
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let (_, own) = linked(end.get(begins..)?)?;
    Some(own)
}
