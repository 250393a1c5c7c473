//! A policy made ready to judge calls.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::canonical::CanonicalArguments;
use super::digest::sha256;
use super::explanation::{Explanation, RuleFinding, RuleStatus};
use super::policy::{Policy, Ruling};
use super::rule::{Effect, Matcher, Rule, RuleError};
use crate::{RiskLevel, Timestamp};

/// A policy made ready to judge calls: patterns compiled, and rules found by the tool they are about, so that those about
/// other tools cost a call nothing.
#[derive(Debug, Default)]
pub(crate) struct CompiledPolicy {
    policy: Policy,
    by_tool: HashMap<String, Vec<CompiledRule>>,
    generation: u64,
}

#[derive(Debug)]
struct CompiledRule {
    /// Where the rule stands in the policy.
    place: usize,
    matcher: Result<Arc<Matcher>, RuleError>,
}

impl CompiledPolicy {
    pub(crate) fn new(policy: Policy) -> Self {
        Self::after(&Self::default(), policy)
    }

    /// The policy that follows `previous`, whose patterns are not compiled again.
    pub(super) fn after(previous: &Self, policy: Policy) -> Self {
        let known = previous.patterns();
        let compile = |rule: &Rule| {
            let known = rule.pattern.as_deref().and_then(|text| known.get(text));
            match known {
                Some(matcher) if rule.digest.is_none() => Ok(Arc::clone(matcher)),
                _ => rule.compile().map(Arc::new),
            }
        };
        let mut by_tool = HashMap::<String, Vec<CompiledRule>>::new();
        for (place, rule) in policy.rules.iter().enumerate() {
            let matcher = compile(rule);
            let rules = by_tool.entry(rule.tool.clone()).or_default();
            rules.push(CompiledRule { place, matcher });
        }
        Self {
            generation: previous.generation + 1,
            policy,
            by_tool,
        }
    }

    fn patterns(&self) -> HashMap<&str, &Arc<Matcher>> {
        let matchers = self.by_tool.values().flatten().filter_map(|compiled| {
            let rule = self.policy.rules.get(compiled.place)?;
            let pattern = rule.pattern.as_deref()?;
            Some((pattern, compiled.matcher.as_ref().ok()?))
        });
        matchers.collect()
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// How many policies there were before this one.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// The verdict of the strongest rule that holds and matches, else that of the risk.
    pub(crate) fn ruling(
        &self,
        tool: &str,
        arguments: impl FnOnce() -> CanonicalArguments,
        risk: RiskLevel,
        now: &dyn Fn() -> Timestamp,
    ) -> Ruling {
        self.strongest(tool, arguments, now)
            .map_or_else(|| self.by_risk(risk), Ruling::by_rule)
    }

    /// The ruling where nothing about another name of the same tool is stricter: under that name rules can ask and deny,
    /// and allow nothing.
    pub(crate) fn restricted(
        &self,
        ruling: Ruling,
        tool: &str,
        arguments: impl FnOnce() -> CanonicalArguments,
        now: &dyn Fn() -> Timestamp,
    ) -> Ruling {
        match self.strongest(tool, arguments, now) {
            Some(rule) if rule.effect.verdict().is_stricter_than(ruling.verdict) => {
                Ruling::by_rule(rule)
            }
            _ => ruling,
        }
    }

    fn strongest(
        &self,
        tool: &str,
        arguments: impl FnOnce() -> CanonicalArguments,
        now: &dyn Fn() -> Timestamp,
    ) -> Option<&Rule> {
        let rules = self.by_tool.get(tool)?;
        let arguments = arguments();
        let call = self.call(rules, &arguments, now);
        let mut strongest: Option<&Rule> = None;
        for (rule, compiled) in self.with_rules(rules) {
            let is_stronger = strongest.is_none_or(|known| rule.effect > known.effect);
            if is_stronger && call.status(rule, compiled).holds_for(rule.effect) {
                strongest = Some(rule);
            }
        }
        strongest
    }

    /// The same, with what became of every rule about the tool.
    pub(crate) fn explain(
        &self,
        tool: &str,
        arguments: CanonicalArguments,
        risk: RiskLevel,
        now: Timestamp,
    ) -> Explanation {
        let clock = || now;
        let rules = self.by_tool.get(tool).map_or(&[][..], Vec::as_slice);
        let call = self.call(rules, &arguments, &clock);
        let mut findings = Vec::with_capacity(rules.len());
        let mut strongest: Option<(usize, &Rule)> = None;
        for (rule, compiled) in self.with_rules(rules) {
            let status = call.status(rule, compiled);
            let is_stronger = strongest.is_none_or(|(_, known)| rule.effect > known.effect);
            if is_stronger && status.holds_for(rule.effect) {
                strongest = Some((findings.len(), rule));
            }
            findings.push(RuleFinding::new(rule, status));
        }
        if let Some(finding) = strongest.and_then(|(place, _)| findings.get_mut(place)) {
            finding.decides = true;
        }
        let ruling =
            strongest.map_or_else(|| self.by_risk(risk), |(_, rule)| Ruling::by_rule(rule));
        Explanation::new(tool, arguments.whole, risk, ruling, findings)
    }

    /// The call, with whether rules that allow cover all of it.
    fn call<'c>(
        &self,
        rules: &[CompiledRule],
        arguments: &'c CanonicalArguments,
        clock: &'c dyn Fn() -> Timestamp,
    ) -> CanonicalCall<'c> {
        let mut call = CanonicalCall::new(arguments, clock);
        let allows = |part: &String| {
            self.with_rules(rules).any(|(rule, compiled)| {
                rule.effect == Effect::Allow
                    && call.ended(rule).is_none()
                    && compiled
                        .matcher
                        .as_ref()
                        .is_ok_and(|matcher| call.matches_part(matcher, part))
            })
        };
        call.is_covered = arguments.parts.iter().all(allows);
        call
    }

    fn with_rules<'p>(
        &'p self,
        rules: &'p [CompiledRule],
    ) -> impl Iterator<Item = (&'p Rule, &'p CompiledRule)> {
        let rule_of = |compiled: &CompiledRule| self.policy.rules.get(compiled.place);
        rules
            .iter()
            .filter_map(move |compiled| rule_of(compiled).map(|rule| (rule, compiled)))
    }

    fn by_risk(&self, risk: RiskLevel) -> Ruling {
        Ruling::by_risk(self.policy.verdict_of(risk), risk)
    }
}

