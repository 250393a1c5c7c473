//! From risk and rules to a verdict.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::pattern::Pattern;
use super::rule::{Effect, Rule, Verdict};
use crate::{RiskLevel, Timestamp};

/// What may run: a verdict for each risk, and rules that go before it.
///
/// # Examples
/// ```
/// use tool_core::RiskLevel;
/// use tool_core::approval::{Effect, Policy, Rule, Verdict};
///
/// let policy = Policy::default().with_rule(Rule::new("no-shell", "bash", Effect::Deny));
/// assert_eq!(policy.explain("bash", "{}", RiskLevel::Dangerous).verdict, Verdict::Deny);
/// assert_eq!(policy.explain("read_file", "{}", RiskLevel::ReadOnly).verdict, Verdict::Allow);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Policy {
    /// For calls that change nothing.
    pub read_only: Verdict,
    /// For calls that change something that can be taken back.
    pub safe_write: Verdict,
    /// For calls that may do anything.
    pub dangerous: Verdict,
    /// Rules that go before the verdict of the risk.
    pub rules: Vec<Rule>,
}

/// Reading and safe writing is allowed; what is dangerous asks.
impl Default for Policy {
    fn default() -> Self {
        Self {
            read_only: Verdict::Allow,
            safe_write: Verdict::Allow,
            dangerous: Verdict::Ask,
            rules: Vec::new(),
        }
    }
}

/// A verdict and where it comes from.
///
/// # Examples
/// See [`Policy::explain`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ruling {
    /// What the policy says.
    pub verdict: Verdict,
    /// The id of the rule that decided, or the risk level whose verdict applies.
    pub rule: Cow<'static, str>,
}

impl Policy {
    /// Allows everything. For hosts that confine their tools by other means.
    #[must_use]
    pub fn allow_all() -> Self {
        Self {
            dangerous: Verdict::Allow,
            ..Self::default()
        }
    }

    /// Sets the verdict for a risk.
    #[must_use]
    pub fn with_verdict(mut self, risk: RiskLevel, verdict: Verdict) -> Self {
        match risk {
            RiskLevel::ReadOnly => self.read_only = verdict,
            RiskLevel::SafeWrite => self.safe_write = verdict,
            RiskLevel::Dangerous => self.dangerous = verdict,
        }
        self
    }

    /// Adds a rule.
    #[must_use]
    pub fn with_rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Says what the policy decides for a call, and why. `arguments` are compact JSON with sorted keys.
    #[must_use]
    pub fn explain(&self, tool: &str, arguments: &str, risk: RiskLevel) -> Ruling {
        CompiledPolicy::new(self.clone()).ruling(tool, || arguments.to_owned(), risk)
    }

    fn default_for(&self, risk: RiskLevel) -> Verdict {
        match risk {
            RiskLevel::ReadOnly => self.read_only,
            RiskLevel::SafeWrite => self.safe_write,
            RiskLevel::Dangerous => self.dangerous,
        }
    }
}

/// A policy with its patterns compiled.
#[derive(Debug)]
pub(crate) struct CompiledPolicy {
    policy: Policy,
    patterns: Vec<Matcher>,
}

#[derive(Debug)]
enum Matcher {
    All,
    Pattern(Pattern),
    Unreadable,
}

