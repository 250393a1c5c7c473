//! Matching of rules against one call.

use std::cell::OnceCell;
use std::sync::Arc;

use super::canonical::CanonicalArguments;
use super::explanation::RuleStatus;
use super::rule::{Matcher, Rule, RuleError};
use super::verdict::Verdict;
use crate::Timestamp;
use crate::digest::sha256;

/// Rule with its compiled pattern or digest.
#[derive(Debug)]
pub(super) struct CompiledRule {
    pub(super) rule: Rule,
    pub(super) matcher: Result<Arc<Matcher>, RuleError>,
}

/// Arguments and time of a call, for matching rules.
pub(super) struct CanonicalCall<'c> {
    arguments: &'c CanonicalArguments,
    /// Whether a rule that allows matches each part.
    is_covered: bool,
    digest: OnceCell<Option<String>>,
    clock: &'c dyn Fn() -> Timestamp,
    /// Read only for rules that expire.
    now: OnceCell<Timestamp>,
}

impl<'c> CanonicalCall<'c> {
    pub(super) fn new(
        rules: &[CompiledRule],
        arguments: &'c CanonicalArguments,
        clock: &'c dyn Fn() -> Timestamp,
    ) -> Self {
        let mut call = Self {
            arguments,
            is_covered: false,
            digest: OnceCell::new(),
            clock,
            now: OnceCell::new(),
        };
        let allows = |compiled: &CompiledRule, part: &str| match &compiled.matcher {
            Ok(matcher) if compiled.rule.effect == Verdict::Allow => {
                call.ended(&compiled.rule).is_none()
                    && compiled.rule.is_about(arguments.touches.as_ref())
                    && compiled.rule.unlisted(&arguments.findings).is_none()
                    && call.is_of_definition(&compiled.rule)
                    && call.matches_part(matcher, part)
            }
            _ => false,
        };
        let mut parts = arguments.parts.iter();
        let is_covered = parts.all(|part| rules.iter().any(|compiled| allows(compiled, part)));
        call.is_covered = is_covered;
        call
    }

    /// Returns the first of the strongest rules that apply.
    pub(super) fn strongest<'p>(&self, rules: &'p [CompiledRule]) -> Option<&'p Rule> {
        let mut strongest: Option<&Rule> = None;
        for compiled in rules {
            let effect = compiled.rule.effect;
            if strongest.is_none_or(|known| effect > known.effect)
                && self.status(compiled).applies_to(effect)
            {
                strongest = Some(&compiled.rule);
            }
        }
        strongest
    }

    /// Returns whether a rule applies to the call, and otherwise the reason.
    pub(super) fn status(&self, compiled: &CompiledRule) -> RuleStatus {
        if let Some(ended) = self.ended(&compiled.rule) {
            return ended;
        }
        let is_about = compiled.rule.is_about(self.arguments.touches.as_ref());
        if !is_about || !self.is_of_definition(&compiled.rule) {
            return RuleStatus::NotMatched;
        }
        match &compiled.matcher {
            Err(error) => RuleStatus::Invalid {
                reason: error.to_string(),
            },
            Ok(matcher) => self.status_of(&compiled.rule, matcher),
        }
    }

    fn status_of(&self, rule: &Rule, matcher: &Matcher) -> RuleStatus {
        let findings = &self.arguments.findings;
        let unlisted = match rule.effect {
            Verdict::Allow => rule.unlisted(findings),
            _ if rule.concerns(findings) => None,
            _ => return RuleStatus::NotMatched,
        };
        match unlisted {
            Some(finding) if self.matches_whole_or_part(matcher) => RuleStatus::Flagged {
                finding: finding.clone(),
            },
            None if self.matches(rule.effect, matcher) => RuleStatus::Matched,
            _ => RuleStatus::NotMatched,
        }
    }

    /// Returns whether a rule is for the tool's definition. An unknown definition matches only rules that restrict.
    fn is_of_definition(&self, rule: &Rule) -> bool {
        match (&rule.definition, &self.arguments.definition) {
            (None, _) => true,
            (Some(wanted), Some(found)) => wanted.eq_ignore_ascii_case(found),
            (Some(_), None) => rule.effect != Verdict::Allow,
        }
    }

    /// Returns the status of a disabled or expired rule.
    fn ended(&self, rule: &Rule) -> Option<RuleStatus> {
        let now = || *self.now.get_or_init(self.clock);
        if !rule.enabled {
            return Some(RuleStatus::Disabled);
        }
        let is_over = rule.expires_at.is_some_and(|end| end <= now());
        is_over.then_some(RuleStatus::Expired)
    }

    /// Returns `true` if a rule matches the call. Rules that allow must cover all parts, unless
    /// they are for exactly these arguments.
    fn matches(&self, effect: Verdict, matcher: &Matcher) -> bool {
        let parts = &self.arguments.parts;
        let whole_decides = parts.is_empty() || effect != Verdict::Allow || matcher.is_exact();
        if whole_decides && self.matches_whole(matcher) {
            return true;
        }
        // An allowed part permits nothing else, so each part needs a rule that allows it.
        let may_match = self.is_covered || effect != Verdict::Allow;
        may_match && parts.iter().any(|part| self.matches_part(matcher, part))
    }

    fn matches_whole_or_part(&self, matcher: &Matcher) -> bool {
        let mut parts = self.arguments.parts.iter();
        self.matches_whole(matcher) || parts.any(|part| self.matches_part(matcher, part))
    }

    fn matches_whole(&self, matcher: &Matcher) -> bool {
        match matcher {
            Matcher::All => true,
            Matcher::Pattern(pattern) => pattern.is_match(&self.arguments.whole),
            Matcher::Digest(wanted) => {
                let digest = self
                    .digest
                    .get_or_init(|| sha256(self.arguments.whole.as_bytes()));
                digest.as_ref() == Some(wanted)
            }
        }
    }

    /// A single part may also match as the complete call.
    fn matches_part(&self, matcher: &Matcher, part: &str) -> bool {
        let is_match = match matcher {
            Matcher::All => true,
            Matcher::Pattern(pattern) => pattern.is_match(part),
            Matcher::Digest(_) => false,
        };
        is_match || (self.arguments.parts.len() == 1 && self.matches_whole(matcher))
    }
}

impl RuleStatus {
    /// Returns `true` if the rule applies. An invalid rule fails closed: it requires approval or
    /// denies for all arguments, and allows none.
    fn applies_to(&self, effect: Verdict) -> bool {
        match self {
            Self::Matched => true,
            Self::Invalid { .. } => effect != Verdict::Allow,
            Self::NotMatched | Self::Flagged { .. } | Self::Disabled | Self::Expired => false,
        }
    }
}
