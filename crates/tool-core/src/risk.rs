//! The risk and the effects of a call, and hints about tools.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The risk of a call, in ascending order.
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
    /// Makes no changes.
    ReadOnly,
    /// Makes visible changes that can be undone.
    SafeWrite,
    /// May delete, send or execute anything.
    Dangerous,
}

impl RiskLevel {
    /// Returns the stable text of this level.
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

/// Hints about a tool for the host, as defined by the Model Context Protocol.
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
    /// The tool makes no changes.
    pub read_only: bool,
    /// The tool may delete or overwrite existing data.
    pub destructive: bool,
    /// A repeated call with the same arguments has no additional effect.
    pub idempotent: bool,
    /// The tool communicates with external systems.
    pub open_world: bool,
}

impl Hints {
    /// Returns the default hints for a risk.
    pub fn of(risk: RiskLevel) -> Self {
        Self {
            read_only: risk == RiskLevel::ReadOnly,
            destructive: risk == RiskLevel::Dangerous,
            idempotent: risk == RiskLevel::ReadOnly,
            open_world: false,
        }
    }
}

/// Whether a call changed anything outside the process.
///
/// # Examples
/// ```
/// use tool_core::SideEffects;
///
/// assert_eq!(serde_json::to_string(&SideEffects::Possible)?, "\"possible\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SideEffects {
    /// The tool did not run, or is read-only.
    #[default]
    None,
    /// The tool did not complete; it may have made changes.
    Possible,
    /// The tool completed.
    Done,
}
