//! Limits of a store.

use tool_core::ledger::{LedgerError, Settled};
use tool_core::output_store::StoreLimits;

/// Limits of a store.
///
/// # Examples
/// ```
/// use tool_ledger::LedgerLimits;
///
/// let limits = LedgerLimits::default().with_requests(50);
/// assert_eq!((limits.max_requests, limits.max_entry_bytes), (50, 16 * 1024 * 1024));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LedgerLimits {
    /// Maximum bytes of an intent, of a stored result and of a request for approval. The default is 16 MiB.
    pub max_entry_bytes: usize,
    /// Maximum number of requests that wait for approval. The default is 1,000.
    pub max_requests: usize,
    /// Limits of the stored outputs.
    pub outputs: StoreLimits,
}

impl Default for LedgerLimits {
    fn default() -> Self {
        Self {
            max_entry_bytes: 16 * 1024 * 1024,
            max_requests: 1000,
            outputs: StoreLimits::default(),
        }
    }
}

impl LedgerLimits {
    /// Sets the maximum bytes of an entry's parts.
    #[must_use]
    pub fn with_entry_bytes(mut self, bytes: usize) -> Self {
        self.max_entry_bytes = bytes;
        self
    }

    /// Sets the maximum number of requests that wait for approval.
    #[must_use]
    pub fn with_requests(mut self, requests: usize) -> Self {
        self.max_requests = requests;
        self
    }

    /// Sets the limits of the stored outputs.
    #[must_use]
    pub fn with_outputs(mut self, outputs: StoreLimits) -> Self {
        self.outputs = outputs;
        self
    }

    /// Serializes a part of an entry.
    pub(crate) fn json(&self, part: &impl serde::Serialize) -> Result<String, LedgerError> {
        let json = serde_json::to_string(part).map_err(LedgerError::unavailable)?;
        match json.len() {
            bytes if bytes > self.max_entry_bytes => Err(LedgerError::TooLarge {
                bytes,
                limit: self.max_entry_bytes,
            }),
            _ => Ok(json),
        }
    }

    pub(crate) fn result_json(&self, outcome: &Settled) -> Result<String, LedgerError> {
        self.json(outcome.result())
    }
}