impl CompiledPolicy {
    pub(crate) fn new(policy: Policy) -> Self {
        let compile = |rule: &Rule| match &rule.pattern {
            None => Matcher::All,
            Some(text) => Pattern::compile(text).map_or(Matcher::Unreadable, Matcher::Pattern),
        };
        let patterns = policy.rules.iter().map(compile).collect();
        Self { policy, patterns }
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The verdict of the strongest rule that matches, else that of the risk.
    pub(crate) fn ruling(
        &self,
        tool: &str,
        arguments: impl FnOnce() -> String,
        risk: RiskLevel,
    ) -> Ruling {
        let by_risk = || Ruling {
            verdict: self.policy.default_for(risk),
            rule: risk.as_str().into(),
        };
        let mut candidates = self.candidates(tool).peekable();
        if candidates.peek().is_none() {
            return by_risk();
        }
        let arguments = arguments();
        candidates
            .filter(|(rule, matcher)| matcher.matches(&arguments, rule.effect))
            .map(|(rule, _)| rule)
            .max_by_key(|rule| rule.effect)
            .map_or_else(by_risk, |rule| Ruling {
                verdict: rule.effect.verdict(),
                rule: rule.id.clone().into(),
            })
    }

    fn candidates(&self, tool: &str) -> impl Iterator<Item = (&Rule, &Matcher)> {
        // The clock is read only when a rule is about this tool.
        let mut now = None;
        self.policy
            .rules
            .iter()
            .zip(&self.patterns)
            .filter(move |(rule, _)| {
                rule.tool == tool && rule.holds_at(*now.get_or_insert_with(Timestamp::now))
            })
    }

    /// The rule that allows exactly these arguments of this tool.
    pub(crate) fn narrowest_rule(tool: &str, arguments: &str) -> Rule {
        Rule::new(format!("always-{tool}"), tool, Effect::Allow)
            .with_pattern(Pattern::exactly(arguments))
    }
}

impl Matcher {
    /// A rule that cannot be read errs to the safe side: it denies or asks for all arguments, and allows none.
    fn matches(&self, arguments: &str, effect: Effect) -> bool {
        match self {
            Self::All => true,
            Self::Pattern(pattern) => pattern.is_match(arguments),
            Self::Unreadable => effect != Effect::Allow,
        }
    }
}

impl Effect {
    fn verdict(self) -> Verdict {
        match self {
            Self::Allow => Verdict::Allow,
            Self::Ask => Verdict::Ask,
            Self::Deny | Self::HardDeny => Verdict::Deny,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ruling(rules: &[Rule]) -> (Verdict, String) {
        let policy = rules
            .iter()
            .cloned()
            .fold(Policy::default(), Policy::with_rule);
        let ruling = policy.explain("f", r#"{"path":"a.txt"}"#, RiskLevel::Dangerous);
        (ruling.verdict, ruling.rule.into_owned())
    }

    #[test]
    fn the_strongest_rule_decides_whatever_their_order() {
        let rule = |id: &str, effect| Rule::new(id, "f", effect);
        let (allow, ask, deny) = (
            rule("1", Effect::Allow),
            rule("2", Effect::Ask),
            rule("3", Effect::Deny),
        );

        assert_eq!(ruling(&[]), (Verdict::Ask, "dangerous".into()));
        assert_eq!(
            ruling(std::slice::from_ref(&allow)),
            (Verdict::Allow, "1".into())
        );
        assert_eq!(
            ruling(&[ask.clone(), allow.clone()]),
            (Verdict::Ask, "2".into())
        );
        assert_eq!(ruling(&[allow, deny, ask]), (Verdict::Deny, "3".into()));
    }

    #[test]
    fn a_rule_holds_for_its_tool_its_time_and_while_enabled() {
        let past = Timestamp::parse("2001-01-01T00:00:00Z").unwrap();
        let mut disabled = Rule::new("d", "f", Effect::Allow);
        disabled.enabled = false;

        for rule in [
            Rule::new("other", "g", Effect::Allow),
            Rule::new("old", "f", Effect::Allow).until(past),
            disabled,
        ] {
            assert_eq!(ruling(&[rule]), (Verdict::Ask, "dangerous".into()));
        }
        let later = Timestamp::now().after(Duration::from_mins(1));
        assert_eq!(
            ruling(&[Rule::new("new", "f", Effect::Allow).until(later)]).0,
            Verdict::Allow
        );
    }

    #[test]
    fn a_rule_that_cannot_be_read_fails_closed() {
        for (effect, verdict) in [
            (Effect::Allow, Verdict::Ask),
            (Effect::Ask, Verdict::Ask),
            (Effect::Deny, Verdict::Deny),
        ] {
            assert_eq!(
                ruling(&[Rule::new("x", "f", effect).with_pattern("(")]).0,
                verdict,
                "{effect:?}"
            );
        }
    }

    #[test]
    fn a_policy_survives_its_json_and_needs_only_what_differs() {
        let policy = Policy::default().with_rule(Rule::new("x", "f", Effect::Deny));
        let stored = serde_json::to_string(&policy).unwrap();

        assert_eq!(serde_json::from_str::<Policy>(&stored).unwrap(), policy);
        assert_eq!(
            serde_json::from_str::<Policy>("{}").unwrap(),
            Policy::default()
        );
    }

    #[test]
    fn always_allows_these_arguments_and_no_others() {
        let rule = CompiledPolicy::narrowest_rule("f", r#"{"path":"a.txt"}"#);

        assert_eq!(ruling(std::slice::from_ref(&rule)).0, Verdict::Allow);
        let policy = Policy::default().with_rule(rule);
        assert_eq!(
            policy
                .explain("f", r#"{"path":"aXtxt"}"#, RiskLevel::Dangerous)
                .verdict,
            Verdict::Ask
        );
    }
}
