//! A semaphore for running calls, split into shares so that threads rarely write to the same cache line.
//!
//! A call takes one place; an exclusive call takes all of them. Calls that find no place wait in a line. While calls
//! wait, new calls join the line, so that none waits forever.
//!
//! A single `tokio::sync::Semaphore` costs 12 ns more per call, and its lock and counter would be shared by all threads.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use tokio::sync::{Mutex, Notify};

/// Maximum number of shares.
const MAX_SHARES: usize = 16;

/// A semaphore for running calls.
pub(crate) struct Places {
    shares: Box<[Share]>,
    /// Number of calls in the line, including its head.
    waiting: AtomicUsize,
    line: Mutex<()>,
    /// Notified of free places, for the head of the line.
    freed: Notify,
}

/// Some of the places, on a separate cache line.
#[repr(align(128))]
struct Share {
    taken: AtomicUsize,
    places: usize,
}

impl Share {
    fn take_one(&self) -> bool {
        let one_more = |taken| (taken < self.places).then_some(taken + 1);
        self.taken.fetch_update(SeqCst, SeqCst, one_more).is_ok()
    }

    fn take_all(&self) -> bool {
        let outcome = self.taken.compare_exchange(0, self.places, SeqCst, SeqCst);
        outcome.is_ok()
    }

    fn release(&self, places: usize) {
        self.taken.fetch_sub(places, SeqCst);
    }
}

impl Places {
    pub(crate) fn new(places: usize) -> Self {
        let places = places.max(1);
        // A power of two, so that no division is needed.
        let shares = 1 << places.min(MAX_SHARES).ilog2();
        let share = |index| Share {
            taken: AtomicUsize::new(0),
            places: places / shares + usize::from(index < places % shares),
        };
        Self {
            shares: (0..shares).map(share).collect(),
            waiting: AtomicUsize::new(0),
            line: Mutex::new(()),
            freed: Notify::new(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.shares.iter().map(|share| share.places).sum()
    }

    /// Takes one place if one is free and no call waits.
    #[inline]
    pub(crate) fn try_one(&self) -> Option<Place<'_>> {
        if self.waiting.load(SeqCst) > 0 {
            return None;
        }
        self.take_one()
    }

    /// Waiting in line for one place.
    pub(crate) async fn one(&self) -> Place<'_> {
        let _waiting = Waiting::new(&self.waiting);
        let _head = self.line.lock().await;
        loop {
            if let Some(place) = self.take_one() {
                return place;
            }
            self.freed.notified().await;
        }
    }

    /// Waiting in line for all places. Free places are kept until the others are released.
    pub(crate) async fn all(&self) -> All<'_> {
        let _waiting = Waiting::new(&self.waiting);
        let _head = self.line.lock().await;
        let mut all = All {
            places: self,
            shares: 0,
        };
        for share in &self.shares {
            while !share.take_all() {
                self.freed.notified().await;
            }
            all.shares += 1;
        }
        all
    }

    #[inline]
    fn take_one(&self) -> Option<Place<'_>> {
        let first = thread_number() & (self.shares.len() - 1);
        let (before, from) = self.shares.split_at_checked(first)?;
        let share = match from.first() {
            Some(own) if own.take_one() => own,
            _ => from.iter().chain(before).find(|share| share.take_one())?,
        };
        Some(Place {
            places: self,
            share,
        })
    }

    /// Notifies the head of the line after a release.
    ///
    /// A waiter increments `waiting` before it tries to take a place, and this reads `waiting` after the release: one of
    /// both sees the other. `Notify` keeps a notification that arrives before the wait.
    fn notify(&self) {
        // Sequentially consistent: a waiter counts itself and then looks for a place, we give a place back and then
        // look for waiters. So one of us sees the other.
        if self.waiting.load(SeqCst) > 0 {
            self.freed.notify_one();
        }
    }
}

/// Returns a number that differs between the first `usize::MAX` threads.
#[inline]
fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Relaxed);
    }
    OWN.with(|own| *own)
}

