//! Locks and the journal of a workspace, in the directory that also has its checkpoints. Other systems than Linux have none.

use std::io::ErrorKind;
use std::sync::Arc;

use cap_std::fs::Dir;
use tool_core::{CancellationToken, ToolError};

use super::Workspace;
use super::destination::{Key, Lock};
use super::process_lock::{ProcessLock, name_of};
use super::together::recover;

impl Workspace {
    /// Waits until no other writer, of this process or another one, has the lock of a file.
    pub(super) fn acquire(
        &self,
        key: Key,
        cancellation: &CancellationToken,
    ) -> Result<Lock, ToolError> {
        let name = name_of(&key);
        let locks = &self.shared.locks;
        let mut lock = locks.acquire(key, cancellation)?;
        if let Some(state) = self.state_directory() {
            lock.between_processes = locks.processes.acquire(state, &name, cancellation)?;
        }
        Ok(lock)
    }

    /// Locks several files, in an order that is the same in all processes.
    pub(super) fn lock_all(
        &self,
        mut keys: Vec<Key>,
        cancellation: &CancellationToken,
    ) -> Result<Vec<Lock>, ToolError> {
        keys.sort_by_cached_key(|key| (name_of(key), key.clone()));
        keys.dedup();
        let keys = keys.into_iter();
        keys.map(|key| self.acquire(key, cancellation)).collect()
    }

    /// Waits until no other process changes several files, and takes back what one left unfinished.
    pub(super) fn lock_journal(
        &self,
        cancellation: &CancellationToken,
    ) -> Result<Option<Arc<ProcessLock>>, ToolError> {
        let Some((state, name)) = self.journal_place() else {
            return Ok(None);
        };
        let locks = &self.shared.locks.processes;
        let lock = locks.acquire(&state, &format!("{name}.lock"), cancellation)?;
        recover(self, &state, &name);
        Ok(lock)
    }

    /// Takes back what a process that has ended left unfinished, unless another one is changing files now.
    pub(super) fn recover_at_start(&self) {
        if self.has_journal() {
            // A cancelled token, so that it doesn't wait: a process that is alive completes its change itself.
            let cancelled = CancellationToken::new();
            cancelled.cancel();
            let _ = self.lock_journal(&cancelled);
        }
    }

    pub(super) fn journal_place(&self) -> Option<(Dir, String)> {
        let state = self.state_directory()?.try_clone().ok()?;
        Some((state, self.journal_name()))
    }
}

#[cfg(target_os = "linux")]
impl Workspace {
    /// Returns the directory, which is created if the workspace has a place for it.
    fn state_directory(&self) -> Option<&Dir> {
        let opened = &self.shared.locks.state;
        opened.get_or_init(|| self.open_state_directory()).as_ref()
    }

    fn journal_name(&self) -> String {
        format!("journal-{}", self.state_name())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the path of the host, not of a model"
    )]
    fn has_journal(&self) -> bool {
        let place = self.state_path().ok();
        let place = place.map(|path| path.join(self.journal_name()));
        place.is_some_and(|path| match path.symlink_metadata() {
            Ok(_) => true,
            Err(error) => error.kind() != ErrorKind::NotFound,
        })
    }
}

#[cfg(not(target_os = "linux"))]
impl Workspace {
    #[expect(clippy::unused_self, reason = "Linux has one")]
    fn state_directory(&self) -> Option<&Dir> {
        None
    }

    #[expect(clippy::unused_self, reason = "Linux has one")]
    fn journal_name(&self) -> String {
        String::new()
    }

    #[expect(clippy::unused_self, reason = "Linux has one")]
    fn has_journal(&self) -> bool {
        let _ = ErrorKind::NotFound;
        false
    }
}
