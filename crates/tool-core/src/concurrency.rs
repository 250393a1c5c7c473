//! Which calls may run beside each other.

use serde::{Deserialize, Serialize};

use crate::RiskLevel;

/// Which calls may run beside each other.
///
/// # Examples
/// ```
/// use tool_core::{Concurrency, RiskLevel};
///
/// assert_eq!(Concurrency::of(RiskLevel::ReadOnly), Concurrency::Parallel);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concurrency {
    /// Beside anything but an exclusive call.
    Parallel,
    /// Alone: no other call of the registry runs meanwhile. A tool that itself calls the registry must not ask for
    /// an exclusive one, which would wait for the tool.
    Exclusive,
    /// One at a time per key of the arguments, such as the file written.
    PerKey,
}

impl Concurrency {
    /// What follows from a risk alone: reading runs in parallel, everything else alone.
    #[must_use]
    pub fn of(risk: RiskLevel) -> Self {
        if risk == RiskLevel::ReadOnly {
            Self::Parallel
        } else {
            Self::Exclusive
        }
    }
}