/// One place, released on drop.
pub(crate) struct Place<'p> {
    places: &'p Places,
    share: &'p Share,
}

impl Drop for Place<'_> {
    #[inline]
    fn drop(&mut self) {
        self.share.release(1);
        self.places.notify();
    }
}

/// All places, or only the places of the first shares while waiting for the rest. Released on
/// drop.
pub(crate) struct All<'p> {
    places: &'p Places,
    shares: usize,
}

impl Drop for All<'_> {
    fn drop(&mut self) {
        for share in self.places.shares.iter().take(self.shares) {
            share.release(share.places);
        }
        self.places.notify();
    }
}

/// One more call in the line, until dropped.
struct Waiting<'w>(&'w AtomicUsize);

impl<'w> Waiting<'w> {
    fn new(waiting: &'w AtomicUsize) -> Self {
        waiting.fetch_add(1, SeqCst);
        Self(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context, Waker};
    use std::time::Duration;

    use super::*;

    fn is_pending<F: Future>(work: std::pin::Pin<&mut F>) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        work.poll(&mut cx).is_pending()
    }

    #[test]
    fn number_of_places_is_exact() {
        for count in [1, 2, 15, 16, 17, 40, 1000] {
            let places = Places::new(count);

            let taken: Vec<_> = std::iter::from_fn(|| places.try_one()).collect();

            assert_eq!(taken.len(), count);
            assert!(is_pending(pin!(places.all())));
            drop(taken);
            assert!(!is_pending(pin!(places.all())));
        }
    }

    #[tokio::test]
    async fn waiting_exclusive_call_precedes_later_calls() {
        let places = Places::new(3);
        let first = places.try_one();
        let mut all = pin!(places.all());

        assert!(is_pending(all.as_mut()));
        assert!(places.try_one().is_none());

        let mut later = pin!(places.one());
        assert!(is_pending(later.as_mut()));
        drop(first);
        let all = all.await;
        assert!(is_pending(later.as_mut()));
        drop(all);
        let _later = later.await;
        assert!(places.try_one().is_some());
    }

    #[tokio::test]
    async fn cancelled_wait_releases_its_places() {
        let places = Places::new(20);
        let first = places.try_one();
        {
            let mut all = pin!(places.all());
            assert!(is_pending(all.as_mut()));
        }

        drop(first);

        assert!(!is_pending(pin!(places.all())));
    }

    #[tokio::test]
    async fn cancelled_wait_passes_its_notification_on() {
        let places = Places::new(1);
        let first = places.try_one();
        let mut last = pin!(places.one());
        {
            let mut head = pin!(places.one());
            assert!(is_pending(head.as_mut()));
            assert!(is_pending(last.as_mut()));
            // The head of the line is notified and dropped before it is polled.
            drop(first);
        }

        let turn = tokio::time::timeout(Duration::from_secs(10), last).await;

        assert!(turn.is_ok());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn exclusive_calls_run_alone_and_all_calls_finish() {
        let places = Arc::new(Places::new(3));
        let running = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..4000)
            .map(|number| {
                let (places, running) = (Arc::clone(&places), Arc::clone(&running));
                tokio::spawn(async move {
                    let weight = if number % 5 == 0 { 3 } else { 1 };
                    let (one, all) = if weight == 3 {
                        (None, Some(places.all().await))
                    } else {
                        let at_once = places.try_one();
                        (
                            Some(match at_once {
                                Some(one) => one,
                                None => places.one().await,
                            }),
                            None,
                        )
                    };
                    assert!(running.fetch_add(weight, SeqCst) + weight <= 3);
                    tokio::task::yield_now().await;
                    running.fetch_sub(weight, SeqCst);
                    drop((one, all));
                })
            })
            .collect();

        for task in tasks {
            tokio::time::timeout(Duration::from_mins(1), task)
                .await
                .expect("all calls finish")
                .expect("at most three run");
        }
    }
}
