//! One rule of a policy, as data.

use serde::{Deserialize, Serialize};

use super::digest::sha256;
use super::pattern::Pattern;
use crate::Timestamp;

/// Canonical arguments up to this many bytes are written out in the rule that allows exactly them.
const MAX_WRITTEN_OUT: usize = 2048;

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

impl Verdict {
    /// The stable text: `allow`, `ask` or `deny`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    pub(super) fn is_stricter_than(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Ask, Self::Allow) | (Self::Deny, Self::Allow | Self::Ask)
        )
    }
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

impl Effect {
    /// The stable text: `allow`, `ask`, `deny` or `hard_deny`.
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

/// Why a rule cannot be read. Such a rule errs to the safe side: it denies or asks for all arguments, and allows none.
///
/// # Examples
/// See [`Rule::check`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The pattern is not a regular expression, or too large, or this build reads no patterns.
    #[error("the pattern of the rule `{id}` cannot be read: {reason}")]
    Pattern {
        /// The id of the rule.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A rule has a pattern or a digest and not both.
    #[error("the rule `{id}` has a pattern and a digest, and only one of them can count")]
    PatternAndDigest {
        /// The id of the rule.
        id: String,
    },
}

/// One rule: for which tool, for which arguments, until when, and what to do.
///
/// As JSON a member that a rule does not have is refused: a rule whose `expires_at` was misspelt would hold for ever.
///
/// # Examples
/// ```
/// use tool_core::approval::{Effect, Rule};
///
/// let rule = Rule::new("text-files", "create_file", Effect::Allow).with_pattern(r#"^{"path":".*\\.txt"}$"#);
/// assert!(rule.enabled);
/// assert!(serde_json::from_str::<Rule>(r#"{"id": "x", "tool": "f", "effect": "allow", "expires": "never"}"#).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rule {
    /// Names the rule in results and logs.
    pub id: String,
    /// The tool's exact name, as the model sees it. Where a view shows a tool under another name, a rule that asks or
    /// denies also holds when it names the tool as it is registered.
    pub tool: String,
    /// A regular expression that must match the whole of the arguments as compact JSON with sorted keys,
    /// defaults included. Of a call with parts, such as a command line, the parts are matched too; see
    /// [`Assessment`](super::Assessment). Without one, all arguments match. A brace that starts no repetition stands for itself, and
    /// `\\.` means `\.`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The SHA-256 of the same text in hexadecimal, in place of a pattern: for exactly these arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
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
            digest: None,
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

    /// Says whether the rule can be read, for whoever edits a policy.
    ///
    /// # Errors
    /// [`RuleError`] for a rule that errs to the safe side.
    ///
    /// # Examples
    /// ```
    /// use tool_core::approval::{Effect, Rule};
    ///
    /// let broken = Rule::new("x", "bash", Effect::Allow).with_pattern("(");
    /// assert!(broken.check().is_err());
    /// assert!(Rule::new("y", "bash", Effect::Ask).check().is_ok());
    /// ```
    pub fn check(&self) -> Result<(), RuleError> {
        self.compile().map(drop)
    }

    /// The rule that allows exactly these canonical arguments; `None` in a build without digests.
    pub(super) fn exactly(tool: &str, arguments: &str) -> Option<Self> {
        let digest = sha256(arguments)?;
        let id = format!("always-{tool}-{}", digest.get(..12).unwrap_or(&digest));
        let rule = Self::new(id, tool, Effect::Allow);
        Some(if arguments.len() <= MAX_WRITTEN_OUT {
            rule.with_pattern(Pattern::exactly(arguments))
        } else {
            Self {
                digest: Some(digest),
                ..rule
            }
        })
    }

    pub(super) fn compile(&self) -> Result<Matcher, RuleError> {
        match (&self.pattern, &self.digest) {
            (None, None) => Ok(Matcher::All),
            (None, Some(digest)) => Ok(Matcher::Digest(digest.to_ascii_lowercase())),
            (Some(text), None) => Pattern::compile(text)
                .map(Matcher::Pattern)
                .map_err(|reason| RuleError::Pattern {
                    id: self.id.clone(),
                    reason,
                }),
            (Some(_), Some(_)) => Err(RuleError::PatternAndDigest {
                id: self.id.clone(),
            }),
        }
    }
}

/// For which arguments a rule is.
#[derive(Debug)]
pub(super) enum Matcher {
    All,
    Pattern(Pattern),
    Digest(String),
}

impl Matcher {
    /// Whether it is for one text and no other.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Self::All => false,
            Self::Pattern(pattern) => pattern.is_exact(),
            Self::Digest(_) => true,
        }
    }
}
