//! Running calls and the cancellation of calls.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tool_core::CancellationToken;

/// Maximum number of remembered cancellations of calls that do not run here.
const REMEMBERED: usize = 10_000;

/// Tokens of running calls, and cancelled calls that may still arrive. A call is identified by the subject of its replies,
/// because another call may have the same key.
#[derive(Default)]
pub(super) struct Cancelled(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    running: HashMap<String, Vec<CancellationToken>>,
    early: HashSet<String>,
    order: VecDeque<String>,
    /// Token of all calls.
    all: CancellationToken,
}

impl Cancelled {
    /// Registers a running call. Its token is cancelled already if the cancellation arrived first.
    pub(super) fn register(&self, call: &str) -> Registered {
        let mut state = lock(&self.0);
        let token = state.all.child();
        // Cancellations do not pass through the queue, so one can arrive before its call.
        if state.early.contains(call) {
            token.cancel();
        }
        let running = state.running.entry(call.to_owned()).or_default();
        running.push(token.clone());
        Registered {
            state: Arc::clone(&self.0),
            call: call.to_owned(),
            token,
        }
    }

    pub(super) fn cancel(&self, call: String) {
        let mut state = lock(&self.0);
        if let Some(running) = state.running.get(&call) {
            running.iter().for_each(CancellationToken::cancel);
            return;
        }
        if !state.early.insert(call.clone()) {
            return;
        }
        state.order.push_back(call);
        if state.order.len() > REMEMBERED
            && let Some(oldest) = state.order.pop_front()
        {
            state.early.remove(&oldest);
        }
    }

    /// Returns the number of running calls.
    pub(super) fn running(&self) -> usize {
        lock(&self.0).running.values().map(Vec::len).sum()
    }

    pub(super) fn cancel_all(&self) {
        lock(&self.0).all.cancel();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running call, removed on drop.
pub(super) struct Registered {
    state: Arc<Mutex<State>>,
    call: String,
    pub(super) token: CancellationToken,
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        let is_last = state.running.get_mut(&self.call).is_some_and(|running| {
            running.pop();
            running.is_empty()
        });
        if is_last {
            state.running.remove(&self.call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_reaches_running_and_later_calls() {
        let (cancelled, key) = (Cancelled::default(), "reply.1");
        let other = cancelled.register("reply.2");
        let running = cancelled.register(key);

        cancelled.cancel(key.to_owned());
        assert!(running.token.is_cancelled() && !other.token.is_cancelled());
        drop(running);

        assert!(!cancelled.register(key).token.is_cancelled());
        cancelled.cancel(key.to_owned());
        assert!(cancelled.register(key).token.is_cancelled());
        cancelled.cancel_all();
        assert!(other.token.is_cancelled());
    }

    #[test]
    fn early_cancellations_are_bounded() {
        let cancelled = Cancelled::default();
        let key = |number: usize| number.to_string();
        for number in 0..=REMEMBERED {
            cancelled.cancel(key(number));
        }

        assert!(!cancelled.register(&key(0)).token.is_cancelled());
        assert!(cancelled.register(&key(REMEMBERED)).token.is_cancelled());
    }
}
