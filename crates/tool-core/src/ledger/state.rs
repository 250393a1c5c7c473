//! States of calls in a ledger.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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
    #[must_use]
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
    #[must_use]
    pub fn is_settled(self) -> bool {
        matches!(
            self,
            Self::Done | Self::FailedWithoutEffect | Self::FailedWithPossibleEffect
        )
    }

    /// Returns the state of a run whose lease ended. `repeatable` calls return to `claimed`.
    #[must_use]
    pub fn after_lease(repeatable: bool) -> Self {
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
