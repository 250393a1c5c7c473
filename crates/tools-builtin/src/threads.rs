//! How many threads work beside those that the calls of a process have.

use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};
use std::thread;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
#[cfg(feature = "search")]
use tokio::time::{Instant, timeout_at};

/// More threads than this wait for the disk and for each other.
pub(crate) const MAX_THREADS: usize = 12;

/// One permit for each thread that searches, or goes through folders beside another, in all calls of the process
/// together. There are never fewer than two, so that one long search does not hold up all others.
static THREADS: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| Arc::new(Semaphore::new(processors().max(2))));

/// The right to work on one thread.
#[derive(Debug)]
pub(crate) struct Permit {
    _permit: OwnedSemaphorePermit,
}

impl Permit {
    /// Takes a right that is free now.
    pub(crate) fn now() -> Option<Self> {
        let permit = Arc::clone(&THREADS).try_acquire_owned().ok()?;
        Some(Self { _permit: permit })
    }

    /// Waits for a right; `None` when the time is up before.
    #[cfg(feature = "search")]
    pub(crate) async fn until(deadline: std::time::Instant) -> Option<Self> {
        if let Some(permit) = Self::now() {
            return Some(permit);
        }
        let permit = Arc::clone(&THREADS).acquire_owned();
        let permit = timeout_at(Instant::from_std(deadline), permit).await;
        Some(Self {
            _permit: permit.ok()?.ok()?,
        })
    }

    /// All rights that there are, so that every other call waits.
    #[cfg(all(test, feature = "search"))]
    pub(crate) async fn of_everybody() -> Option<Self> {
        let all = u32::try_from(processors().max(2)).ok()?;
        let permits = Arc::clone(&THREADS).acquire_many_owned(all);
        Some(Self {
            _permit: permits.await.ok()?,
        })
    }

    /// The rights of as many helpers as one thread may have, and as are free.
    pub(crate) fn of_helpers() -> Vec<Self> {
        let most = MAX_THREADS.min(processors()) - 1;
        (0..most).map_while(|_| Self::now()).collect()
    }
}

/// How many threads run at once, as far as this process may use them.
pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
