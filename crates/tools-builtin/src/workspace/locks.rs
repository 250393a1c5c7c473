//! Locks that allow one writer per file.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tool_core::{CancellationToken, ToolError};

/// Interval at which a waiting writer checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Identifies a file by directory and name: replacing a file changes its inode, but not that of its
/// directory.
pub(super) type Key = (Option<(u64, u64)>, PathBuf);

/// Files that are being written.
#[derive(Debug, Default)]
pub(super) struct Locks {
    held: Mutex<HashSet<Key>>,
    freed: Condvar,
}

/// Lock of one file, released on drop.
#[derive(Debug)]
pub(super) struct Lock {
    locks: Arc<Locks>,
    key: Key,
}

impl Locks {
    /// Waits until no other writer has the lock.
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
                // Cancelling a token doesn't notify the condition, so check it at intervals.
                .wait_timeout(held, POLL_INTERVAL)
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
    fn waiting_writer_can_be_cancelled() {
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
