//! What a call would do, read from its arguments before anything runs.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::assessment::Assessment;
use super::canonical::canonical_json;
use crate::digest::sha256;
use crate::{RiskLevel, Touches};

/// What a call would do: its risk, what the policy should know about it, and what it touches.
///
/// A tool returns it once per call from [`Tool::prepare`](crate::Tool::prepare). Every later step reads these fields and
/// never asks the tool again, so that a call that was approved is the call that runs.
///
/// # Examples
/// ```
/// use tool_core::{CallPlan, RiskLevel};
///
/// let plan = CallPlan::of(RiskLevel::SafeWrite)
///     .reads("notes.md")
///     .writes("summary.md")
///     .asking("overwrite", "replaces `summary.md`");
/// assert_eq!(plan.touches.files_written(), ["summary.md"]);
/// assert_eq!(plan.findings.reason(), Some("replaces `summary.md`"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallPlan {
    /// Risk of the call with these arguments.
    pub risk: RiskLevel,
    /// Findings about the arguments, for the policy and the approver.
    #[serde(default, skip_serializing_if = "Assessment::is_empty")]
    pub findings: Assessment,
    /// Files and other resources that the call reads and writes. Calls that touch the same one wait for each other.
    #[serde(default, skip_serializing_if = "Touches::is_empty")]
    pub touches: Touches,
    /// Key that equal calls share, such as the number of an invoice to pay, so that the same payment requested under two
    /// ids is one call. Used only with a [ledger](crate::ledger); without it, each call id is a call of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub once: Option<Box<str>>,
}

impl CallPlan {
    /// Creates the plan of a call of this risk, without findings, that touches nothing.
    #[must_use]
    pub fn of(risk: RiskLevel) -> Self {
        Self {
            risk,
            findings: Assessment::default(),
            touches: Touches::default(),
            once: None,
        }
    }

    /// Adds a file or directory that the call reads. A directory covers what is below it.
    #[must_use]
    pub fn reads(mut self, path: impl Into<String>) -> Self {
        self.touches = self.touches.reads(path);
        self
    }

    /// Adds a file or directory that the call writes. A directory covers what is below it.
    #[must_use]
    pub fn writes(mut self, path: impl Into<String>) -> Self {
        self.touches = self.touches.writes(path);
        self
    }

    /// Adds a directory in which the call may write anything. Reads do not wait for it.
    #[must_use]
    pub fn may_write(mut self, directory: impl Into<String>) -> Self {
        self.touches = self.touches.may_write(directory);
        self
    }

    /// Adds a resource other than a file, such as `mailbox`, which only one call uses at a time.
    #[must_use]
    pub fn uses(mut self, resource: impl Into<String>) -> Self {
        self.touches = self.touches.uses(resource);
        self
    }

    /// Requires that no other call of the registry runs at the same time.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.touches = self.touches.exclusive();
        self
    }

    /// Sets the key that equal calls share, see [`once`](Self::once).
    #[must_use]
    pub fn once(mut self, key: impl Into<Box<str>>) -> Self {
        self.once = Some(key.into());
        self
    }

    /// Adds a finding that requires approval, see [`Assessment::asking`].
    #[must_use]
    pub fn asking(mut self, rule: impl Into<Cow<'static, str>>, reason: impl Into<String>) -> Self {
        self.findings = self.findings.asking(rule, reason);
        self
    }

    /// Adds a finding by its stable name, see [`Assessment::with_finding`].
    #[must_use]
    pub fn finding(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.findings = self.findings.with_finding(name);
        self
    }

    /// Sets the value that rules match instead of an argument, see [`Assessment::matching`].
    #[must_use]
    pub fn matching(mut self, parameter: impl Into<String>, value: Value) -> Self {
        self.findings = self.findings.matching(parameter, value);
        self
    }

    /// Replaces the findings.
    #[must_use]
    pub fn with_findings(mut self, findings: Assessment) -> Self {
        self.findings = findings;
        self
    }

    /// Returns the digest that binds an approval to the plan; `None` in a build without digests.
    pub(crate) fn digest(&self) -> Option<String> {
        let json = serde_json::to_value(self).ok()?;
        sha256(canonical_json(&json).as_bytes())
    }
}

impl From<RiskLevel> for CallPlan {
    fn from(risk: RiskLevel) -> Self {
        Self::of(risk)
    }
}
