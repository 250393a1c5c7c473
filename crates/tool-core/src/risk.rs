//! How much harm a call can do, and what a host may assume about it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The risk of a call, from least to most.
///
/// # Examples
/// ```
/// use tool_core::RiskLevel;
///
/// assert!(RiskLevel::ReadOnly < RiskLevel::Dangerous);
/// assert_eq!(RiskLevel::SafeWrite.to_string(), "safe_write");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskLevel {
    /// Changes nothing.
    ReadOnly,
    /// Changes something that can be seen and taken back.
    SafeWrite,
    /// May destroy, send or run anything.
    Dangerous,
}

impl RiskLevel {
    /// The stable text of this level.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::SafeWrite => "safe_write",
            Self::Dangerous => "dangerous",
        }
    }
}

impl fmt::Display for RiskLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a host may assume about a tool. The words are those of the Model Context Protocol.
///
/// # Examples
/// ```
/// use tool_core::{Hints, RiskLevel};
///
/// let hints = Hints::of(RiskLevel::ReadOnly);
/// assert!(hints.read_only && hints.idempotent && !hints.destructive);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol has these four independent flags"
)]
pub struct Hints {
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool may destroy what was there before.
    pub destructive: bool,
    /// Calling twice with the same arguments does no more than calling once.
    pub idempotent: bool,
    /// The tool talks to the world outside the host.
    pub open_world: bool,
}

impl Hints {
    /// The hints that follow from a risk alone.
    #[must_use]
    pub fn of(risk: RiskLevel) -> Self {
        Self {
            read_only: risk == RiskLevel::ReadOnly,
            destructive: risk == RiskLevel::Dangerous,
            idempotent: risk == RiskLevel::ReadOnly,
            open_world: false,
        }
    }
}
