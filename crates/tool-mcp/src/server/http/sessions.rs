//! Owners of sessions.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Maximum number of remembered sessions, which is more than the number of open ones.
const MAX_OWNERS: usize = 10_000;

/// Subjects that opened sessions, so that no other client uses them.
#[derive(Debug, Default)]
pub(super) struct Owners(Mutex<HashMap<String, String>>);

impl Owners {
    /// Remembers the owner of a new session. Does nothing if the table is full, so that the session cannot be used.
    pub(super) fn add(&self, session: &str, subject: &str) {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.len() < MAX_OWNERS {
            owners.insert(session.to_owned(), subject.to_owned());
        }
    }

    /// Returns `true` if the subject opened the session.
    pub(super) fn is_owner(&self, session: &str, subject: &str) -> bool {
        let owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(session).is_some_and(|owner| owner == subject)
    }

    /// Forgets a session that is closed.
    pub(super) fn remove(&self, session: &str) {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owners.remove(session);
    }

    /// Returns the remembered sessions if their number reached the limit.
    pub(super) fn excess(&self) -> Vec<String> {
        let owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.len() < MAX_OWNERS {
            return Vec::new();
        }
        owners.keys().cloned().collect()
    }
}
