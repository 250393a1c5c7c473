//! The policy of a registry, which may change while calls run.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::{ArcSwap, Guard};

use super::canonical::CanonicalArguments;
use super::compiled::CompiledPolicy;
use super::policy::{MAX_RULES, Policy};
use super::rule::Rule;
use super::rule::Verdict;
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
        // A copy, because calls use the current policy during the edit.
        let mut policy = previous.policy().clone();
        let returned = change(&mut policy);
        // Hosts save the policy in the listener, so it is not called without a change.
        if policy == *previous.policy() {
            return returned;
        }
        let next = Arc::new(CompiledPolicy::after(&previous, policy));
        self.current.store(Arc::clone(&next));
        // A call in between decides by the earlier verdict, as if it had come before the edit.
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
mod tests;
