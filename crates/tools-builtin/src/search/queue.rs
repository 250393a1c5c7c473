//! Queue of file batches for several threads, with results in the original order.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::file_search::Outcome;
use super::hits::Capacity;
use crate::workspace::Entry;

/// Batch of files searched by one thread.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) number: usize,
    pub(super) files: Vec<Entry>,
    /// Capacity for the matches of each file.
    pub(super) capacity: Capacity,
}

/// Queue of batches, whose results are collected in the order of the batches.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Batch>,
    /// Results of the batches that were not collected, `None` while a batch is pending.
    results: VecDeque<Option<Vec<Outcome>>>,
    collected: usize,
    sleeping: usize,
    is_closed: bool,
}

impl Queue {
    /// Adds a batch.
    pub(super) fn push(&self, files: Vec<Entry>, capacity: Capacity) {
        let mut state = self.lock();
        let number = state.collected + state.results.len();
        state.results.push_back(None);
        state.waiting.push_back(Batch {
            number,
            files,
            capacity,
        });
        let is_awaited = state.sleeping > 0;
        drop(state);
        // Notifying without a waiter still costs a system call.
        if is_awaited {
            self.changed.notify_one();
        }
    }

    /// Returns the number of batches that were not collected.
    pub(super) fn len(&self) -> usize {
        self.lock().results.len()
    }

    /// Waits for the next batch to search. Returns `None` when the queue is closed.
    pub(super) fn next(&self) -> Option<Batch> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(batch) = state.waiting.pop_front() {
                return Some(batch);
            }
            state = self.wait(state);
        }
    }

    /// Returns the next batch to search without waiting.
    pub(super) fn try_next(&self) -> Option<Batch> {
        self.lock().waiting.pop_front()
    }

    /// Stores the results of a batch.
    pub(super) fn finish(&self, number: usize, outcomes: Vec<Outcome>) {
        let mut state = self.lock();
        let place = number - state.collected;
        if let Some(result) = state.results.get_mut(place) {
            *result = Some(outcomes);
        }
        let is_awaited = state.sleeping > 0;
        drop(state);
        // The collector and the helpers wait on the same condition variable.
        if place == 0 && is_awaited {
            self.changed.notify_all();
        }
    }

    /// Returns the results of the first uncollected batch, if it is finished.
    pub(super) fn try_collect(&self) -> Option<Vec<Outcome>> {
        self.lock().collect()
    }

    /// Like [`try_collect`](Self::try_collect), but waits. Returns `None` if the queue is empty or
    /// closed.
    pub(super) fn collect(&self) -> Option<Vec<Outcome>> {
        let mut state = self.lock();
        loop {
            if let Some(outcomes) = state.collect() {
                return Some(outcomes);
            }
            if state.is_closed || state.results.is_empty() {
                return None;
            }
            state = self.wait(state);
        }
    }

    /// Returns all uncollected results.
    pub(super) fn into_outcomes(self) -> impl Iterator<Item = Outcome> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        state.results.into_iter().flatten().flatten()
    }

    /// Returns a guard that closes the queue on drop, so that no thread waits for one that
    /// panicked.
    pub(super) fn closing(&self) -> CloseOnDrop<'_> {
        CloseOnDrop(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, mut state: MutexGuard<'g, State>) -> MutexGuard<'g, State> {
        state.sleeping += 1;
        let mut state = self
            .changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner);
        state.sleeping -= 1;
        state
    }
}

impl State {
    fn collect(&mut self) -> Option<Vec<Outcome>> {
        let outcomes = self.results.front_mut()?.take()?;
        self.results.pop_front();
        self.collected += 1;
        Some(outcomes)
    }
}

/// Guard that closes the queue on drop.
pub(super) struct CloseOnDrop<'b>(&'b Queue);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}
