//! From risk and rules to a verdict.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::compiled::CompiledPolicy;
use super::explanation::Explanation;
use super::rule::{Rule, Verdict};
use crate::{RiskLevel, Timestamp};

/// More rules are no policy that somebody wrote.
pub(super) const MAX_RULES: usize = 10_000;

/// What may run: a verdict for each risk, and rules that go before it.
///
/// Of the rules about a tool that hold and match, the strongest decides, wherever it stands: `hard_deny`, then `deny`,
/// `ask`, `allow`. Without one, the verdict of the risk applies.
///
/// A policy is plain data: [`Policy::from_json`] and [`Policy::to_json`] read and write the text that a host keeps in a
/// file. All members may be left out.
///
/// ```json
#[doc = include_str!("policy/example.json")]
/// ```
///
/// # Examples
/// ```
/// use tool_core::RiskLevel;
/// use tool_core::approval::{Effect, Policy, Rule, Verdict};
///
/// let policy = Policy::default().with_rule(Rule::new("no-shell", "bash", Effect::Deny));
/// assert_eq!(policy.explain("bash", "{}", RiskLevel::Dangerous).verdict, Verdict::Deny);
/// assert_eq!(policy.explain("read_file", "{}", RiskLevel::ReadOnly).verdict, Verdict::Allow);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Policy {
    /// For calls that change nothing.
    pub read_only: Verdict,
    /// For calls that change something that can be taken back.
    pub safe_write: Verdict,
    /// For calls that may do anything.
    pub dangerous: Verdict,
    /// Rules that go before the verdict of the risk.
    pub rules: Vec<Rule>,
}

/// Reading and safe writing is allowed; what is dangerous asks.
impl Default for Policy {
    fn default() -> Self {
        Self {
            read_only: Verdict::Allow,
            safe_write: Verdict::Allow,
            dangerous: Verdict::Ask,
            rules: Vec::new(),
        }
    }
}

/// A verdict and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ruling {
    /// What the policy says.
    pub(crate) verdict: Verdict,
    /// The id of the rule that decided, or the risk level whose verdict applies.
    pub(crate) rule: Cow<'static, str>,
    /// Whether a rule decided, and not the risk.
    pub(crate) is_by_rule: bool,
}

/// Why a text is no policy.
///
/// # Examples
/// See [`Policy::from_json`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The text is not the JSON of a policy.
    #[error("this is no policy: {reason}")]
    NotAPolicy {
        /// What is wrong, with line and column.
        reason: String,
    },
    /// There are more rules than a policy may have.
    #[error("the policy has {count} rules, and may have {MAX_RULES}")]
    TooManyRules {
        /// How many there are.
        count: usize,
    },
}

impl Policy {
    /// Allows everything. For hosts that confine their tools by other means.
    #[must_use]
    pub fn allow_all() -> Self {
        Self {
            dangerous: Verdict::Allow,
            ..Self::default()
        }
    }

    /// Sets the verdict for a risk.
    #[must_use]
    pub fn with_verdict(mut self, risk: RiskLevel, verdict: Verdict) -> Self {
        match risk {
            RiskLevel::ReadOnly => self.read_only = verdict,
            RiskLevel::SafeWrite => self.safe_write = verdict,
            RiskLevel::Dangerous => self.dangerous = verdict,
        }
        self
    }

    /// Adds a rule.
    #[must_use]
    pub fn with_rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Says what the policy decides for a call now, and why. `arguments` are compact JSON with sorted keys.
    #[must_use]
    pub fn explain(&self, tool: &str, arguments: &str, risk: RiskLevel) -> Explanation {
        self.explain_at(tool, arguments, risk, Timestamp::now())
    }

    /// The same at another time, which counts for rules that expire.
    #[must_use]
    pub fn explain_at(
        &self,
        tool: &str,
        arguments: &str,
        risk: RiskLevel,
        now: Timestamp,
    ) -> Explanation {
        let about_tool = |rule: &&Rule| rule.tool == tool;
        let policy = Self {
            rules: self.rules.iter().filter(about_tool).cloned().collect(),
            ..*self
        };
        CompiledPolicy::new(policy).explain(tool, arguments.to_owned().into(), risk, now)
    }

    /// Reads a policy as [`Policy::to_json`] writes it. What is left out is as in the default policy.
    ///
    /// # Errors
    /// [`PolicyError`] where the text is no policy. A member that a policy or a rule does not have is refused, and so is
    /// a policy with more than 10,000 rules. A rule whose pattern cannot be read is kept, and errs to the safe side; see
    /// [`Rule::check`].
    ///
    /// # Examples
    /// ```
    /// use tool_core::approval::{Policy, Verdict};
    ///
    /// let policy = Policy::from_json(r#"{"safe_write": "ask"}"#)?;
    /// assert_eq!((policy.safe_write, policy.read_only), (Verdict::Ask, Verdict::Allow));
    /// let error = Policy::from_json("{\n  \"dangerus\": \"deny\"\n}").unwrap_err();
    /// assert!(error.to_string().contains("line 2"), "{error}");
    /// # Ok::<_, tool_core::approval::PolicyError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, PolicyError> {
        let not_a_policy = |reason| PolicyError::NotAPolicy { reason };
        // A list of values without names would do as well for the parser, but says nothing to who reads it.
        if !text.trim_start().starts_with('{') {
            return Err(not_a_policy("it must be a JSON object".to_owned()));
        }
        let policy: Self =
            serde_json::from_str(text).map_err(|error| not_a_policy(error.to_string()))?;
        if policy.rules.len() > MAX_RULES {
            return Err(PolicyError::TooManyRules {
                count: policy.rules.len(),
            });
        }
        Ok(policy)
    }

    /// The policy as indented JSON with a line break at its end: the same text for the same policy.
    #[must_use]
    pub fn to_json(&self) -> String {
        // A policy is plain data with text keys, which can always be written.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    pub(super) fn verdict_of(&self, risk: RiskLevel) -> Verdict {
        match risk {
            RiskLevel::ReadOnly => self.read_only,
            RiskLevel::SafeWrite => self.safe_write,
            RiskLevel::Dangerous => self.dangerous,
        }
    }
}

impl Ruling {
    #[inline]
    pub(crate) fn by_risk(verdict: Verdict, risk: RiskLevel) -> Self {
        Self {
            verdict,
            rule: Cow::Borrowed(risk.as_str()),
            is_by_rule: false,
        }
    }

    pub(super) fn by_rule(rule: &Rule) -> Self {
        Self {
            verdict: rule.effect.verdict(),
            rule: rule.id.clone().into(),
            is_by_rule: true,
        }
    }
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests;
