mod live {
    use super::super::*;
    use crate::approval::Verdict;
    use crate::{CallPlan, RiskLevel};

    fn allow(live: &LivePolicy, whole: &str) {
        let call = CanonicalCall {
            whole: whole.to_owned(),
            parts: Vec::new(),
            definition: None,
            plan: &CallPlan::of(RiskLevel::Dangerous),
        };
        live.allow_exactly("f", &call);
    }

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

        allow(&live, "{}");
        allow(&live, "{\"a\":1}");

        let policy = live.load().policy().clone();
        assert_eq!(policy.rules.len(), MAX_RULES);
        assert_eq!(Policy::from_json(&policy.to_json()), Ok(policy));
    }
}
