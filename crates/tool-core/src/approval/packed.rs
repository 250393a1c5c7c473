//! Verdicts of a policy without rules, in one byte.

use std::sync::atomic::{AtomicU8, Ordering};

use super::policy::Policy;
use super::verdict::Verdict;
use crate::RiskLevel;

/// Bit of a policy without rules. The six bits below are the verdicts of the three risk levels.
const VALID: u8 = 1 << 6;

/// Verdicts of a policy without rules. A call reads them with one atomic load.
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
        if packed & VALID == 0 {
            return None;
        }
        Some(match packed >> shift(risk) & 3 {
            0 => Verdict::Allow,
            1 => Verdict::Ask,
            _ => Verdict::Deny,
        })
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
    let bits = levels.map(|risk| (policy.verdict_of(risk) as u8) << shift(risk));
    bits.into_iter().fold(VALID, |packed, bits| packed | bits)
}

fn shift(risk: RiskLevel) -> u8 {
    2 * risk as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::{Rule, Verdict};

    const LEVELS: [RiskLevel; 3] = [
        RiskLevel::ReadOnly,
        RiskLevel::SafeWrite,
        RiskLevel::Dangerous,
    ];

    #[test]
    fn packed_verdicts_equal_policy() {
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
    fn policy_with_rules_is_not_packed() {
        let packed = PackedVerdicts::of(&Policy::default());
        let with_rule = Policy {
            rules: vec![Rule::new("x", "f", Verdict::Deny)],
            ..Policy::default()
        };

        packed.follow(&with_rule);

        assert_eq!(LEVELS.map(|risk| packed.of_risk(risk)), [None; 3]);
    }
}
