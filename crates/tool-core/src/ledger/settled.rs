//! Outcomes of calls.

use serde::{Deserialize, Serialize};

use super::LedgerState;
use crate::{ErrorCode, SideEffects, ToolResult};

/// Outcome of a call, as stored.
///
/// # Examples
/// ```
/// use tool_core::ledger::{LedgerState, Settled};
/// use tool_core::{ToolError, ToolResult};
///
/// let refused = ToolResult::refused("call_1", "pay", ToolError::failed("The queue is full"));
/// assert_eq!(Settled::of(refused).state(), LedgerState::FailedWithoutEffect);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", content = "result", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Settled {
    /// The tool succeeded.
    Done(Box<ToolResult>),
    /// The call failed before it had any effect. Does not pin the key: a later call runs.
    FailedWithoutEffect(Box<ToolResult>),
    /// The call failed and may have had an effect. Pins the key like a success.
    FailedWithPossibleEffect(Box<ToolResult>),
    /// The tool cannot determine whether the call took effect (`outcome_unknown`). A recovery may settle it.
    Unknown(Box<ToolResult>),
}

impl Settled {
    /// Classifies a result by its success, its error code and its side effects.
    #[must_use]
    pub fn of(result: ToolResult) -> Self {
        let code = result.error.as_ref().map(|error| &error.code);
        let is_unknown = code == Some(&ErrorCode::OutcomeUnknown);
        let effects = result.metadata.side_effects;
        let (success, result) = (result.success, Box::new(result));
        match (success, effects) {
            (true, _) => Self::Done(result),
            (false, SideEffects::None) => Self::FailedWithoutEffect(result),
            (false, _) if is_unknown => Self::Unknown(result),
            (false, _) => Self::FailedWithPossibleEffect(result),
        }
    }

    /// Returns the state of the entry with this outcome.
    #[must_use]
    pub fn state(&self) -> LedgerState {
        match self {
            Self::Done(_) => LedgerState::Done,
            Self::FailedWithoutEffect(_) => LedgerState::FailedWithoutEffect,
            Self::FailedWithPossibleEffect(_) => LedgerState::FailedWithPossibleEffect,
            Self::Unknown(_) => LedgerState::Unknown,
        }
    }

    /// Returns the stored result.
    #[must_use]
    pub fn result(&self) -> &ToolResult {
        match self {
            Self::Done(result)
            | Self::FailedWithoutEffect(result)
            | Self::FailedWithPossibleEffect(result)
            | Self::Unknown(result) => result,
        }
    }
}
