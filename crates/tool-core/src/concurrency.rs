//! Concurrency of calls.

use serde::{Deserialize, Serialize};

use crate::RiskLevel;

/// The calls that a call may overlap.
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
    /// May overlap any non-exclusive call.
    Parallel,
    /// Runs alone in the registry. A tool that calls the registry must not call an exclusive tool,
    /// because both would wait for each other.
    Exclusive,
    /// Runs sequentially per key of the arguments, such as the written file.
    PerKey,
}

impl Concurrency {
    /// Returns the default for a risk: parallel if read-only, else exclusive.
    #[must_use]
    pub fn of(risk: RiskLevel) -> Self {
        if risk == RiskLevel::ReadOnly {
            Self::Parallel
        } else {
            Self::Exclusive
        }
    }
}
