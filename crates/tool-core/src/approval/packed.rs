//! The verdicts of a policy without rules, in one byte.

use std::sync::atomic::{AtomicU8, Ordering};

use super::policy::Policy;
use super::rule::Verdict;
use crate::RiskLevel;

/// Set where the policy has no rules; the six bits below it are the verdicts of the three levels of risk.
const HOLDS: u8 = 1 << 6;

/// The verdicts of a policy without rules: a call reads them with one load, which all threads can do at once.
#[derive(Debug, Default)]
pub(super) struct PackedVerdicts(AtomicU8);

impl PackedVerdicts {
    pub(super) fn of(policy: &Policy) -> Self {
        Self(AtomicU8::new(packed(policy)))
    }

    pub(super) fn follow(&self, policy: &Policy) {
        self.0.store(packed(policy), Ordering::Release);
    }

    #[inline]
    pub(super) fn of_risk(&self, risk: RiskLevel) -> Option<Verdict> {
        let packed = self.0.load(Ordering::Acquire);
        if packed & HOLDS == 0 {
            return None;
        }
        match packed >> place(risk) & 3 {
            0 => Some(Verdict::Allow),
            1 => Some(Verdict::Ask),
            _ => Some(Verdict::Deny),
        }
    }
}

fn packed(policy: &Policy) -> u8 {
    if !policy.rules.is_empty() {
        return 0;
    }
    let levels = [
        RiskLevel::ReadOnly,
        RiskLevel::SafeWrite,
        RiskLevel::Dangerous,
    ];
    levels.into_iter().fold(HOLDS, |packed, risk| {
        let verdict = match policy.verdict_of(risk) {
            Verdict::Allow => 0,
            Verdict::Ask => 1,
            Verdict::Deny => 2,
        };
        packed | verdict << place(risk)
    })
}

fn place(risk: RiskLevel) -> u8 {
    match risk {
        RiskLevel::ReadOnly => 0,
        RiskLevel::SafeWrite => 2,
        RiskLevel::Dangerous => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::{Effect, Rule};

    const LEVELS: [RiskLevel; 3] = [
        RiskLevel::ReadOnly,
        RiskLevel::SafeWrite,
        RiskLevel::Dangerous,
    ];

    #[test]
    fn packed_verdicts_are_those_of_the_policy() {
        let verdicts = [Verdict::Allow, Verdict::Ask, Verdict::Deny];
        for (read_only, safe_write) in verdicts.iter().flat_map(|a| verdicts.map(|b| (*a, b))) {
            let policy = Policy {
                read_only,
                safe_write,
                dangerous: safe_write,
                ..Policy::default()
            };

            let packed = PackedVerdicts::of(&policy);

            let read = LEVELS.map(|risk| packed.of_risk(risk));
            assert_eq!(read, LEVELS.map(|risk| Some(policy.verdict_of(risk))));
        }
    }

    #[test]
    fn a_policy_with_rules_is_looked_at() {
        let packed = PackedVerdicts::of(&Policy::default());
        let with_rule = Policy {
            rules: vec![Rule::new("x", "f", Effect::Deny)],
            ..Policy::default()
        };

        packed.follow(&with_rule);

        assert_eq!(LEVELS.map(|risk| packed.of_risk(risk)), [None; 3]);
    }
}
