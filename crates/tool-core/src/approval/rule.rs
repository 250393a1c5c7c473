//! One rule of a policy, as data.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// What the policy says about a call.
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
    /// Run it.
    Allow,
    /// Ask the approver.
    Ask,
    /// Do not run it.
    Deny,
}

/// What a rule does, from the weakest to the strongest: the strongest rule that matches decides.
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
    /// Run without asking.
    Allow,
    /// Ask the approver.
    Ask,
    /// Do not run.
    Deny,
    /// Do not run; meant for what the host never lets anybody overrule.
    HardDeny,
}

/// One rule: for which tool, for which arguments, until when, and what to do.
///
/// # Examples
/// ```
/// use tool_core::approval::{Effect, Rule};
///
/// let rule = Rule::new("text-files", "create_file", Effect::Allow).with_pattern(r#"^{"path":".*\\.txt"}$"#);
/// assert!(rule.enabled);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rule {
    /// Names the rule in results and logs.
    pub id: String,
    /// The tool's exact name, as the model sees it.
    pub tool: String,
    /// A regular expression that must match the whole of the arguments as compact JSON with sorted keys,
    /// defaults included. Without one, all arguments match. A brace that starts no repetition stands for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What to do.
    pub effect: Effect,
    /// When the rule stops to hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Whether the rule holds at all.
    #[serde(default = "enabled")]
    pub enabled: bool,
}

fn enabled() -> bool {
    true
}

impl Rule {
    /// Creates a rule for all calls of a tool.
    #[must_use]
    pub fn new(id: impl Into<String>, tool: impl Into<String>, effect: Effect) -> Self {
        Self {
            id: id.into(),
            tool: tool.into(),
            pattern: None,
            effect,
            expires_at: None,
            enabled: true,
        }
    }

    /// Narrows the rule to arguments that match.
    #[must_use]
    pub fn with_pattern(mut self, pattern: impl Into<String>) -> Self {
        self.pattern = Some(pattern.into());
        self
    }

    /// Ends the rule at a time.
    #[must_use]
    pub fn until(mut self, time: Timestamp) -> Self {
        self.expires_at = Some(time);
        self
    }

    pub(super) fn holds_at(&self, now: Timestamp) -> bool {
        self.enabled && self.expires_at.is_none_or(|end| now < end)
    }
}
