//! Turns of calls that touch the same thing, in the order in which they came.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::Touches;

/// Calls that touch something, running and waiting, oldest first.
///
/// A call waits for the older calls that it conflicts with, even if they wait themselves. So a write is not overtaken by
/// reads for as long as reads keep coming, and the calls of one turn run in the model's order.
#[derive(Default)]
pub(super) struct Turns(Mutex<Line>);

#[derive(Default)]
struct Line {
    next: u64,
    calls: VecDeque<Call>,
}

struct Call {
    number: u64,
    touches: Touches,
    /// Notified when no older call conflicts with this one.
    free: Arc<Notify>,
}

impl Turns {
    /// Waits until no older call touches the same thing.
    pub(super) async fn wait(&self, touches: Touches) -> Turn<'_> {
        let free = Arc::new(Notify::new());
        let (number, is_free) = self.line().join(touches, Arc::clone(&free));
        // Created before the wait, so that a call that is dropped while it waits leaves the line.
        let turn = Turn {
            turns: self,
            number,
        };
        if !is_free {
            free.notified().await;
        }
        turn
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    /// Appends a call. Returns its number, and whether it need not wait.
    fn join(&mut self, touches: Touches, free: Arc<Notify>) -> (u64, bool) {
        let number = self.next;
        self.next += 1;
        let is_free = is_free(&touches, self.calls.iter().rev());
        self.calls.push_back(Call {
            number,
            touches,
            free,
        });
        (number, is_free)
    }

    fn leave(&mut self, number: u64) {
        let Ok(place) = self.calls.binary_search_by_key(&number, |call| call.number) else {
            return;
        };
        let Some(left) = self.calls.remove(place) else {
            return;
        };
        for (later, call) in self.calls.iter().enumerate().skip(place) {
            if call.touches.conflicts_with(&left.touches)
                && is_free(&call.touches, self.calls.iter().take(later))
            {
                call.free.notify_one();
            }
            // Later calls that waited for the one that left also wait for its like. Without this, ten thousand calls of one
            // file would each look at all others.
            if call.touches == left.touches {
                break;
            }
        }
    }
}

fn is_free<'c>(touches: &Touches, mut older: impl Iterator<Item = &'c Call>) -> bool {
    !older.any(|call| call.touches.conflicts_with(touches))
}

/// The turn of a call, until dropped.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    number: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.line().leave(self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn is_ready<F: Future>(work: std::pin::Pin<&mut F>) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        work.poll(&mut cx).is_ready()
    }

    fn write(path: &str) -> Touches {
        Touches::default().writes(path)
    }

    fn read(path: &str) -> Touches {
        Touches::default().reads(path)
    }

    #[tokio::test]
    async fn write_waits_for_reads_and_holds_back_later_reads() {
        let turns = Turns::default();
        let first = turns.wait(read("a")).await;
        let second = turns.wait(read("a")).await;
        let mut writing = pin!(turns.wait(write("a")));
        let mut later = pin!(turns.wait(read("a")));

        assert!(!is_ready(writing.as_mut()));
        assert!(!is_ready(later.as_mut()));
        drop(first);
        assert!(!is_ready(writing.as_mut()));
        drop(second);
        let writing = writing.await;
        assert!(!is_ready(later.as_mut()));
        drop(writing);
        later.await;
        assert!(turns.line().calls.is_empty());
    }

    #[tokio::test]
    async fn dropped_wait_leaves_the_line() {
        let turns = Turns::default();
        let first = turns.wait(write("a")).await;
        let mut last = pin!(turns.wait(write("a")));
        {
            let mut dropped = pin!(turns.wait(write(".")));
            assert!(!is_ready(dropped.as_mut()));
            assert!(!is_ready(last.as_mut()));
        }

        drop(first);

        last.await;
        assert!(turns.line().calls.is_empty());
    }

    #[tokio::test]
    async fn ten_thousand_calls_of_one_file_run_in_their_order() {
        let turns = Turns::default();
        let first = turns.wait(write("a")).await;
        let order = Mutex::new(Vec::new());
        let waiting = (0..10_000).map(|number| {
            let (turns, order) = (&turns, &order);
            async move {
                let _turn = turns.wait(write("a")).await;
                order.lock().unwrap().push(number);
            }
        });
        let mut all = pin!(futures_of(waiting));

        assert!(!is_ready(all.as_mut()));
        drop(first);
        all.await;

        assert!(order.lock().unwrap().is_sorted());
        assert_eq!(order.lock().unwrap().len(), 10_000);
    }

    /// Polls all futures in their order until each is ready.
    async fn futures_of(work: impl Iterator<Item = impl Future<Output = ()>>) {
        let mut left: Vec<_> = work.map(Box::pin).collect();
        std::future::poll_fn(|cx| {
            left.retain_mut(|work| work.as_mut().poll(cx).is_pending());
            if left.is_empty() {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }
}
