//! Rules of a policy, and their verdicts.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Reason why a rule is invalid. Invalid rules fail closed: they ask or deny for all arguments, and allow none.
///
/// # Examples
/// See [`Rule::check`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The pattern is not a regular expression, is too large, or is not supported by this build.
    #[error("the rule `{id}` has an invalid pattern: {reason}")]
    Pattern {
        /// Id of the rule.
        id: String,
        /// Problem of the pattern.
        reason: String,
    },
    /// The rule requires approval or denies, but its pattern cannot match complete arguments, for example because it is only
    /// a path.
    #[error(
        "the pattern of the rule `{id}` never matches; patterns match the complete arguments as compact JSON, such as `{{\"path\":\"secrets/.*\"}}`"
    )]
    NeverMatches {
        /// Id of the rule.
        id: String,
    },
    /// The rule has more than one of `pattern`, `digest`, `command` and `host`.
    #[error("the rule `{id}` has more than one of `pattern`, `digest`, `command` and `host`")]
    SeveralConditions {
        /// Id of the rule.
        id: String,
    },
    /// The words of a command, or the host, are not in the form of a rule.
    #[error("the rule `{id}` is invalid: {reason}")]
    Condition {
        /// Id of the rule.
        id: String,
        /// Problem of the text.
        reason: String,
    },
    /// The rule would allow every call of every tool.
    #[error("the rule `{id}` allows every tool; name one, or add `command`, `host` or `paths`")]
    AllowsEverything {
        /// Id of the rule.
        id: String,
    },
}

/// Name in rules that stands for every tool.
pub(super) const EVERY_TOOL: &str = "*";

/// A rule: tool, arguments, expiry and verdict.
///
/// Unknown members are rejected in JSON: a rule with a misspelled `expires_at` would never expire.
///
/// # Examples
/// ```
/// use tool_core::approval::{Rule, Verdict};
///
/// let rule = Rule::new("text-files", "create_file", Verdict::Allow).with_pattern(r#"^{"path":".*\\.txt"}$"#);
/// assert!(rule.enabled);
/// assert!(serde_json::from_str::<Rule>(r#"{"id": "x", "tool": "f", "effect": "allow", "expires": "never"}"#).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
#[must_use]
pub struct Rule {
    /// Name of the rule in results and logs.
    pub id: String,
    /// Exact name of the tool, as shown to the model, or `*` for every tool. A rule that allows every tool needs a
    /// `command`, a `host` or `paths`.
    #[serde(default = "every_tool")]
    pub tool: String,
    /// Regular expression that must match the complete arguments as compact JSON with sorted keys, including defaults. For
    /// a call with parts, such as a command line, the parts are matched as well; see [`Findings`](super::Findings). All
    /// arguments match without one. A brace that does not start a repetition is a literal, and `\\.` means `\.`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// SHA-256 of the same JSON in hexadecimal, instead of a pattern, for exactly these arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// SHA-256 of the tool's definition in hexadecimal. The rule does not apply to a tool of the same name with another
    /// definition. Set by decisions that always allow a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// First words of a command, such as `cargo test`, for tools that run commands. A rule that requires approval or denies
    /// applies if one of the commands of a call begins so. One that allows applies if every command of the call only reads
    /// or is allowed by such a rule; see [`Policy::allow_command`](super::Policy::allow_command).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Host that a call connects to, such as `docs.rs`, or `*.example.org` for those below a domain. A rule that allows
    /// applies if the call connects to no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Verdict of the rule.
    pub effect: Verdict,
    /// Names of findings of the tool, such as `command_filter:network` or `needs:write`. A rule that allows applies only to
    /// calls whose findings are all listed, so by default only to calls without findings. A rule that requires approval or
    /// denies applies, if it lists findings, only to calls with one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// Files and directories that the rule is about, as [`Touches`](crate::Touches) names them; a directory covers what is below it. A rule
    /// that allows applies only to calls that touch files, all of them here. A rule that requires approval or denies applies
    /// to calls that touch one of them, or a directory above it. `docs/**` is the same as `docs`. All calls match without
    /// paths. For every tool, a rule that allows applies only to calls that change nothing or can be undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Time at which the rule expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Whether the rule is enabled.
    #[serde(default = "enabled")]
    pub enabled: bool,
}

fn enabled() -> bool {
    true
}

fn every_tool() -> String {
    EVERY_TOOL.to_owned()
}

impl Rule {
    /// Creates a rule for all calls of a tool.
    pub fn new(id: impl Into<String>, tool: impl Into<String>, effect: Verdict) -> Self {
        Self {
            id: id.into(),
            tool: tool.into(),
            pattern: None,
            digest: None,
            definition: None,
            command: None,
            host: None,
            effect,
            findings: Vec::new(),
            paths: Vec::new(),
            expires_at: None,
            enabled: true,
        }
    }

    /// Restricts the rule to arguments that match `pattern`.
    pub fn with_pattern(mut self, pattern: impl Into<String>) -> Self {
        self.pattern = Some(pattern.into());
        self
    }

    /// Restricts the rule to calls that run a command with these first words; see [`command`](Self::command).
    ///
    /// # Examples
    /// ```
    /// use tool_core::approval::{Rule, Verdict};
    ///
    /// let rule = Rule::new("no-push", "*", Verdict::Deny).with_command("git push");
    /// assert!(rule.check().is_ok());
    /// assert!(rule.with_command("git push; ls").check().is_err());
    /// ```
    pub fn with_command(mut self, words: impl Into<String>) -> Self {
        self.command = Some(words.into());
        self
    }

    /// Restricts the rule to calls that connect to this host; see [`host`](Self::host).
    pub fn with_host(mut self, host: impl Into<String>) -> Self {
        self.host = Some(host.into());
        self
    }

    /// Sets the findings that a rule overrules or, if it requires approval or denies, applies to.
    ///
    /// # Examples
    /// ```
    /// use tool_core::approval::{Rule, Verdict};
    ///
    /// let rule = Rule::new("fetch", "bash", Verdict::Allow)
    ///     .with_pattern(r#".*"command":"git fetch".*"#)
    ///     .with_findings(["command_filter:network"]);
    /// assert_eq!(serde_json::to_value(&rule)?["findings"][0], "command_filter:network");
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    pub fn with_findings<Name: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = Name>,
    ) -> Self {
        self.findings = names.into_iter().map(Into::into).collect();
        self
    }

    /// Restricts the rule to calls that touch these files or directories; see [`paths`](Self::paths).
    ///
    /// # Examples
    /// ```
    /// use tool_core::approval::{Rule, Verdict};
    ///
    /// let rule = Rule::new("docs", "edit", Verdict::Allow).with_paths(["docs"]);
    /// assert_eq!(serde_json::to_value(&rule)?["paths"][0], "docs");
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    pub fn with_paths<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.paths = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the time at which the rule expires.
    pub fn until(mut self, time: Timestamp) -> Self {
        self.expires_at = Some(time);
        self
    }
}

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
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A verdict and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ruling {
    pub(crate) verdict: Verdict,
    /// Id of the deciding rule, or the risk level.
    pub(crate) rule: Cow<'static, str>,
    /// Whether a rule decided, not the risk.
    pub(crate) is_by_rule: bool,
}

impl Ruling {
    pub(super) fn by_rule(rule: &Rule) -> Self {
        Self {
            verdict: rule.effect,
            rule: rule.id.clone().into(),
            is_by_rule: true,
        }
    }
}
