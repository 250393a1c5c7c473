//! Compiled policies.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use super::canonical::sha256;
use super::command::{CommandPart, Coverage, is_redirection};
use super::explanation::{Explanation, RuleFinding, RuleStatus};
use super::matcher::{CanonicalCall, Matcher, is_host};
use super::policy::Policy;
use super::rule::{EVERY_TOOL, Rule, RuleError, Ruling, Verdict};
use crate::{CallPlan, RiskLevel, Timestamp};

/// A policy with compiled patterns and rules indexed by tool, so that rules for other tools cost nothing.
#[derive(Debug, Default)]
pub(crate) struct CompiledPolicy {
    policy: Policy,
    by_tool: HashMap<String, Vec<CompiledRule>>,
}

/// Rule with its compiled condition.
#[derive(Debug)]
struct CompiledRule {
    rule: Rule,
    matcher: Result<Matcher, RuleError>,
}

impl CompiledPolicy {
    pub(crate) fn new(policy: Policy) -> Self {
        // By tool, so that a call only meets rules about its own tool.
        let mut by_tool = HashMap::<String, Vec<CompiledRule>>::new();
        for rule in &policy.rules {
            let rules = by_tool.entry(rule.tool.clone()).or_default();
            rules.push(CompiledRule {
                matcher: rule.compile(),
                rule: rule.clone(),
            });
        }
        Self { policy, by_tool }
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the ruling of the strongest matching rule, else of the risk, which the tool's own reason to ask raises.
    #[inline]
    pub(crate) fn ruling<'p>(
        &self,
        tool: &str,
        plan: &'p CallPlan,
        call: impl FnOnce() -> CanonicalCall<'p>,
        now: impl FnOnce() -> Timestamp,
    ) -> Ruling {
        let rules = self.rules(tool);
        // Without rules, neither the canonical form of the arguments nor the time is needed.
        let ruling = if rules.iter().all(|rules| rules.is_empty()) {
            self.by_risk(plan.risk)
        } else {
            let call = call();
            let strongest = Matching::new(rules, &call, now()).strongest();
            strongest.map_or_else(|| self.by_risk(plan.risk), Ruling::by_rule)
        };
        plan.findings.raise(ruling)
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
        call: CanonicalCall<'_>,
        now: Timestamp,
    ) -> Explanation {
        let plan = call.plan;
        let matching = Matching::new(self.rules(tool), &call, now);
        let deciding = matching.strongest();
        let findings = matching.rules().map(|compiled| {
            let rule = &compiled.rule;
            RuleFinding {
                id: rule.id.clone(),
                effect: rule.effect,
                status: matching.status(compiled),
                decides: deciding.is_some_and(|deciding| std::ptr::eq(deciding, rule)),
            }
        });
        let findings = findings.collect();
        let of_policy = deciding.map_or_else(|| self.by_risk(plan.risk), Ruling::by_rule);
        let ruling = plan.findings.raise(of_policy.clone());
        let reason = plan.findings.reason().filter(|_| ruling != of_policy);
        Explanation {
            tool: tool.to_owned(),
            risk: plan.risk,
            verdict: ruling.verdict,
            rule: ruling.rule,
            reason: reason.map(str::to_owned),
            rules: findings,
            arguments: call.whole,
        }
    }

    fn by_risk(&self, risk: RiskLevel) -> Ruling {
        Ruling {
            verdict: self.policy.verdict_of(risk),
            rule: Cow::Borrowed(risk.as_str()),
            is_by_rule: false,
        }
    }
}

impl Policy {
    /// Explains the verdict on a call now. `arguments` are compact JSON with sorted keys.
    pub fn explain(&self, tool: &str, arguments: &str, risk: RiskLevel) -> Explanation {
        let call = CanonicalCall {
            whole: arguments.to_owned(),
            parts: Vec::new(),
            definition: None,
            plan: &CallPlan::of(risk),
        };
        CompiledPolicy::new(self.clone()).explain(tool, call, Timestamp::now())
    }
}

