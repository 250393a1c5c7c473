//! The policy of a registry, which may change while calls run.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::{ArcSwap, Guard};

use super::canonical::CanonicalArguments;
use super::compiled::CompiledPolicy;
use super::packed::PackedVerdicts;
use super::policy::{MAX_RULES, Policy};
use super::rule::Rule;
use super::verdict::Verdict;
use crate::RiskLevel;

/// Receives each new policy.
pub(crate) type PolicyListener = Arc<dyn Fn(&Policy) + Send + Sync>;

/// The policy of a registry, which may change while calls run.
pub(crate) struct LivePolicy {
    current: ArcSwap<CompiledPolicy>,
    /// Verdicts of a policy without rules, so that its calls need not load it.
    by_risk: PackedVerdicts,
    /// Locked while the policy is replaced, so that no edit is lost.
    edit: Mutex<()>,
    listener: Option<PolicyListener>,
}

impl LivePolicy {
    pub(crate) fn new(policy: Policy, listener: Option<PolicyListener>) -> Self {
        Self {
            by_risk: PackedVerdicts::of(&policy),
            current: ArcSwap::from_pointee(CompiledPolicy::new(policy)),
            edit: Mutex::default(),
            listener,
        }
    }

    pub(crate) fn load(&self) -> Guard<Arc<CompiledPolicy>> {
        self.current.load()
    }

    /// Returns the verdict of a policy without rules; `None` if there are rules.
    #[inline]
    pub(crate) fn verdict_by_risk(&self, risk: RiskLevel) -> Option<Verdict> {
        self.by_risk.of_risk(risk)
    }

    /// Changes the policy. Does nothing if `change` does not change it.
    pub(crate) fn edit<R>(&self, change: impl FnOnce(&mut Policy) -> R) -> R {
        let _edit = self.edit.lock().unwrap_or_else(PoisonError::into_inner);
        let previous = self.current.load_full();
        let mut policy = previous.policy().clone();
        let returned = change(&mut policy);
        if policy == *previous.policy() {
            return returned;
        }
        let next = Arc::new(CompiledPolicy::after(&previous, policy));
        self.current.store(Arc::clone(&next));
        self.by_risk.follow(next.policy());
        // With the lock, so that the listener receives the policies in their order.
        if let Some(listener) = &self.listener {
            listener(next.policy());
        }
        returned
    }

    /// Adds a rule that allows exactly these arguments of the tool with this definition and these findings. A full policy
    /// stays unchanged, so that it can be loaded again; the next call then requires approval again.
    pub(crate) fn allow_exactly(&self, tool: &str, arguments: &CanonicalArguments) {
        let Some(rule) = Rule::exactly(tool, arguments) else {
            return;
        };
        self.edit(|policy| {
            if policy.rules.len() < MAX_RULES && !policy.rules.contains(&rule) {
                policy.rules.push(rule);
            }
        });
    }
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests {
    use super::*;
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
