//! Verdicts of policies and rules.

use serde::{Deserialize, Serialize};

/// Verdict of a policy or of one of its rules on a call, from weakest to strongest: the strongest matching rule decides.
///
/// # Examples
/// ```
/// use tool_core::approval::Verdict;
///
/// assert_eq!(serde_json::to_string(&Verdict::Ask)?, "\"ask\"");
/// assert!(Verdict::Deny > Verdict::Allow);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Run the call. A rule allows it only if it lists all findings of the tool.
    Allow,
    /// Require approval.
    Ask,
    /// Do not run the call.
    Deny,
}

impl Verdict {
    /// Returns the stable name: `allow`, `ask` or `deny`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}
