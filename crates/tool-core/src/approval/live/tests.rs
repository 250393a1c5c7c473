#[cfg(feature = "typed")]
mod live {
    use super::super::*;
    use crate::approval::Verdict;

    #[test]
    fn full_policy_stays_unchanged() {
        let rules = vec![Rule::new("x", "g", Verdict::Ask); MAX_RULES - 1];
        let live = LivePolicy::new(
            Policy {
                rules,
                ..Policy::default()
            },
            None,
        );

        live.allow_exactly("f", &"{}".to_owned().into());
        live.allow_exactly("f", &"{\"a\":1}".to_owned().into());

        let policy = live.load().policy().clone();
        assert_eq!(policy.rules.len(), MAX_RULES);
        assert_eq!(Policy::from_json(&policy.to_json()), Ok(policy));
    }
}

mod packed {
    use super::super::*;
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
