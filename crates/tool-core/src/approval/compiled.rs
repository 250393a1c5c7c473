//! Compiled policies.

use std::collections::HashMap;
use std::sync::Arc;

use super::canonical::CanonicalArguments;
use super::canonical_call::{CanonicalCall, CompiledRule};
use super::explanation::{Explanation, RuleFinding};
use super::policy::Policy;
use super::rule::{Matcher, Rule};
use super::ruling::Ruling;
use super::verdict::Verdict;
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
                Some(matcher) if rule.digest.is_none() => Ok(Arc::clone(matcher)),
                _ => rule.compile().map(Arc::new),
            }
        };
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
        self.strongest(tool, arguments, now)
            .map_or_else(|| self.by_risk(risk), Ruling::by_rule)
    }

    fn strongest(
        &self,
        tool: &str,
        arguments: impl FnOnce() -> CanonicalArguments,
        now: &dyn Fn() -> Timestamp,
    ) -> Option<&Rule> {
        let rules = self.by_tool.get(tool)?;
        CanonicalCall::new(rules, &arguments(), now).strongest(rules)
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
        let rules = self.by_tool.get(tool).map_or(&[][..], Vec::as_slice);
        let call = CanonicalCall::new(rules, &arguments, &clock);
        let deciding = call.strongest(rules);
        let findings = rules.iter().map(|compiled| {
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
    #[must_use]
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
        let about_tool = |rule: &&Rule| rule.tool == tool;
        let policy = Self {
            rules: self.rules.iter().filter(about_tool).cloned().collect(),
            ..*self
        };
        CompiledPolicy::new(policy).explain(tool, arguments.to_owned().into(), risk, now)
    }
}
