//! Places of a worker for calls of the queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Number of taken places, and a notification about a free one.
pub(super) struct Places {
    taken: AtomicUsize,
    total: usize,
    freed: Notify,
}

impl Places {
    pub(super) fn new(total: usize) -> Self {
        Self {
            taken: AtomicUsize::new(0),
            total,
            freed: Notify::new(),
        }
    }

    pub(super) fn total(&self) -> usize {
        self.total
    }

    pub(super) fn taken(&self) -> usize {
        self.taken.load(Ordering::Acquire)
    }

    pub(super) fn free(&self) -> usize {
        self.total.saturating_sub(self.taken())
    }

    /// Takes a place, even if all are taken.
    pub(super) fn take(self: &Arc<Self>) -> Place {
        // Never rejected: the server has delivered the call, and this worker must serve it.
        self.taken.fetch_add(1, Ordering::AcqRel);
        Place(Arc::clone(self))
    }

    /// Takes a place if one is free.
    pub(super) fn try_take(self: &Arc<Self>) -> Option<Place> {
        let place = self.take();
        // Too many concurrent calls may all fail, which is safe.
        (self.taken() <= self.total).then_some(place)
    }

    /// Waits until a place is freed.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }
}

/// A taken place, freed on drop.
pub(super) struct Place(Arc<Places>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::AcqRel);
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn drop_frees_place_and_notifies() {
        let places = Arc::new(Places::new(1));
        let first = places.try_take();

        assert!(first.is_some() && places.try_take().is_none());
        drop(first);
        places.freed().await;
        assert_eq!(places.free(), 1);
    }
}