/// The arguments of one call, as rules see them, and when it came.
struct CanonicalCall<'c> {
    arguments: &'c CanonicalArguments,
    /// Whether each part is matched by a rule that allows.
    is_covered: bool,
    digest: OnceCell<Option<String>>,
    clock: &'c dyn Fn() -> Timestamp,
    /// Read from the clock only for a rule that expires.
    now: OnceCell<Timestamp>,
}

impl<'c> CanonicalCall<'c> {
    fn new(arguments: &'c CanonicalArguments, clock: &'c dyn Fn() -> Timestamp) -> Self {
        Self {
            arguments,
            is_covered: false,
            digest: OnceCell::new(),
            clock,
            now: OnceCell::new(),
        }
    }

    fn status(&self, rule: &Rule, compiled: &CompiledRule) -> RuleStatus {
        if let Some(ended) = self.ended(rule) {
            return ended;
        }
        match &compiled.matcher {
            Err(error) => RuleStatus::Invalid {
                reason: error.to_string(),
            },
            Ok(matcher) if self.matches(rule.effect, matcher) => RuleStatus::Matched,
            Ok(_) => RuleStatus::NotMatched,
        }
    }

    /// Why the rule does not hold at all.
    fn ended(&self, rule: &Rule) -> Option<RuleStatus> {
        let now = || *self.now.get_or_init(self.clock);
        if !rule.enabled {
            return Some(RuleStatus::Disabled);
        }
        let is_over = rule.expires_at.is_some_and(|end| end <= now());
        is_over.then_some(RuleStatus::Expired)
    }

    /// Whether a rule is about this call. What allows must cover all parts, unless it is for exactly these arguments.
    fn matches(&self, effect: Effect, matcher: &Matcher) -> bool {
        let parts = &self.arguments.parts;
        let whole_decides = parts.is_empty() || effect != Effect::Allow || matcher.is_exact();
        if whole_decides && self.matches_whole(matcher) {
            return true;
        }
        let may_match = self.is_covered || effect != Effect::Allow;
        may_match && parts.iter().any(|part| self.matches_part(matcher, part))
    }

    fn matches_whole(&self, matcher: &Matcher) -> bool {
        match matcher {
            Matcher::All => true,
            Matcher::Pattern(pattern) => pattern.is_match(&self.arguments.whole),
            Matcher::Digest(wanted) => {
                let digest = self.digest.get_or_init(|| sha256(&self.arguments.whole));
                digest.as_ref() == Some(wanted)
            }
        }
    }

    /// A part that is alone may be written as the whole is.
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
    /// A rule that cannot be read errs to the safe side: it denies or asks for all arguments, and allows none.
    fn holds_for(&self, effect: Effect) -> bool {
        match self {
            Self::Matched => true,
            Self::Invalid { .. } => effect != Effect::Allow,
            Self::NotMatched | Self::Disabled | Self::Expired => false,
        }
    }
}
