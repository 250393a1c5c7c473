//! Batches of files on their way through several threads, and back in order.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::file_search::Outcome;
use super::hits::Room;
use crate::workspace::Entry;

/// A few files that one thread searches.
#[derive(Debug)]
pub(super) struct Batch {
    number: usize,
    pub(super) files: Vec<Entry>,
    /// How much may be taken from each of them.
    pub(super) room: Room,
}

/// Batches of files on their way through several threads, and back in the order they came in.
#[derive(Debug, Default)]
pub(super) struct Belt {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Batch>,
    /// What was given out or has come back, by number, from the first that was not collected.
    results: VecDeque<Option<Vec<Outcome>>>,
    collected: usize,
    sleeping: usize,
    is_closed: bool,
}

impl Belt {
    /// Puts a batch on the belt.
    pub(super) fn put(&self, files: Vec<Entry>, room: Room) {
        let mut state = self.lock();
        let number = state.collected + state.results.len();
        state.results.push_back(None);
        state.waiting.push_back(Batch {
            number,
            files,
            room,
        });
        let is_awaited = state.sleeping > 0;
        drop(state);
        // Telling it to nobody is a call of the system too.
        if is_awaited {
            self.changed.notify_one();
        }
    }

    /// How many batches are on the belt, searched or not.
    pub(super) fn len(&self) -> usize {
        self.lock().results.len()
    }

    /// The next batch to search, as soon as there is one; nothing once the belt is closed.
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

    /// The next batch to search, if there is one.
    pub(super) fn next_now(&self) -> Option<Batch> {
        self.lock().waiting.pop_front()
    }

    /// Brings back what came of a batch.
    pub(super) fn bring(&self, number: usize, outcomes: Vec<Outcome>) {
        let mut state = self.lock();
        let place = number - state.collected;
        if let Some(result) = state.results.get_mut(place) {
            *result = Some(outcomes);
        }
        let is_awaited = state.sleeping > 0;
        drop(state);
        // Who waits for the first batch waits on the same bell as those who wait for work.
        if place == 0 && is_awaited {
            self.changed.notify_all();
        }
    }

    /// What came of the first batch that was not collected, if it is there.
    pub(super) fn collect_now(&self) -> Option<Vec<Outcome>> {
        self.lock().collect()
    }

    /// The same, as soon as it is there; nothing once the belt is empty or closed.
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

    /// What has come back of all batches that were not collected.
    pub(super) fn into_rest(self) -> impl Iterator<Item = Outcome> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        state.results.into_iter().flatten().flatten()
    }

    /// Closes the belt when the guard is dropped, so that nobody waits for somebody who is gone.
    pub(super) fn closing(&self) -> Closing<'_> {
        Closing(self)
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

impl Batch {
    pub(super) fn number(&self) -> usize {
        self.number
    }
}

/// Closes the belt when it is dropped.
pub(super) struct Closing<'b>(&'b Belt);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}
