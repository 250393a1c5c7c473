//! Places for the calls that run, spread so that threads seldom write to the same memory.
//!
//! A call takes one place; an exclusive call takes all of them. Whoever finds none waits in line. While somebody
//! waits, new calls go to the end of the line too, so that nobody waits for ever.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use tokio::sync::{Mutex, Notify};

/// Shares that the places are split into.
const MOST_SHARES: usize = 16;

thread_local! {
    /// The share that a thread tries first; each thread has another one while there are enough.
    static FIRST: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Relaxed)
    };
}

/// Places for the calls that run.
pub(crate) struct Places {
    shares: Box<[Share]>,
    /// Calls in the line, the one at its head included.
    waiting: AtomicUsize,
    line: Mutex<()>,
    /// Told that a place is free, for the call at the head of the line.
    freed: Notify,
}

/// Some of the places, on a cache line of their own.
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

    fn give_back(&self, places: usize) {
        self.taken.fetch_sub(places, SeqCst);
    }
}

impl Places {
    pub(crate) fn new(places: usize) -> Self {
        let places = places.max(1);
        // A power of two, so that a thread finds its own without a division.
        let shares = 1 << places.min(MOST_SHARES).ilog2();
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

    /// One place, if there is one and nobody waits for it.
    #[inline]
    pub(crate) fn one_at_once(&self) -> Option<Place<'_>> {
        if self.waiting.load(SeqCst) > 0 {
            return None;
        }
        self.take_one()
    }

    /// All places, if nobody has one or waits for one.
    pub(crate) fn all_at_once(&self) -> Option<All<'_>> {
        if self.waiting.load(SeqCst) > 0 {
            return None;
        }
        let mut all = All::none_of(self);
        for share in &self.shares {
            if !share.take_all() {
                return None;
            }
            all.shares += 1;
        }
        Some(all)
    }

    /// Waits in line for one place.
    pub(crate) async fn one(&self) -> Place<'_> {
        let _waits = Waits::new(&self.waiting);
        let _head = self.line.lock().await;
        loop {
            if let Some(place) = self.take_one() {
                return place;
            }
            self.freed.notified().await;
        }
    }

    /// Waits in line for all places. Those that are free are kept, so that this ends when the others are given back.
    pub(crate) async fn all(&self) -> All<'_> {
        let _waits = Waits::new(&self.waiting);
        let _head = self.line.lock().await;
        let mut all = All::none_of(self);
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
        let first = FIRST.with(|first| *first) & (self.shares.len() - 1);
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

    /// Called behind each giving back. Who waits has said so before it looked for a place, and this looks for who
    /// waits behind giving one back: one of the two sees the other. A word that comes before the wait is kept.
    fn tell(&self) {
        if self.waiting.load(SeqCst) > 0 {
            self.freed.notify_one();
        }
    }
}

/// One place; given back when dropped.
pub(crate) struct Place<'p> {
    places: &'p Places,
    share: &'p Share,
}

impl Drop for Place<'_> {
    #[inline]
    fn drop(&mut self) {
        self.share.give_back(1);
        self.places.tell();
    }
}

/// All places, or those of the first shares while the others are waited for; given back when dropped.
pub(crate) struct All<'p> {
    places: &'p Places,
    shares: usize,
}

impl<'p> All<'p> {
    fn none_of(places: &'p Places) -> Self {
        Self { places, shares: 0 }
    }
}

impl Drop for All<'_> {
    fn drop(&mut self) {
        for share in self.places.shares.iter().take(self.shares) {
            share.give_back(share.places);
        }
        self.places.tell();
    }
}

/// One more call in the line, until dropped.
struct Waits<'w>(&'w AtomicUsize);

impl<'w> Waits<'w> {
    fn new(waiting: &'w AtomicUsize) -> Self {
        waiting.fetch_add(1, SeqCst);
        Self(waiting)
    }
}

impl Drop for Waits<'_> {
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
    fn there_are_as_many_places_as_were_asked_for() {
        for count in [1, 2, 15, 16, 17, 40, 1000] {
            let places = Places::new(count);

            let taken: Vec<_> = std::iter::from_fn(|| places.one_at_once()).collect();

            assert_eq!(taken.len(), count);
            assert!(places.all_at_once().is_none());
            drop(taken);
            assert!(places.all_at_once().is_some());
        }
    }

    #[tokio::test]
    async fn who_waits_for_all_goes_before_who_comes_later() {
        let places = Places::new(3);
        let first = places.one_at_once();
        let mut all = pin!(places.all());

        assert!(is_pending(all.as_mut()));
        assert!(places.one_at_once().is_none());

        let mut later = pin!(places.one());
        assert!(is_pending(later.as_mut()));
        drop(first);
        let all = all.await;
        assert!(is_pending(later.as_mut()));
        drop(all);
        let _later = later.await;
        assert!(places.one_at_once().is_some());
    }

    #[tokio::test]
    async fn who_gives_up_waiting_leaves_nothing_taken() {
        let places = Places::new(20);
        let first = places.one_at_once();
        {
            let mut all = pin!(places.all());
            assert!(is_pending(all.as_mut()));
        }

        drop(first);

        assert!(places.all_at_once().is_some());
    }

    #[tokio::test]
    async fn who_gives_up_with_its_turn_in_hand_passes_it_on() {
        let places = Places::new(1);
        let first = places.one_at_once();
        let mut last = pin!(places.one());
        {
            let mut head = pin!(places.one());
            assert!(is_pending(head.as_mut()));
            assert!(is_pending(last.as_mut()));
            // The head of the line is told, and does not live to hear it.
            drop(first);
        }

        let turn = tokio::time::timeout(Duration::from_secs(10), last).await;

        assert!(turn.is_ok());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn nobody_is_beside_an_exclusive_call_and_nobody_waits_for_ever() {
        let places = Arc::new(Places::new(3));
        let running = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..4000)
            .map(|number| {
                let (places, running) = (Arc::clone(&places), Arc::clone(&running));
                tokio::spawn(async move {
                    let weight = if number % 5 == 0 { 3 } else { 1 };
                    let (one, all) = if weight == 3 {
                        let at_once = places.all_at_once();
                        (
                            None,
                            Some(match at_once {
                                Some(all) => all,
                                None => places.all().await,
                            }),
                        )
                    } else {
                        let at_once = places.one_at_once();
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
                .expect("nobody waits for ever")
                .expect("at most three run");
        }
    }
}
