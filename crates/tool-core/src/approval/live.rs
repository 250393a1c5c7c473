//! The policy of a registry, which may be edited while calls run.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::{ArcSwap, Guard};

use super::compiled::CompiledPolicy;
use super::policy::Policy;
use super::rule::Rule;

/// Told of each policy that comes to hold, with its generation.
pub(crate) type PolicyListener = Arc<dyn Fn(&Policy, u64) + Send + Sync>;

/// The policy of a registry, which may be edited while calls run.
pub(crate) struct LivePolicy {
    current: ArcSwap<CompiledPolicy>,
    /// Held while the policy is replaced, so that no edit is lost.
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
        drop(guard);
        // Without the lock, so that the listener may look at the policy, and edit it too.
        if let Some(listener) = &self.listener {
            listener(next.policy(), next.generation());
        }
        returned
    }

    /// Adds the rule that allows exactly these arguments of this tool from now on.
    pub(crate) fn allow_exactly(&self, tool: &str, arguments: &str) {
        let Some(rule) = Rule::exactly(tool, arguments) else {
            return;
        };
        self.edit(|policy| {
            if !policy.rules.contains(&rule) {
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
