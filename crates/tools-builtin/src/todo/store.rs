//! Store for a plan.

use tokio::sync::watch;

use super::TodoPlan;

/// Store for the plan of one session. It notifies subscribers of changes; clones share the store.
///
/// # Examples
/// ```
/// use tools_builtin::todo::TodoStore;
///
/// let store = TodoStore::default();
/// let changes = store.subscribe();
/// assert_eq!(store.plan(), *changes.borrow());
/// ```
#[derive(Debug, Clone)]
pub struct TodoStore(watch::Sender<TodoPlan>);

impl Default for TodoStore {
    fn default() -> Self {
        Self::new(TodoPlan::default())
    }
}

impl TodoStore {
    /// Creates a store with an initial plan, such as one from an earlier session.
    #[must_use]
    pub fn new(plan: TodoPlan) -> Self {
        Self(watch::Sender::new(plan))
    }

    /// Returns the current plan.
    #[must_use]
    pub fn plan(&self) -> TodoPlan {
        self.0.borrow().clone()
    }

    /// Returns a receiver with the current plan, which is notified of every change.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<TodoPlan> {
        self.0.subscribe()
    }

    pub(super) fn replace(&self, plan: &TodoPlan) {
        self.0.send_if_modified(|kept| {
            let changed = kept != plan;
            if changed {
                kept.clone_from(plan);
            }
            changed
        });
    }
}
