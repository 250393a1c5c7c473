//! Rules of a policy, and how they match a call.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::canonical::{CanonicalArguments, sha256};
use super::command::CommandWords;
#[cfg(feature = "typed")]
use super::pattern::Pattern;
use crate::{RiskLevel, Timestamp, Touches};

/// Maximum bytes of canonical arguments in the pattern of a rule for exactly these arguments.
const MAX_LITERAL: usize = 2048;

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
    /// a call with parts, such as a command line, the parts are matched as well; see [`Assessment`](super::Assessment). All
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
    /// Files and directories that the rule is about, as [`Touches`] names them; a directory covers what is below it. A rule
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

    /// Checks whether the rule is valid.
    ///
    /// # Errors
    /// Returns [`RuleError`] if the rule is invalid and fails closed.
    ///
    /// # Examples
    /// ```
    /// use tool_core::approval::{Rule, Verdict};
    ///
    /// let broken = Rule::new("x", "bash", Verdict::Allow).with_pattern("(");
    /// assert!(broken.check().is_err());
    /// assert!(Rule::new("y", "bash", Verdict::Ask).check().is_ok());
    /// ```
    pub fn check(&self) -> Result<(), RuleError> {
        self.compile().map(drop)
    }

    /// Creates the rule that allows exactly these arguments of the tool with their definition and findings; `None` in a
    /// build without digests.
    pub(super) fn exactly(tool: &str, arguments: &CanonicalArguments) -> Option<Self> {
        let whole = &arguments.whole;
        let digest = sha256(whole.as_bytes())?;
        let id = format!("always-{tool}-{}", digest.get(..12).unwrap_or(&digest));
        let rule = Self {
            // The same arguments mean something else if the definition changes.
            definition: arguments.definition.clone(),
            findings: arguments.findings.clone(),
            ..Self::new(id, tool, Verdict::Allow)
        };
        // A literal pattern can be read in the policy file; for long arguments, the digest keeps the file small.
        Some(if whole.len() <= MAX_LITERAL {
            rule.with_pattern(Pattern::exactly(whole))
        } else {
            Self {
                digest: Some(digest),
                ..rule
            }
        })
    }

    /// Returns the first of the call's findings that a rule that allows must list, but does not.
    pub(super) fn unlisted<'f>(&self, found: &'f [String]) -> Option<&'f String> {
        found.iter().find(|name| !self.findings.contains(name))
    }

    /// Returns whether the rule is about a call with these touches, or with unknown ones.
    pub(super) fn is_about(&self, touches: Option<&Touches>, risk: RiskLevel) -> bool {
        let is_undoable = self.tool != EVERY_TOOL || risk != RiskLevel::Dangerous;
        match (self.paths.is_empty(), touches, self.effect) {
            (true, ..) => true,
            // What else a dangerous tool does to such a file is not known.
            (false, _, Verdict::Allow) if !is_undoable => false,
            (_, None, effect) => effect != Verdict::Allow,
            (_, Some(touches), Verdict::Allow) => touches.are_in(&self.paths),
            (_, Some(touches), _) => touches.meet(&self.paths),
        }
    }

    /// Returns whether a rule that requires approval or denies applies to a call with these findings.
    pub(super) fn concerns(&self, found: &[String]) -> bool {
        self.findings.is_empty() || found.iter().any(|name| self.findings.contains(name))
    }

    /// Returns whether the pattern alone decides if the rule is valid.
    pub(super) fn is_only_pattern(&self) -> bool {
        let others = [&self.digest, &self.command, &self.host];
        self.tool != EVERY_TOOL && others.into_iter().all(Option::is_none)
    }

    pub(super) fn compile(&self) -> Result<Matcher, RuleError> {
        let id = || self.id.clone();
        let condition = |reason| RuleError::Condition { id: id(), reason };
        let matcher = match (&self.pattern, &self.digest, &self.command, &self.host) {
            (None, None, None, None) => Matcher::All,
            (None, Some(digest), None, None) => Matcher::Digest(digest.to_ascii_lowercase()),
            (Some(text), None, None, None) => Matcher::Pattern(self.compile_pattern(text)?),
            (None, None, Some(text), None) => {
                Matcher::Command(CommandWords::parse(text).map_err(condition)?)
            }
            (None, None, None, Some(text)) => Matcher::Host(host(text).map_err(condition)?),
            _ => return Err(RuleError::SeveralConditions { id: id() }),
        };
        let is_narrow = matches!(matcher, Matcher::Command(_) | Matcher::Host(_));
        let is_wide = self.tool == EVERY_TOOL && self.effect == Verdict::Allow;
        if is_wide && !is_narrow && self.paths.is_empty() {
            return Err(RuleError::AllowsEverything { id: id() });
        }
        Ok(matcher)
    }

    fn compile_pattern(&self, text: &str) -> Result<Pattern, RuleError> {
        let id = || self.id.clone();
        let pattern =
            Pattern::compile(text).map_err(|reason| RuleError::Pattern { id: id(), reason })?;
        // An `allow` that never matches is useless, but a `deny` that never matches is dangerous.
        if self.effect != Verdict::Allow && !Pattern::may_match_arguments(text) {
            return Err(RuleError::NeverMatches { id: id() });
        }
        Ok(pattern)
    }
}

/// Arguments of a rule.
#[derive(Debug)]
pub(super) enum Matcher {
    All,
    Pattern(Pattern),
    Digest(String),
    Command(CommandWords),
    /// Host in lower case.
    Host(String),
}

impl Matcher {
    /// Returns `true` if a single string matches.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Self::All | Self::Command(_) | Self::Host(_) => false,
            Self::Pattern(pattern) => pattern.is_exact(),
            Self::Digest(_) => true,
        }
    }
}

/// Returns the host of a rule in lower case.
fn host(text: &str) -> Result<String, String> {
    let name = text.strip_prefix("*.").unwrap_or(text);
    let is_letter = |letter: char| letter.is_alphanumeric() || "-_.:[]".contains(letter);
    // A URL would never match, and a rule that denies would look as if it did.
    if name.is_empty() || name.ends_with('.') || !name.chars().all(is_letter) {
        return Err("`host` must be a host without scheme and path, such as `docs.rs`".to_owned());
    }
    Ok(text.to_ascii_lowercase())
}

/// Returns whether a call to `found` connects to the host of a rule.
pub(super) fn is_host(wanted: &str, found: &str) -> bool {
    let found = found.trim_end_matches('.').to_ascii_lowercase();
    match wanted.strip_prefix('*') {
        Some(domain) => found.len() > domain.len() && found.ends_with(domain),
        None => found == wanted,
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
            verdict: rule.effect,
            rule: rule.id.clone().into(),
            is_by_rule: true,
        }
    }
}

/// Without the feature, patterns cannot be compiled, so that their rules fail closed.
#[cfg(not(feature = "typed"))]
#[derive(Debug)]
pub(super) enum Pattern {}

#[cfg(not(feature = "typed"))]
impl Pattern {
    fn compile(_text: &str) -> Result<Self, String> {
        Err("this build does not support patterns".to_owned())
    }

    fn is_match(&self, _text: &str) -> bool {
        match *self {}
    }

    fn is_exact(&self) -> bool {
        match *self {}
    }

    fn may_match_arguments(_text: &str) -> bool {
        true
    }

    fn exactly(text: &str) -> String {
        text.to_owned()
    }
}
