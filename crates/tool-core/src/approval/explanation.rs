//! Explanations of verdicts.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::rule::Verdict;
use crate::RiskLevel;

/// Reasons for the verdict on a call. `Display` writes one line per rule for the tool.
///
/// # Examples
/// ```
/// use tool_core::RiskLevel;
/// use tool_core::approval::{Policy, Rule, Verdict};
///
/// let policy = Policy::default()
///     .with_rule(Rule::new("no-sudo", "bash", Verdict::Deny).with_pattern(r#".*\bsudo\b.*"#))
///     .with_rule(Rule::new("shell", "bash", Verdict::Allow));
/// let explanation = policy.explain("bash", r#"{"command":"sudo ls"}"#, RiskLevel::Dangerous);
/// assert_eq!(explanation.verdict, Verdict::Deny);
/// assert_eq!(explanation.to_string(), "\
/// bash (dangerous): deny, by the rule `no-sudo`
///   no-sudo (deny): matches and decides
///   shell (allow): matches");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explanation {
    /// Name of the tool.
    pub tool: String,
    /// Arguments in the form that rules match: compact JSON with sorted keys, including defaults.
    pub arguments: String,
    /// Risk of the call.
    pub risk: RiskLevel,
    /// Verdict of the policy.
    pub verdict: Verdict,
    /// Id of the deciding rule of the policy or of the tool itself, or the risk level whose verdict applies.
    pub rule: Cow<'static, str>,
    /// Reason of the tool itself to require approval, if that decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Status of every rule for this tool, in the order of the policy.
    pub rules: Vec<RuleFinding>,
}

/// Status of one rule for a call.
///
/// # Examples
/// ```
/// use tool_core::RiskLevel;
/// use tool_core::approval::{Policy, Rule, RuleStatus, Verdict};
///
/// let mut rule = Rule::new("off", "bash", Verdict::Allow);
/// rule.enabled = false;
/// let explanation = Policy::default().with_rule(rule).explain("bash", "{}", RiskLevel::Dangerous);
/// assert_eq!(explanation.rules[0].status, RuleStatus::Disabled);
/// assert!(!explanation.rules[0].decides);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RuleFinding {
    /// Id of the rule.
    pub id: String,
    /// Verdict of the rule.
    pub effect: Verdict,
    /// Result of the match.
    #[serde(flatten)]
    pub status: RuleStatus,
    /// Whether the rule decides.
    pub decides: bool,
}

/// Result of matching a rule with a call.
///
/// # Examples
/// See [`RuleFinding`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RuleStatus {
    /// The rule matches the arguments.
    Matched,
    /// The rule does not match the arguments.
    NotMatched,
    /// The rule matches the arguments and allows, but does not list a finding of the tool, so it does not apply.
    Flagged {
        /// Name of the first such finding.
        finding: String,
    },
    /// The rule allows a command of the call, but no rule allows another one, so it does not apply.
    Uncovered {
        /// Words of the first such command.
        part: String,
    },
    /// The rule is disabled.
    Disabled,
    /// The rule has expired.
    Expired,
    /// The rule is invalid: it requires approval or denies for all arguments, and allows none.
    Invalid {
        /// Reason, in one sentence.
        reason: String,
    },
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = self.verdict.as_str();
        write!(f, "{} ({}): {verdict}, by the ", self.tool, self.risk)?;
        if self.rules.iter().any(|rule| rule.decides) {
            write!(f, "rule `{}`", self.rule)?;
        } else if let Some(reason) = &self.reason {
            write!(f, "tool itself: {reason}")?;
        } else {
            write!(f, "verdict for this risk")?;
        }
        self.rules
            .iter()
            .try_for_each(|rule| write!(f, "\n  {rule}"))
    }
}

impl fmt::Display for RuleFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): ", self.id, self.effect.as_str())?;
        match &self.status {
            RuleStatus::Matched => f.write_str("matches")?,
            RuleStatus::NotMatched => f.write_str("does not match")?,
            RuleStatus::Flagged { finding } => {
                write!(f, "does not list the finding `{finding}`")?;
            }
            RuleStatus::Uncovered { part } => write!(f, "does not cover `{part}`")?,
            RuleStatus::Disabled => f.write_str("is disabled")?,
            RuleStatus::Expired => f.write_str("has expired")?,
            RuleStatus::Invalid { reason } => {
                let scope = match self.effect {
                    Verdict::Allow => "it allows nothing",
                    _ => "it applies to all arguments",
                };
                write!(f, "{reason}, so {scope}")?;
            }
        }
        f.write_str(if self.decides { " and decides" } else { "" })
    }
}
