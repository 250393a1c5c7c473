//! The policy of a registry, which may change while calls run.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::{ArcSwap, Guard};

use super::compiled::CompiledPolicy;
use super::matcher::CanonicalCall;
use super::policy::{MAX_RULES, Policy};
use super::rule::Rule;

/// Receives each new policy.
pub(crate) type PolicyListener = Arc<dyn Fn(&Policy) + Send + Sync>;

/// The policy of a registry, which may change while calls run.
pub(crate) struct LivePolicy {
    current: ArcSwap<CompiledPolicy>,
    /// Locked while the policy is replaced, so that no edit is lost.
    edit: Mutex<()>,
    listener: Option<PolicyListener>,
}

impl LivePolicy {
    pub(crate) fn new(policy: Policy, listener: Option<PolicyListener>) -> Self {
        Self {
            current: ArcSwap::from_pointee(CompiledPolicy::new(policy)),
            edit: Mutex::default(),
            listener,
        }
    }

    pub(crate) fn load(&self) -> Guard<Arc<CompiledPolicy>> {
        self.current.load()
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
        let next = Arc::new(CompiledPolicy::new(policy));
        self.current.store(Arc::clone(&next));
        // With the lock, so that the listener receives the policies in their order.
        if let Some(listener) = &self.listener {
            listener(next.policy());
        }
        returned
    }

    /// Adds a rule that allows exactly these arguments of the tool with this definition and these findings. A full policy
    /// stays unchanged, so that it can be loaded again; the next call then requires approval again.
    pub(crate) fn allow_exactly(&self, tool: &str, call: &CanonicalCall<'_>) {
        let rule = Rule::exactly(tool, call);
        self.edit(|policy| {
            if policy.rules.len() < MAX_RULES && !policy.rules.contains(&rule) {
                policy.rules.push(rule);
            }
        });
    }
}

#[cfg(test)]
mod tests;
