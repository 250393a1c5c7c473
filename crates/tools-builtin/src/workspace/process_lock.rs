//! Locks between processes, so that two of them which edit one file don't lose each other's changes.
//!
//! The locks are files in the state directory, not the files themselves: a file that is replaced is another one afterwards.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use cap_std::fs::{Dir, OpenOptions};
use sha2::{Digest as _, Sha256};
use tool_core::{CancellationToken, ToolError};

use super::platform;

/// Interval at which a lock of another process is tried again.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Locks that this process holds.
#[derive(Debug, Default)]
pub(super) struct ProcessLocks(Mutex<HashMap<String, Weak<ProcessLock>>>);

/// Lock of a file between processes, released on drop. In this process, several writers may share it.
#[derive(Debug)]
pub(super) struct ProcessLock(
    #[expect(dead_code, reason = "closing the file releases the lock")] File,
);

impl ProcessLocks {
    /// Waits until no other process has the lock. Returns `None` if the file system has no locks.
    pub(super) fn acquire(
        &self,
        state: &Dir,
        name: &str,
        cancellation: &CancellationToken,
    ) -> Result<Option<Arc<ProcessLock>>, ToolError> {
        let held = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = held().get(name).and_then(Weak::upgrade);
        if shared.is_some() {
            return Ok(shared);
        }
        let Ok(file) = open(state, name) else {
            return Ok(None);
        };
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(_)) => return Ok(None),
                Err(TryLockError::WouldBlock) if cancellation.is_cancelled() => {
                    return Err(ToolError::cancelled());
                }
                Err(TryLockError::WouldBlock) => thread::sleep(POLL_INTERVAL),
            }
        }
        let lock = Arc::new(ProcessLock(file));
        let mut held = held();
        held.retain(|_, lock| lock.strong_count() > 0);
        held.insert(name.to_owned(), Arc::downgrade(&lock));
        Ok(Some(lock))
    }
}

fn open(state: &Dir, name: &str) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    platform::set_mode(&mut options, 0o600);
    state
        .open_with(name, &options)
        .map(cap_std::fs::File::into_std)
}

/// Returns the name of the lock of a file. Few names, shared by many files, so that nobody has to remove lock files.
pub(super) fn name_of((identity, name): &(Option<(u64, u64)>, PathBuf)) -> String {
    let (device, directory) = identity.unwrap_or_default();
    let mut digest = Sha256::new();
    digest.update(device.to_le_bytes());
    digest.update(directory.to_le_bytes());
    digest.update(name.as_os_str().as_encoded_bytes());
    let digest = digest.finalize();
    let number = digest
        .iter()
        .take(2)
        .fold(0, |number, byte| number << 8 | u16::from(*byte));
    format!("lock-{:03x}", number & 0xFFF)
}
