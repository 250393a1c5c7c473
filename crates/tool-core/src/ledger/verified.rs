//! Recovery of calls with an unknown outcome.

use super::LedgerEntry;
use crate::ToolOutput;

/// Finding of a tool about a call whose outcome is unknown.
///
/// # Examples
/// ```
/// use tool_core::ledger::Verified;
///
/// let found = Verified::Happened("The payment was made.".into());
/// assert!(!matches!(found, Verified::Unknown));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Verified {
    /// The call took effect. The output is stored as its result.
    Happened(ToolOutput),
    /// The call did not take effect, and will not. It may run again.
    DidNotHappen,
    /// The tool cannot determine it.
    Unknown,
}

/// Result of [`Registry::recover`](crate::Registry::recover).
///
/// # Examples
/// See [`Registry::recover`](crate::Registry::recover).
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Recovery {
    /// Calls that took effect. They are settled as `done`.
    pub happened: Vec<LedgerEntry>,
    /// Calls that did not take effect. They are settled as `failed_without_effect` and may run again.
    pub did_not_happen: Vec<LedgerEntry>,
    /// Calls whose outcome stays unknown.
    pub unknown: Vec<LedgerEntry>,
}