/// Matches the rules for a tool with one of its calls.
struct Matching<'r, 'c> {
    rules: [&'r [CompiledRule]; 2],
    call: &'c CanonicalCall<'c>,
    now: Timestamp,
    digest: OnceCell<String>,
    is_covered: OnceCell<bool>,
}

impl<'r, 'c> Matching<'r, 'c> {
    fn new(rules: [&'r [CompiledRule]; 2], call: &'c CanonicalCall<'c>, now: Timestamp) -> Self {
        Self {
            rules,
            call,
            now,
            digest: OnceCell::new(),
            is_covered: OnceCell::new(),
        }
    }

    fn rules(&self) -> impl Iterator<Item = &'r CompiledRule> + use<'r> {
        self.rules.into_iter().flatten()
    }

    /// Returns the first of the strongest rules that apply.
    fn strongest(&self) -> Option<&'r Rule> {
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
    fn status(&self, compiled: &CompiledRule) -> RuleStatus {
        if let Some(ended) = self.ended(&compiled.rule) {
            return ended;
        }
        if !compiled.rule.is_about(self.call) {
            return RuleStatus::NotMatched;
        }
        match (&compiled.matcher, compiled.rule.effect) {
            (Err(error), _) => RuleStatus::Invalid {
                reason: error.to_string(),
            },
            (Ok(matcher @ Matcher::Command(_)), Verdict::Allow) => self.status_of_commands(matcher),
            (Ok(matcher), _) => self.status_of(&compiled.rule, matcher),
        }
    }

    /// Returns the status of a disabled or expired rule.
    fn ended(&self, rule: &Rule) -> Option<RuleStatus> {
        if !rule.enabled {
            return Some(RuleStatus::Disabled);
        }
        let is_over = rule.expires_at.is_some_and(|end| end <= self.now);
        is_over.then_some(RuleStatus::Expired)
    }

    /// Returns the status of a rule that allows commands. It decides about all of them together with the other such rules.
    fn status_of_commands(&self, matcher: &Matcher) -> RuleStatus {
        let findings = &self.call.plan.findings;
        if !findings.commands().iter().any(|part| covers(matcher, part)) {
            return RuleStatus::NotMatched;
        }
        let mut parts = findings.commands().iter();
        if let Some(open) = parts.find(|part| !self.is_allowed(part)) {
            let part = open.words.join(" ");
            return RuleStatus::Uncovered { part };
        }
        match findings.findings().last() {
            // Such as a request for the network: what the call may do beyond its words.
            Some(finding) if !findings.is_about_commands() => RuleStatus::Flagged {
                finding: finding.to_string(),
            },
            _ => RuleStatus::Matched,
        }
    }

    /// Returns whether a simple command needs no approval.
    fn is_allowed(&self, part: &CommandPart) -> bool {
        let mut allowing = self.allowing();
        part.coverage == Coverage::Harmless
            || is_redirection(part)
            || allowing.any(|(_, matcher)| covers(matcher, part))
    }

    /// Returns the valid rules that may allow a part of the call.
    fn allowing(&self) -> impl Iterator<Item = (&'r Rule, &'r Matcher)> {
        self.rules().filter_map(|compiled| {
            let rule = &compiled.rule;
            let may_allow = rule.effect == Verdict::Allow
                && self.ended(rule).is_none()
                && rule.is_about(self.call);
            let matcher = compiled.matcher.as_ref().ok()?;
            may_allow.then_some((rule, matcher))
        })
    }

    fn status_of(&self, rule: &Rule, matcher: &Matcher) -> RuleStatus {
        let plan = self.call.plan;
        let unlisted = match rule.effect {
            Verdict::Allow => rule.unlisted(plan),
            _ if rule.concerns(plan) => None,
            _ => return RuleStatus::NotMatched,
        };
        match unlisted {
            Some(finding) if self.matches_whole(matcher) || self.matches_any_part(matcher) => {
                let finding = finding.to_owned();
                RuleStatus::Flagged { finding }
            }
            None if self.matches(rule.effect, matcher) => RuleStatus::Matched,
            _ => RuleStatus::NotMatched,
        }
    }

    /// Returns `true` if a rule matches the call. Rules that allow must cover all parts, unless
    /// they are for exactly these arguments.
    fn matches(&self, effect: Verdict, matcher: &Matcher) -> bool {
        if let (Matcher::Host(wanted), Verdict::Allow) = (matcher, effect) {
            let mut hosts = self.call.plan.findings.hosts().iter();
            return hosts.len() > 0 && hosts.all(|host| is_host(wanted, host));
        }
        let has_parts = !self.call.parts.is_empty();
        let whole_decides = !has_parts || effect != Verdict::Allow || matcher.is_exact();
        if whole_decides && self.matches_whole(matcher) {
            return true;
        }
        // An allowed part permits nothing else, so each part needs a rule that allows it.
        has_parts
            && self.matches_any_part(matcher)
            && (effect != Verdict::Allow || self.is_covered())
    }

    /// Returns whether a rule that allows matches each part: `ls; rm -rf x` must not pass because `ls` may.
    fn is_covered(&self) -> bool {
        let allows = |rule: &Rule, matcher: &Matcher, part: &str| {
            rule.unlisted(self.call.plan).is_none() && self.matches_part(matcher, part)
        };
        let is_part_covered = |part: &String| {
            let mut allowing = self.allowing();
            allowing.any(|(rule, matcher)| allows(rule, matcher, part))
        };
        let is_covered = || self.call.parts.iter().all(is_part_covered);
        *self.is_covered.get_or_init(is_covered)
    }

    fn matches_whole(&self, matcher: &Matcher) -> bool {
        let whole = &self.call.whole;
        let findings = &self.call.plan.findings;
        match matcher {
            Matcher::All => true,
            Matcher::Pattern(pattern) => pattern.is_match(whole),
            Matcher::Digest(wanted) => {
                self.digest.get_or_init(|| sha256(whole.as_bytes())) == wanted
            }
            Matcher::Command(words) => findings.commands().iter().any(|part| words.begin(part)),
            Matcher::Host(wanted) => findings.hosts().iter().any(|host| is_host(wanted, host)),
        }
    }

    fn matches_any_part(&self, matcher: &Matcher) -> bool {
        let mut parts = self.call.parts.iter();
        parts.any(|part| self.matches_part(matcher, part))
    }

    fn matches_part(&self, matcher: &Matcher, part: &str) -> bool {
        let is_match = match matcher {
            Matcher::All => true,
            Matcher::Pattern(pattern) => pattern.is_match(part),
            Matcher::Digest(_) | Matcher::Command(_) | Matcher::Host(_) => false,
        };
        // A single part is the whole command, so rules written for either form may match it.
        is_match || (self.call.parts.len() == 1 && self.matches_whole(matcher))
    }
}

/// Returns whether a rule that allows commands covers this one.
fn covers(matcher: &Matcher, part: &CommandPart) -> bool {
    matches!(matcher, Matcher::Command(words) if words.cover(part))
}

impl RuleStatus {
    /// Returns `true` if the rule applies. An invalid rule fails closed: it requires approval or
    /// denies for all arguments, and allows none.
    fn applies_to(&self, effect: Verdict) -> bool {
        match self {
            Self::Matched => true,
            // Fails closed, because we cannot tell what the rule was meant for.
            Self::Invalid { .. } => effect != Verdict::Allow,
            _ => false,
        }
    }
}
