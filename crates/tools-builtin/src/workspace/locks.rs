//! One writer per file.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tool_core::{CancellationToken, ToolError};

/// How often a writer that waits looks whether it was cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A file by its folder and its name: replacing a file changes its own number, and not its folder's.
pub(super) type Key = (Option<(u64, u64)>, PathBuf);

/// The files that are being written now.
#[derive(Debug, Default)]
pub(super) struct Locks {
    held: Mutex<HashSet<Key>>,
    freed: Condvar,
}

/// The right to write one file, until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    locks: Arc<Locks>,
    key: Key,
}

impl Locks {
    /// Waits until nobody else writes the file.
    pub(super) fn acquire(
        self: &Arc<Self>,
        key: Key,
        cancellation: &CancellationToken,
    ) -> Result<Lock, ToolError> {
        let mut held = self.held();
        while held.contains(&key) {
            if cancellation.is_cancelled() {
                return Err(ToolError::cancelled());
            }
            held = self
                .freed
                .wait_timeout(held, LOOK_EVERY)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        held.insert(key.clone());
        Ok(Lock {
            locks: Arc::clone(self),
            key,
        })
    }

    fn held(&self) -> MutexGuard<'_, HashSet<Key>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.locks.held().remove(&self.key);
        self.locks.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use tool_core::ErrorCode;

    use super::*;

    #[test]
    fn a_second_writer_waits_and_can_be_cancelled() {
        let locks = Arc::new(Locks::default());
        let key: Key = (Some((1, 2)), "a".into());
        let none = CancellationToken::new();
        let first = locks.acquire(key.clone(), &none).unwrap();
        let cancelled = CancellationToken::new();
        cancelled.cancel();

        let refused = locks.acquire(key.clone(), &cancelled).unwrap_err();

        assert_eq!(refused.code(), &ErrorCode::Cancelled);
        drop(first);
        assert!(locks.acquire(key, &none).is_ok());
    }
}
