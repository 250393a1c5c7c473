//! Limit on threads that help the calls of a process.

use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};
use std::thread;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Maximum number of threads of one call. Further threads only wait for the disk and each other.
pub(crate) const MAX_THREADS: usize = 12;

/// Permits of all calls in the process, one per searching or walking thread. There are at least
/// two, so that one long search does not block all others.
static THREADS: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| Arc::new(Semaphore::new(cpus().max(2))));

/// Permit to work on one thread.
#[derive(Debug)]
pub(crate) struct Permit(#[expect(dead_code, reason = "held until dropped")] OwnedSemaphorePermit);

impl Permit {
    /// Acquires a permit if one is available.
    pub(crate) fn try_acquire() -> Option<Self> {
        Arc::clone(&THREADS).try_acquire_owned().ok().map(Self)
    }

    /// Waits for a permit; returns `None` at the deadline.
    pub(crate) async fn acquire(deadline: std::time::Instant) -> Option<Self> {
        let permit = Arc::clone(&THREADS).acquire_owned();
        let permit = timeout_at(Instant::from_std(deadline), permit).await;
        permit.ok()?.ok().map(Self)
    }

    /// Acquires all permits, so that every other call waits.
    #[cfg(test)]
    pub(crate) async fn acquire_all() -> Option<Self> {
        let all = u32::try_from(cpus().max(2)).ok()?;
        let permits = Arc::clone(&THREADS).acquire_many_owned(all);
        permits.await.ok().map(Self)
    }

    /// Acquires the available permits for the helpers of one thread, up to the maximum.
    pub(crate) fn acquire_helpers() -> Vec<Self> {
        let most = MAX_THREADS.min(cpus()) - 1;
        (0..most).map_while(|_| Self::try_acquire()).collect()
    }
}

/// Returns the number of CPUs available to this process.
pub(crate) fn cpus() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
