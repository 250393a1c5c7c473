//! Keys that one call at a time may hold.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};

use tokio::sync::{Mutex, OwnedMutexGuard};

type Locks = Arc<SyncMutex<HashMap<String, Arc<Mutex<()>>>>>;

/// Keys that one call at a time may hold.
#[derive(Default)]
pub(super) struct Keys(Locks);

impl Keys {
    /// Waits until nobody else holds `key`.
    pub(super) async fn hold(&self, key: String) -> KeyGuard {
        let lock = {
            let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(keys.entry(key.clone()).or_default())
        };
        // Made before the wait, so that a call that gives up waiting cleans up behind itself.
        let mut held = KeyGuard {
            keys: Arc::clone(&self.0),
            key,
            guard: None,
        };
        held.guard = Some(lock.lock_owned().await);
        held
    }
}

/// One key; forgotten when nobody holds it or waits for it.
pub(super) struct KeyGuard {
    keys: Locks,
    key: String,
    guard: Option<OwnedMutexGuard<()>>,
}

impl Drop for KeyGuard {
    fn drop(&mut self) {
        self.guard = None;
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys
            .get(&self.key)
            .is_some_and(|lock| Arc::strong_count(lock) == 1)
        {
            keys.remove(&self.key);
        }
    }
}
