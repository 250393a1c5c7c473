//! Compiled policies.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::canonical::{CanonicalArguments, sha256};
use super::command::{CommandPart, Coverage, is_redirection};
use super::explanation::{Explanation, RuleFinding, RuleStatus};
use super::policy::Policy;
use super::rule::Verdict;
use super::rule::{EVERY_TOOL, Matcher, Rule, RuleError, Ruling, is_host};
use crate::{RiskLevel, Timestamp};

/// A policy with compiled patterns and rules indexed by tool, so that rules for other tools cost nothing.
#[derive(Debug, Default)]
pub(crate) struct CompiledPolicy {
    policy: Policy,
    by_tool: HashMap<String, Vec<CompiledRule>>,
}

impl CompiledPolicy {
    pub(crate) fn new(policy: Policy) -> Self {
        Self::after(&Self::default(), policy)
    }

    /// Compiles the successor of `previous`, whose patterns are reused.
    pub(super) fn after(previous: &Self, policy: Policy) -> Self {
        let known: HashMap<(&str, Verdict), &Arc<Matcher>> = previous
            .by_tool
            .values()
            .flatten()
            .filter_map(|known| {
                let matcher = known.matcher.as_ref().ok()?;
                // With the effect: a pattern that never matches is an error only in a rule that restricts.
                Some(((known.rule.pattern.as_deref()?, known.rule.effect), matcher))
            })
            .collect();
        let compile = |rule: &Rule| {
            let pattern = rule.pattern.as_deref();
            let known = pattern.and_then(|text| known.get(&(text, rule.effect)));
            match known {
                // Compiling is expensive, and an edit of a policy with thousands of rules changes one of them.
                Some(matcher) if rule.is_only_pattern() => Ok(Arc::clone(matcher)),
                _ => rule.compile().map(Arc::new),
            }
        };
        // By tool, so that a call only meets rules about its own tool.
        let mut by_tool = HashMap::<String, Vec<CompiledRule>>::new();
        for rule in &policy.rules {
            let rules = by_tool.entry(rule.tool.clone()).or_default();
            rules.push(CompiledRule {
                matcher: compile(rule),
                rule: rule.clone(),
            });
        }
        Self { policy, by_tool }
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the ruling of the strongest matching rule, else of the risk.
    pub(crate) fn ruling(
        &self,
        tool: &str,
        arguments: impl FnOnce() -> CanonicalArguments,
        risk: RiskLevel,
        now: &dyn Fn() -> Timestamp,
    ) -> Ruling {
        self.strongest(tool, arguments, risk, now)
            .map_or_else(|| self.by_risk(risk), Ruling::by_rule)
    }

    fn strongest(
        &self,
        tool: &str,
        arguments: impl FnOnce() -> CanonicalArguments,
        risk: RiskLevel,
        now: &dyn Fn() -> Timestamp,
    ) -> Option<&Rule> {
        let rules = self.rules(tool);
        // Without rules, the canonical form of the arguments is not needed.
        if rules.iter().all(|rules| rules.is_empty()) {
            return None;
        }
        CanonicalCall::new(rules, &arguments(), risk, now).strongest()
    }

    /// Returns the rules for a tool, and those for every tool.
    fn rules(&self, tool: &str) -> [&[CompiledRule]; 2] {
        let of = |name| self.by_tool.get(name).map_or(&[][..], Vec::as_slice);
        // Not `map` over an array, which takes half of the time of a ruling without rules.
        [of(tool), of(EVERY_TOOL)]
    }

    /// Like [`Self::ruling`], but returns the status of every rule for the tool.
    pub(crate) fn explain(
        &self,
        tool: &str,
        arguments: CanonicalArguments,
        risk: RiskLevel,
        now: Timestamp,
    ) -> Explanation {
        let clock = || now;
        let call = CanonicalCall::new(self.rules(tool), &arguments, risk, &clock);
        let deciding = call.strongest();
        let findings = call.rules().map(|compiled| {
            let rule = &compiled.rule;
            RuleFinding {
                id: rule.id.clone(),
                effect: rule.effect,
                status: call.status(compiled),
                decides: deciding.is_some_and(|deciding| std::ptr::eq(deciding, rule)),
            }
        });
        let findings = findings.collect();
        let ruling = deciding.map_or_else(|| self.by_risk(risk), Ruling::by_rule);
        Explanation {
            tool: tool.to_owned(),
            arguments: arguments.whole,
            risk,
            verdict: ruling.verdict,
            rule: ruling.rule,
            reason: None,
            rules: findings,
        }
    }

    fn by_risk(&self, risk: RiskLevel) -> Ruling {
        Ruling::by_risk(self.policy.verdict_of(risk), risk)
    }
}

impl Policy {
    /// Explains the verdict on a call now. `arguments` are compact JSON with sorted keys.
    pub fn explain(&self, tool: &str, arguments: &str, risk: RiskLevel) -> Explanation {
        self.explain_at(tool, arguments, risk, Timestamp::now())
    }

