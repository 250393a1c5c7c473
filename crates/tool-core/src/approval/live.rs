//! The policy of a registry, which may be edited while calls run.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::{ArcSwap, Guard};

use super::compiled::CompiledPolicy;
use super::packed::PackedVerdicts;
use super::policy::{MAX_RULES, Policy};
use super::rule::{Rule, Verdict};
use crate::RiskLevel;

/// Told of each policy that comes to hold, with its generation.
pub(crate) type PolicyListener = Arc<dyn Fn(&Policy, u64) + Send + Sync>;

/// The policy of a registry, which may be edited while calls run.
pub(crate) struct LivePolicy {
    current: ArcSwap<CompiledPolicy>,
    /// The verdicts of the current policy where it has no rules, so that its calls need not look at it.
    by_risk: PackedVerdicts,
    /// Held while the policy is replaced, so that no edit is lost.
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

    /// What a policy without rules says; `None` where there are rules to look at.
    #[inline]
    pub(crate) fn verdict_by_risk(&self, risk: RiskLevel) -> Option<Verdict> {
        self.by_risk.of_risk(risk)
    }

    pub(crate) fn generation(&self) -> u64 {
        self.current.load().generation()
    }

    /// Changes the policy; nothing happens where `change` leaves it as it is.
    pub(crate) fn edit<R>(&self, change: impl FnOnce(&mut Policy) -> R) -> R {
        let guard = self.edit.lock().unwrap_or_else(PoisonError::into_inner);
        let previous = self.current.load_full();
        let mut policy = previous.policy().clone();
        let returned = change(&mut policy);
        if policy == *previous.policy() {
            return returned;
        }
        let next = Arc::new(CompiledPolicy::after(&previous, policy));
        self.current.store(Arc::clone(&next));
        self.by_risk.follow(next.policy());
        drop(guard);
        // Without the lock, so that the listener may look at the policy, and edit it too.
        if let Some(listener) = &self.listener {
            listener(next.policy(), next.generation());
        }
        returned
    }

    /// Adds the rule that allows exactly these arguments of this tool from now on. A policy that is full stays as it is, so
    /// that it can be read again; the next call asks again.
    pub(crate) fn allow_exactly(&self, tool: &str, arguments: &str) {
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

impl fmt::Debug for LivePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LivePolicy")
            .field("generation", &self.generation())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests {
    use super::*;
    use crate::approval::Effect;

    #[test]
    fn a_full_policy_stays_one_that_can_be_read() {
        let rules = vec![Rule::new("x", "g", Effect::Ask); MAX_RULES - 1];
        let live = LivePolicy::new(
            Policy {
                rules,
                ..Policy::default()
            },
            None,
        );

        live.allow_exactly("f", "{}");
        live.allow_exactly("f", "{\"a\":1}");

        let policy = live.load().policy().clone();
        assert_eq!(policy.rules.len(), MAX_RULES);
        assert_eq!(Policy::from_json(&policy.to_json()), Ok(policy));
    }
}
