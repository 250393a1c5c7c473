//! States and outcomes of calls in a ledger.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{ErrorCode, SideEffects, ToolResult};

/// State of a call in a ledger. The [module](super) describes the transitions.
///
/// # Examples
/// ```
/// use tool_core::ledger::LedgerState;
///
/// assert_eq!(LedgerState::FailedWithoutEffect.as_str(), "failed_without_effect");
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
pub struct Settled {
    state: LedgerState,
    result: Box<ToolResult>,
}

impl Settled {
    /// Classifies a result by its success, its error code and its side effects:
    ///
    /// | state | result |
    /// |---|---|
    /// | `done` | the tool succeeded |
    /// | `unknown` | the tool cannot determine whether the call took effect (`outcome_unknown`); a recovery may settle it |
    /// | `failed_without_effect` | the call failed before it had any effect; a later call runs |
    /// | `failed_with_possible_effect` | the call failed and may have had an effect; pins the key like a success |
    pub fn of(result: ToolResult) -> Self {
        let code = result.error.as_ref().map(|error| &error.code);
        let state = match result.metadata.side_effects {
            _ if result.success => LedgerState::Done,
            _ if code == Some(&ErrorCode::OutcomeUnknown) => LedgerState::Unknown,
            SideEffects::None => LedgerState::FailedWithoutEffect,
            _ => LedgerState::FailedWithPossibleEffect,
        };
        let result = Box::new(result);
        Self { state, result }
    }

    /// Returns the state of the entry with this outcome.
    pub fn state(&self) -> LedgerState {
        self.state
    }

    /// Returns the stored result.
    pub fn result(&self) -> &ToolResult {
        &self.result
    }
}
