//! Step 7: waits until the call may run next to the calls that already run.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard};

use super::guard::guarded;
use super::stop::cancelled_before_run;
use crate::catalog::Entry;
use crate::places::{All, Place, Places};
use crate::{Arguments, Concurrency, ErrorCode, ToolContext, ToolError, clock};

/// Runs parallel calls concurrently up to a bound, exclusive ones alone, and per-key ones one at a time per key. A tool
/// may have its own bound.
pub(crate) struct Gate {
    places: Places,
    keys: Keys,
    queue: Queue,
}

impl Gate {
    pub(crate) fn new(parallel: usize, waiting: usize) -> Self {
        Self {
            places: Places::new(parallel),
            keys: Keys::default(),
            queue: Queue {
                waiting: AtomicUsize::new(0),
                max: waiting,
            },
        }
    }

    /// Returns the maximum number of concurrent calls.
    pub(crate) fn parallel(&self) -> usize {
        self.places.count()
    }

    /// Returns a permit if the call need not wait.
    #[inline]
    pub(super) fn try_enter<'g>(&'g self, entry: &'g Entry) -> Option<Permit<'g>> {
        let mut permit = Permit::default();
        match entry.definition().concurrency() {
            Concurrency::Parallel => {
                if let Some(places) = entry.places() {
                    permit.rare().own = Some(places.try_one()?);
                }
                permit.one = Some(self.places.try_one()?);
            }
            Concurrency::Exclusive => permit.rare().all = Some(self.places.try_all()?),
            Concurrency::PerKey => return None,
        }
        Some(permit)
    }

    /// Waits for a permit. Also returns the time in the queue.
    pub(super) async fn enter<'g>(
        &'g self,
        entry: &'g Entry,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> (Duration, Result<Permit<'g>, ToolError>) {
        let key = match entry.definition().concurrency() {
            Concurrency::PerKey => guarded(|| Ok(entry.tool().key_of(arguments))),
            Concurrency::Parallel | Concurrency::Exclusive => Ok(None),
        };
        let key = match key {
            Ok(key) => key,
            Err(panic) => return (Duration::ZERO, Err(panic)),
        };
        let mut permit = pin!(self.permit(entry, key));
        // Only a call that finds no free place counts as queued.
        let first = poll_fn(|task| Poll::Ready(permit.as_mut().poll(task))).await;
        if let Poll::Ready(permit) = first {
            return (Duration::ZERO, Ok(permit));
        }
        let _queued = match self.queue.join() {
            Ok(queued) => queued,
            Err(error) => return (Duration::ZERO, Err(error)),
        };
        let since = clock::now();
        let permit = cx.cancellation().run_until_cancelled(permit).await;
        let time = clock::now().duration_since(since);
        (time, permit.ok_or_else(cancelled_before_run))
    }

    /// Waits for the key, then for a place of the tool, then for a shared place. In this order, a waiting call holds
    /// nothing that calls of other keys or tools could use.
    async fn permit<'g>(&'g self, entry: &'g Entry, key: Option<String>) -> Permit<'g> {
        let mut permit = Permit::default();
        if entry.definition().concurrency() == Concurrency::Exclusive {
            let all = self.places.all().await;
            permit.rare().all = Some(all);
            return permit;
        }
        if let Some(key) = key {
            let key = self.keys.acquire(key).await;
            permit.rare().key = Some(key);
        }
        if let Some(places) = entry.places() {
            let own = places.one().await;
            permit.rare().own = Some(own);
        }
        permit.one = Some(self.places.one().await);
        permit
    }
}

/// Permission to run, released on drop.
#[derive(Default)]
pub(super) struct Permit<'g> {
    one: Option<Place<'g>>,
    rare: Option<Box<RarePermits<'g>>>,
}

/// Parts of a permit that few calls need.
#[derive(Default)]
struct RarePermits<'g> {
    all: Option<All<'g>>,
    own: Option<Place<'g>>,
    key: Option<KeyGuard>,
}

impl<'g> Permit<'g> {
    fn rare(&mut self) -> &mut RarePermits<'g> {
        self.rare.get_or_insert_default()
    }
}

type Locks = Arc<SyncMutex<HashMap<String, Arc<Mutex<()>>>>>;

/// Keys, each held by at most one call.
#[derive(Default)]
struct Keys(Locks);

impl Keys {
    async fn acquire(&self, key: String) -> KeyGuard {
        let lock = {
            let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(keys.entry(key.clone()).or_default())
        };
        // Created before the wait, so that a cancelled wait cleans up.
        let mut guard = KeyGuard {
            keys: Arc::clone(&self.0),
            key,
            guard: None,
        };
        guard.guard = Some(lock.lock_owned().await);
        guard
    }
}

/// A held key. The last holder or waiter removes it.
struct KeyGuard {
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

/// Bound on the number of queued calls. Calls that run immediately do not touch it.
struct Queue {
    waiting: AtomicUsize,
    max: usize,
}

impl Queue {
    fn join(&self) -> Result<Queued<'_>, ToolError> {
        let queued = Queued(&self.waiting);
        if self.waiting.fetch_add(1, Relaxed) < self.max {
            return Ok(queued);
        }
        let error = ToolError::new(
            ErrorCode::RateLimited,
            "The call was not run, because too many calls are already queued",
        );
        Err(error.suggest(
            "Nothing was changed. Wait for other calls to finish, and make fewer calls at once.",
        ))
    }
}

/// A queued call, until dropped.
struct Queued<'q>(&'q AtomicUsize);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_queue_rejects_until_a_call_leaves() {
        let queue = Queue {
            waiting: AtomicUsize::new(0),
            max: 2,
        };
        let (first, _second) = (queue.join().unwrap(), queue.join().unwrap());

        let rejected = queue.join().err().unwrap();

        assert_eq!(rejected.code(), &ErrorCode::RateLimited);
        assert!(rejected.retryable());
        drop(first);
        assert!(queue.join().is_ok());
    }
}
