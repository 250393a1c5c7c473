//! States and outcomes of calls in a ledger.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{ErrorCode, SideEffects, ToolResult};

/// State of a call in a ledger. The [module](super) describes the transitions.
///
/// # Examples
/// ```
/// use tool_core::ledger::LedgerState;
///
/// assert_eq!(LedgerState::FailedWithoutEffect.as_str(), "failed_without_effect");
/// assert_eq!("unknown".parse(), Ok(LedgerState::Unknown));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LedgerState {
    /// A request for approval waits.
    AwaitingApproval,
    /// No run is in progress, and a run is safe.
    Claimed,
    /// A run holds the lease.
    Running,
    /// The tool succeeded.
    Done,
    /// The call failed before it had any effect.
    FailedWithoutEffect,
    /// The call failed and may have had an effect.
    FailedWithPossibleEffect,
    /// The lease ended before the outcome was stored.
    Unknown,
}

impl LedgerState {
    /// All states.
    pub const ALL: [Self; 7] = [
        Self::AwaitingApproval,
        Self::Claimed,
        Self::Running,
        Self::Done,
        Self::FailedWithoutEffect,
        Self::FailedWithPossibleEffect,
        Self::Unknown,
    ];

    /// Returns the `snake_case` name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AwaitingApproval => "awaiting_approval",
            Self::Claimed => "claimed",
            Self::Running => "running",
            Self::Done => "done",
            Self::FailedWithoutEffect => "failed_without_effect",
            Self::FailedWithPossibleEffect => "failed_with_possible_effect",
            Self::Unknown => "unknown",
        }
    }

    /// Returns `true` if the outcome is stored.
    pub fn is_settled(self) -> bool {
        matches!(
            self,
            Self::Done | Self::FailedWithoutEffect | Self::FailedWithPossibleEffect
        )
    }

    /// Returns the state of a run whose lease ended. `repeatable` calls return to `claimed`.
    pub(crate) fn after_lease(repeatable: bool) -> Self {
        if repeatable {
            Self::Claimed
        } else {
            Self::Unknown
        }
    }
}

impl fmt::Display for LedgerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for LedgerState {
    type Err = UnknownState;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = |state: &Self| state.as_str() == text;
        Self::ALL.into_iter().find(named).ok_or(UnknownState)
    }
}

/// Error of an unknown name of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown ledger state; see `LedgerState::ALL`")]
pub struct UnknownState;

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
    pub fn state(&self) -> LedgerState {
        match self {
            Self::Done(_) => LedgerState::Done,
            Self::FailedWithoutEffect(_) => LedgerState::FailedWithoutEffect,
            Self::FailedWithPossibleEffect(_) => LedgerState::FailedWithPossibleEffect,
            Self::Unknown(_) => LedgerState::Unknown,
        }
    }

    /// Returns the stored result.
    pub fn result(&self) -> &ToolResult {
        match self {
            Self::Done(result)
            | Self::FailedWithoutEffect(result)
            | Self::FailedWithPossibleEffect(result)
            | Self::Unknown(result) => result,
        }
    }
}