    pub(super) fn explain_at(
        &self,
        tool: &str,
        arguments: &str,
        risk: RiskLevel,
        now: Timestamp,
    ) -> Explanation {
        // Other rules would be compiled for nothing.
        let about_tool = |rule: &&Rule| rule.tool == tool || rule.tool == EVERY_TOOL;
        let policy = Self {
            rules: self.rules.iter().filter(about_tool).cloned().collect(),
            ..*self
        };
        CompiledPolicy::new(policy).explain(tool, arguments.to_owned().into(), risk, now)
    }
}

/// Rule with its compiled pattern or digest.
#[derive(Debug)]
struct CompiledRule {
    pub(super) rule: Rule,
    pub(super) matcher: Result<Arc<Matcher>, RuleError>,
}

/// Arguments and time of a call, for matching rules.
struct CanonicalCall<'r, 'c> {
    rules: [&'r [CompiledRule]; 2],
    arguments: &'c CanonicalArguments,
    risk: RiskLevel,
    /// Whether a rule that allows matches each part.
    is_covered: bool,
    digest: OnceCell<Option<String>>,
    clock: &'c dyn Fn() -> Timestamp,
    /// Read only for rules that expire.
    now: OnceCell<Timestamp>,
}

impl<'r, 'c> CanonicalCall<'r, 'c> {
    pub(super) fn new(
        rules: [&'r [CompiledRule]; 2],
        arguments: &'c CanonicalArguments,
        risk: RiskLevel,
        clock: &'c dyn Fn() -> Timestamp,
    ) -> Self {
        let mut call = Self {
            rules,
            arguments,
            risk,
            is_covered: false,
            digest: OnceCell::new(),
            clock,
            now: OnceCell::new(),
        };
        let allows = |compiled: &CompiledRule, part: &str| match &compiled.matcher {
            Ok(matcher) if compiled.rule.effect == Verdict::Allow => {
                call.ended(&compiled.rule).is_none()
                    && compiled.rule.is_about(arguments.touches.as_ref(), risk)
                    && compiled.rule.unlisted(&arguments.findings).is_none()
                    && call.is_of_definition(&compiled.rule)
                    && call.matches_part(matcher, part)
            }
            _ => false,
        };
        // A compound command is allowed only if each of its parts is: `ls; rm -rf x` must not pass because `ls` may.
        let mut parts = arguments.parts.iter();
        let is_covered = parts.all(|part| call.rules().any(|compiled| allows(compiled, part)));
        call.is_covered = is_covered;
        call
    }

    fn rules(&self) -> impl Iterator<Item = &'r CompiledRule> + use<'r> {
        self.rules.into_iter().flatten()
    }

    /// Returns the first of the strongest rules that apply.
    pub(super) fn strongest(&self) -> Option<&'r Rule> {
        let mut strongest: Option<&Rule> = None;
        for compiled in self.rules() {
            let effect = compiled.rule.effect;
            // Only a stronger rule can change the outcome, so the pattern of a weaker one is not matched.
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
        let touches = self.arguments.touches.as_ref();
        let is_about = compiled.rule.is_about(touches, self.risk);
        if !is_about || !self.is_of_definition(&compiled.rule) {
            return RuleStatus::NotMatched;
        }
        match &compiled.matcher {
            Err(error) => RuleStatus::Invalid {
                reason: error.to_string(),
            },
            Ok(matcher) => match (&**matcher, compiled.rule.effect) {
                (Matcher::Command(_), Verdict::Allow) => self.status_of_commands(matcher),
                _ => self.status_of(&compiled.rule, matcher),
            },
        }
    }

    /// Returns the status of a rule that allows commands. It decides about all of them together with the other such rules.
    fn status_of_commands(&self, matcher: &Matcher) -> RuleStatus {
        let arguments = self.arguments;
        let covers =
            |part: &CommandPart| matches!(matcher, Matcher::Command(words) if words.cover(part));
        if !arguments.commands.iter().any(covers) {
            return RuleStatus::NotMatched;
        }
        let mut parts = arguments.commands.iter();
        if let Some(open) = parts.find(|part| !self.is_allowed(part)) {
            let part = open.words.join(" ");
            return RuleStatus::Uncovered { part };
        }
        match arguments.findings.last() {
            // Such as a request for the network: what the call may do beyond its words.
            Some(finding) if !arguments.is_about_commands => RuleStatus::Flagged {
                finding: finding.clone(),
            },
            _ => RuleStatus::Matched,
        }
    }

    /// Returns whether a simple command needs no approval.
    fn is_allowed(&self, part: &CommandPart) -> bool {
        let covers = |compiled: &CompiledRule| {
            let is_valid = compiled.rule.effect == Verdict::Allow
                && self.ended(&compiled.rule).is_none()
                && self.is_of_definition(&compiled.rule);
            is_valid
                && matches!(compiled.matcher.as_deref(), Ok(Matcher::Command(words)) if words.cover(part))
        };
        part.coverage == Coverage::Harmless || is_redirection(part) || self.rules().any(covers)
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
            // The tool is unknown: a rule that allows must not guess, and one that restricts must not miss it.
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
        if let (Matcher::Host(wanted), Verdict::Allow) = (matcher, effect) {
            let mut hosts = self.arguments.hosts.iter();
            return hosts.len() > 0 && hosts.all(|host| is_host(wanted, host));
        }
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
            Matcher::Command(words) => {
                let mut commands = self.arguments.commands.iter();
                commands.any(|part| words.begin(part))
            }
            Matcher::Host(wanted) => {
                let mut hosts = self.arguments.hosts.iter();
                hosts.any(|host| is_host(wanted, host))
            }
        }
    }

    /// A single part may also match as the complete call.
    fn matches_part(&self, matcher: &Matcher, part: &str) -> bool {
        let is_match = match matcher {
            Matcher::All => true,
            Matcher::Pattern(pattern) => pattern.is_match(part),
            Matcher::Digest(_) | Matcher::Command(_) | Matcher::Host(_) => false,
        };
        // A single part is the whole command, so rules written for either form may match it.
        is_match || (self.arguments.parts.len() == 1 && self.matches_whole(matcher))
    }
}

impl RuleStatus {
    /// Returns `true` if the rule applies. An invalid rule fails closed: it requires approval or
    /// denies for all arguments, and allows none.
    fn applies_to(&self, effect: Verdict) -> bool {
        match self {
            Self::Matched => true,
            // Fails closed, because we cannot tell what the rule was meant for.
            Self::Invalid { .. } => effect != Verdict::Allow,
            Self::NotMatched
            | Self::Flagged { .. }
            | Self::Uncovered { .. }
            | Self::Disabled
            | Self::Expired => false,
        }
    }
}
