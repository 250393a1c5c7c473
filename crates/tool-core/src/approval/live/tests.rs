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
