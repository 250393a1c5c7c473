//! How many threads search.

use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};
use std::thread;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// More threads than this wait for the disk and for each other.
const MAX_THREADS: usize = 12;

/// One permit for each thread that searches, in all searches of the process together. There are never fewer than two,
/// so that one long search does not hold up all others.
static THREADS: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| Arc::new(Semaphore::new(processors().max(2))));

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// The right to search on so many threads: the one that has it, and helpers.
#[derive(Debug)]
pub(super) struct Crew {
    helpers: usize,
    permits: Vec<Arc<OwnedSemaphorePermit>>,
    most: usize,
}

impl Crew {
    /// Waits for the right to search on one thread; `None` when the time is up before.
    pub(super) async fn alone(
        most: Option<NonZeroUsize>,
        deadline: std::time::Instant,
    ) -> Option<Self> {
        let permit = match Arc::clone(&THREADS).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => timeout_at(
                Instant::from_std(deadline),
                Arc::clone(&THREADS).acquire_owned(),
            )
            .await
            .ok()?
            .ok()?,
        };
        let most = most.map_or(MAX_THREADS, NonZeroUsize::get);
        Some(Self {
            helpers: 0,
            permits: vec![Arc::new(permit)],
            most: most.min(processors()) - 1,
        })
    }

    /// Exactly so many helpers, whoever else searches.
    #[cfg(test)]
    pub(super) fn with_helpers(helpers: usize) -> Self {
        Self {
            helpers,
            permits: Vec::new(),
            most: 0,
        }
    }

    /// All threads that there are, so that every other search waits.
    #[cfg(test)]
    pub(super) async fn everybody() -> OwnedSemaphorePermit {
        let all = u32::try_from(processors().max(2)).unwrap();
        let permits = Arc::clone(&THREADS).acquire_many_owned(all);
        permits.await.unwrap()
    }

    /// The same right once more: the call keeps it until its thread is done with the work, so that no other thread is
    /// started meanwhile, and the thread when the call is dropped.
    pub(super) fn permits(&self) -> Vec<Arc<OwnedSemaphorePermit>> {
        self.permits.clone()
    }

    /// Takes as many helpers as are free, and says how many.
    pub(super) fn call_helpers(&mut self) -> usize {
        while self.helpers < self.most
            && let Ok(permit) = Arc::clone(&THREADS).try_acquire_owned()
        {
            self.permits.push(Arc::new(permit));
            self.helpers += 1;
        }
        self.helpers
    }
}
