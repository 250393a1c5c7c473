//! Policies: a verdict per risk, and rules for exceptions.

use serde::{Deserialize, Serialize};

use super::rule::{EVERY_TOOL, Rule, RuleError, Verdict};
use crate::RiskLevel;

/// Maximum number of rules.
pub(super) const MAX_RULES: usize = 10_000;

/// Verdicts by risk, and rules that overrule them.
///
/// The strongest matching rule for a tool decides, regardless of the order: `deny`, `ask`, `allow`. If no
/// rule matches, the verdict of the risk applies.
///
/// A policy is plain data: [`Policy::from_json`] and [`Policy::to_json`] read and write its file format. All members are
/// optional.
///
/// ```json
#[doc = include_str!("policy/example.json")]
/// ```
///
/// # Examples
/// ```
/// use tool_core::RiskLevel;
/// use tool_core::approval::{Policy, Rule, Verdict};
///
/// let policy = Policy::default().with_rule(Rule::new("no-shell", "bash", Verdict::Deny));
/// assert_eq!(policy.explain("bash", "{}", RiskLevel::Dangerous).verdict, Verdict::Deny);
/// assert_eq!(policy.explain("read_file", "{}", RiskLevel::ReadOnly).verdict, Verdict::Allow);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
#[must_use]
pub struct Policy {
    /// Verdict on calls that change nothing.
    pub read_only: Verdict,
    /// Verdict on calls whose changes can be undone.
    pub safe_write: Verdict,
    /// Verdict on all other calls.
    pub dangerous: Verdict,
    /// Rules that overrule the verdict of the risk.
    pub rules: Vec<Rule>,
}

/// Allows reads and safe writes, and requires approval for dangerous calls.
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

/// Reason why text is not a policy.
///
/// # Examples
/// See [`Policy::from_json`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The text is not the JSON of a policy.
    #[error("invalid policy: {reason}")]
    NotAPolicy {
        /// Problem, with line and column.
        reason: String,
    },
    /// A rule is invalid.
    #[error(transparent)]
    Rule(RuleError),
    /// There are too many rules.
    #[error("the policy has {count} rules; at most {MAX_RULES} are allowed")]
    TooManyRules {
        /// Number of rules.
        count: usize,
    },
}

impl Policy {
    /// Creates a policy that allows everything, for hosts that confine their tools by other means.
    pub fn allow_all() -> Self {
        Self {
            dangerous: Verdict::Allow,
            ..Self::default()
        }
    }

    /// Creates a policy that allows reads and requires approval for every change.
    pub fn ask_before_changes() -> Self {
        Self {
            safe_write: Verdict::Ask,
            ..Self::default()
        }
    }

    /// Allows a command that begins with these words, such as `cargo test`, for every tool that runs commands. Approval
    /// isn't required if each command of a call only reads or is covered by such a rule, so `cargo test 2>&1 | tail -5` runs
    /// and `cargo test; rm x` asks.
    ///
    /// The command runs in the sandbox, and without one it asks. The rule gives no further permissions, and covers neither
    /// assignments, words that are known only when the command runs, nor options that run programs or write elsewhere, such
    /// as `--config`, unless it names them itself. Text that is more than plain words allows nothing; see [`Rule::check`].
    ///
    /// # Examples
    /// ```
    /// use tool_core::approval::Policy;
    ///
    /// let policy = Policy::ask_before_changes().allow_command("cargo test").allow_command("git diff");
    /// assert_eq!(policy.rules[0].command.as_deref(), Some("cargo test"));
    /// ```
    pub fn allow_command(self, words: &str) -> Self {
        let rule = Rule::new(format!("allow {words}"), EVERY_TOOL, Verdict::Allow);
        self.with_rule(rule.with_command(words))
    }

    /// Allows calls that write only this file, or files below this directory (`docs` or `docs/**`), and can be undone.
    ///
    /// # Examples
    /// ```
    /// use tool_core::approval::Policy;
    ///
    /// let policy = Policy::ask_before_changes().allow_write("docs/**");
    /// assert_eq!(policy.rules[0].paths, ["docs/**"]);
    /// ```
    pub fn allow_write(self, path: &str) -> Self {
        let rule = Rule::new(format!("allow writing {path}"), EVERY_TOOL, Verdict::Allow);
        self.with_rule(rule.with_paths([path]))
    }

    /// Allows calls that connect only to this host, such as `docs.rs`, or to hosts below a domain, such as `*.example.org`.
    /// Commands aren't covered, because nothing limits to which hosts they connect.
    ///
    /// # Examples
    /// ```
    /// use tool_core::approval::Policy;
    ///
    /// let policy = Policy::default().allow_host("docs.rs");
    /// assert_eq!(policy.rules[0].host.as_deref(), Some("docs.rs"));
    /// ```
    pub fn allow_host(self, host: &str) -> Self {
        let rule = Rule::new(format!("allow {host}"), EVERY_TOOL, Verdict::Allow);
        self.with_rule(rule.with_host(host))
    }

    /// Sets the verdict for a risk.
    pub fn with_verdict(mut self, risk: RiskLevel, verdict: Verdict) -> Self {
        match risk {
            RiskLevel::ReadOnly => self.read_only = verdict,
            RiskLevel::SafeWrite => self.safe_write = verdict,
            RiskLevel::Dangerous => self.dangerous = verdict,
        }
        self
    }

    /// Adds a rule.
    pub fn with_rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Parses a policy in the format of [`Policy::to_json`]. Missing members have the values of the default policy.
    ///
    /// # Errors
    /// Returns [`PolicyError`] if the text is not a policy, has unknown members, has more than 10,000 rules, or has an
    /// invalid rule. Only a rule whose pattern is no regular expression is accepted and fails closed; see [`Rule::check`].
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
    #[cfg(feature = "validate")]
    pub fn from_json(text: &str) -> Result<Self, PolicyError> {
        let not_a_policy = |reason| PolicyError::NotAPolicy { reason };
        // Serde would also accept an array without names.
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
        for rule in &policy.rules {
            match rule.check() {
                Ok(()) | Err(RuleError::Pattern { .. }) => {}
                Err(error) => return Err(PolicyError::Rule(error)),
            }
        }
        Ok(policy)
    }

    /// Returns the policy as indented JSON with a final newline. Equal policies have equal text.
    pub fn to_json(&self) -> String {
        // Cannot fail: a policy is plain data with string keys.
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

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
