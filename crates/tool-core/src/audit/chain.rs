//! Telling whether a chained log was changed.

use std::io::{self, BufRead, Read};

use serde::Deserialize;

use super::digest;
use super::log::MAX_LINE_BYTES;

/// What the first line of a chain says in place of a digest.
pub(super) const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A chain without a break.
///
/// # Examples
/// See [`verify_chain`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChainSummary {
    /// How many lines it has.
    pub lines: u64,
    /// The digest of its last line. Kept elsewhere, it tells later whether the end was cut off.
    pub last: String,
}

/// Where a chain is broken.
///
/// # Examples
/// See [`verify_chain`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// A line does not follow from the one before: it, the one before, or what was between them was changed.
    #[error("line {line} does not follow from the line before")]
    Broken {
        /// Which line, counting from 1.
        line: u64,
    },
    /// A line is not an event of a chain, or is cut off.
    #[error("line {line} is not a line of a chain")]
    Unreadable {
        /// Which line, counting from 1.
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

/// Reads a chained log and checks that each line follows from the one before.
///
/// # Errors
/// [`ChainError`] with the first line at which the chain is broken.
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
        if log
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut bytes)?
            == 0
        {
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

/// The digest that a whole line carries, and its own.
fn linked(bytes: &[u8]) -> Option<(String, String)> {
    let line = bytes.strip_suffix(b"\n")?;
    let Link { previous } = serde_json::from_slice(line).ok()?;
    Some((previous, digest(line)?))
}

/// The digest of the last line in what was read of a log's end.
pub(super) fn digest_of_last_line(end: &[u8]) -> Option<String> {
    let line = end.strip_suffix(b"\n")?;
    let begins = line
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let (_, own) = linked(end.get(begins..)?)?;
    Some(own)
}
