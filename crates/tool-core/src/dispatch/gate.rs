//! Step 7: waiting for one's turn.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::time::Instant;

use tokio::sync::{
    Mutex, OwnedMutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, Semaphore, SemaphorePermit,
};

use super::record::Record;
use super::run::guarded;
use crate::registry::Entry;
use crate::{Arguments, Concurrency, ToolContext, ToolError};

/// Lets parallel calls run side by side up to a bound, exclusive ones alone, and keyed ones one at a time per key.
pub(crate) struct Gate {
    exclusive: RwLock<()>,
    parallel: Semaphore,
    keys: Keys,
}

type Keys = Arc<SyncMutex<HashMap<String, Arc<Mutex<()>>>>>;

impl Gate {
    pub(crate) fn new(parallel: usize) -> Self {
        Self {
            exclusive: RwLock::new(()),
            parallel: Semaphore::new(parallel.min(Semaphore::MAX_PERMITS)),
            keys: Keys::default(),
        }
    }

    async fn permit(&self, concurrency: Concurrency, key: Option<String>) -> Permit<'_> {
        if concurrency == Concurrency::Exclusive {
            return Permit {
                _alone: Some(self.exclusive.write().await),
                ..Permit::default()
            };
        }
        // The key comes first: whoever waits for a key holds no place that others could use.
        let key = match key {
            Some(key) => Some(self.key(key).await),
            None => None,
        };
        let beside = Some(self.exclusive.read().await);
        Permit {
            _place: self.parallel.acquire().await.ok(),
            _beside: beside,
            _key: key,
            _alone: None,
        }
    }

    async fn key(&self, key: String) -> KeyGuard {
        let lock = {
            let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(keys.entry(key.clone()).or_default())
        };
        // Made before the wait, so that a call that gives up waiting cleans up behind itself.
        let mut held = KeyGuard {
            keys: Arc::clone(&self.keys),
            key,
            guard: None,
        };
        held.guard = Some(lock.lock_owned().await);
        held
    }
}

/// The right to run; given back when dropped.
#[derive(Default)]
pub(super) struct Permit<'g> {
    _alone: Option<RwLockWriteGuard<'g, ()>>,
    _beside: Option<RwLockReadGuard<'g, ()>>,
    _place: Option<SemaphorePermit<'g>>,
    _key: Option<KeyGuard>,
}

/// One key; forgotten when nobody holds it or waits for it.
struct KeyGuard {
    keys: Keys,
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

/// Waits for the call's turn and says how long that took.
pub(super) async fn enter<'g>(
    gate: &'g Gate,
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
    record: &mut Record,
) -> Result<Permit<'g>, ToolError> {
    let concurrency = entry.definition().concurrency();
    let key = match concurrency {
        Concurrency::PerKey => guarded(|| Ok(entry.tool().key_of(arguments)))?,
        Concurrency::Parallel | Concurrency::Exclusive => None,
    };
    let since = Instant::now();
    let permit = cx
        .cancellation()
        .run_until_cancelled(gate.permit(concurrency, key))
        .await;
    record.queued(since.elapsed());
    permit.ok_or_else(ToolError::cancelled)
}
