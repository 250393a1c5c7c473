//! Verdicts of policies and effects of rules.

use serde::{Deserialize, Serialize};

/// Verdict of a policy on a call.
///
/// # Examples
/// ```
/// use tool_core::approval::Verdict;
///
/// assert_eq!(serde_json::to_string(&Verdict::Ask)?, "\"ask\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Run the call.
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

/// Effect of a rule, from weakest to strongest: the strongest matching rule decides.
///
/// # Examples
/// ```
/// use tool_core::approval::Effect;
///
/// assert!(Effect::Deny > Effect::Allow);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Run the call, unless the tool has findings that the rule does not list.
    Allow,
    /// Require approval.
    Ask,
    /// Do not run the call.
    Deny,
    /// Do not run the call. For restrictions that no user may overrule.
    HardDeny,
}

impl Effect {
    /// Returns the stable name: `allow`, `ask`, `deny` or `hard_deny`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::HardDeny => "hard_deny",
        }
    }

    pub(super) fn verdict(self) -> Verdict {
        match self {
            Self::Allow => Verdict::Allow,
            Self::Ask => Verdict::Ask,
            Self::Deny | Self::HardDeny => Verdict::Deny,
        }
    }
}
