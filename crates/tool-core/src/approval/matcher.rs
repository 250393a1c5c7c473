//! What rules match: a call in canonical form, and the compiled condition of a rule.

use std::borrow::Cow;

use super::canonical::sha256;
use super::command::CommandWords;
use super::pattern::Pattern;
use super::rule::{EVERY_TOOL, Rule, RuleError, Verdict};
use crate::{CallPlan, RiskLevel};

/// Maximum bytes of canonical arguments in the pattern of a rule for exactly these arguments.
const MAX_LITERAL: usize = 2048;

/// A call and its parts, in the form that rules match.
#[derive(Debug)]
pub(crate) struct CanonicalCall<'p> {
    pub(crate) whole: String,
    pub(crate) parts: Vec<String>,
    /// Digest of the tool's definition; `None` if the tool and what the call touches are unknown.
    pub(crate) definition: Option<String>,
    pub(crate) plan: &'p CallPlan,
}

impl Rule {
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

    /// Creates the rule that allows exactly these arguments of the tool with their definition and findings.
    pub(super) fn exactly(tool: &str, call: &CanonicalCall<'_>) -> Self {
        let digest = sha256(call.whole.as_bytes());
        let id = format!("always-{tool}-{}", digest.get(..12).unwrap_or(&digest));
        let findings = call.plan.findings.findings().iter();
        let rule = Self {
            // The same arguments mean something else if the definition changes.
            definition: call.definition.clone(),
            ..Self::new(id, tool, Verdict::Allow).with_findings(findings.map(Cow::to_string))
        };
        // A literal pattern can be read in the policy file; for long arguments, the digest keeps the file small.
        if call.whole.len() <= MAX_LITERAL {
            rule.with_pattern(Pattern::exactly(&call.whole))
        } else {
            Self {
                digest: Some(digest),
                ..rule
            }
        }
    }

    /// Returns the first of the call's findings that a rule that allows must list, but does not.
    pub(super) fn unlisted<'p>(&self, plan: &'p CallPlan) -> Option<&'p str> {
        let mut found = plan.findings.findings().iter().map(Cow::as_ref);
        found.find(|name| !self.findings.iter().any(|own| own == name))
    }

    /// Returns whether a rule that requires approval or denies applies to a call with these findings.
    pub(super) fn concerns(&self, plan: &CallPlan) -> bool {
        let found = plan.findings.findings();
        self.findings.is_empty()
            || self
                .findings
                .iter()
                .any(|name| found.contains(&name.into()))
    }

    /// Returns whether the rule is for the tool's definition and about what the call touches.
    pub(super) fn is_about(&self, call: &CanonicalCall<'_>) -> bool {
        let Some(definition) = &call.definition else {
            // The tool is unknown: a rule that allows must not guess, and one that restricts must not miss it.
            let is_any = self.definition.is_none() && self.paths.is_empty();
            return is_any || self.effect != Verdict::Allow;
        };
        let wanted = self.definition.as_ref();
        wanted.is_none_or(|wanted| wanted.eq_ignore_ascii_case(definition))
            && self.is_about_files(call.plan)
    }

    fn is_about_files(&self, plan: &CallPlan) -> bool {
        if self.paths.is_empty() {
            return true;
        }
        if self.effect != Verdict::Allow {
            return plan.touches.meet(&self.paths);
        }
        // What else a dangerous tool does to such a file is not known.
        let is_undoable = self.tool != EVERY_TOOL || plan.risk != RiskLevel::Dangerous;
        is_undoable && plan.touches.are_in(&self.paths)
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
