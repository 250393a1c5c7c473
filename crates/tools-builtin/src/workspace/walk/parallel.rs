//! Walks of large trees on several threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::{io, panic, thread};

use super::Walk;
use super::skipped::SkippedEntry;
use super::step::{Children, Task, WalkDirectory};
use crate::workspace::Entry;

/// Path of a file and its size in bytes.
pub(crate) type FoundFile = (String, u64);

/// Directories that no thread has read yet.
///
/// The last one is read first, so that the number of open directories is that of the levels, times the threads.
#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Task>,
    /// Number of threads that may add directories.
    working: usize,
    /// Number of entries that may still be examined; `None` if there are more.
    left: Option<usize>,
}

/// What one thread has found, in any order.
#[derive(Default)]
struct Part {
    found: Vec<FoundFile>,
    skipped: Vec<SkippedEntry>,
    below: Vec<Task>,
    unreadable: usize,
    truncated: bool,
}

impl Walk {
    /// Finds the files of the remaining entries on this thread, and on one more for each permit. Returns `false` if there are
    /// too many entries: only an ordered walk knows which of them count.
    pub(super) fn find_together<P: Send>(
        &mut self,
        permits: Vec<P>,
        size_of: &(impl Fn(&Entry) -> Option<u64> + Sync),
        found: &mut Vec<FoundFile>,
    ) -> bool {
        let mut first = Part::default();
        for directory in std::mem::take(&mut self.levels) {
            first.add(self, directory, size_of);
        }
        let queue = Queue::default();
        queue.lock().left = Some(self.left);
        let below = first.below.drain(..).rev();
        queue.lock().waiting.extend(below);
        let walk = &*self;
        let parts = thread::scope(|scope| {
            let help = |permit| {
                let work = || {
                    let _permit = permit;
                    queue.work(walk, Part::default(), size_of)
                };
                // If the thread does not start, the others do its work.
                let thread = thread::Builder::new().name("walk".to_owned());
                thread.spawn_scoped(scope, work).ok()
            };
            let helpers: Vec<_> = permits.into_iter().filter_map(help).collect();
            let mut parts = vec![queue.work(walk, first, size_of)];
            for helper in helpers {
                parts.push(
                    helper
                        .join()
                        .unwrap_or_else(|cause| panic::resume_unwind(cause)),
                );
            }
            parts
        });
        self.merge(parts, found);
        let left = queue.lock().left;
        self.left = left.unwrap_or_default();
        left.is_some()
    }

    /// Adds what all threads have found, in order.
    fn merge(&mut self, parts: Vec<Part>, found: &mut Vec<FoundFile>) {
        for part in parts {
            found.extend(part.found);
            part.skipped
                .into_iter()
                .for_each(|entry| self.skipped.add(entry));
            self.unreadable += part.unreadable;
            self.truncated |= part.truncated;
        }
        // Stable, because that is faster for files which are nearly in order.
        found.sort();
    }
}

impl Queue {
    /// Reads directories until none is left.
    fn work(&self, walk: &Walk, mut part: Part, size_of: &impl Fn(&Entry) -> Option<u64>) -> Part {
        while let Some(task) = self.next() {
            let _done = Done(self);
            if walk.should_stop() {
                part.truncated = true;
                self.lock().waiting.clear();
            } else if self.read(walk, &task, &mut part, size_of).is_err() {
                part.unreadable += 1;
            }
        }
        part
    }

    fn read(
        &self,
        walk: &Walk,
        task: &Task,
        part: &mut Part,
        size_of: &impl Fn(&Entry) -> Option<u64>,
    ) -> io::Result<()> {
        let (directory, is_whole) = task.read(&walk.plan, walk.left)?;
        let examined = directory.len();
        part.add(walk, directory, size_of);
        let mut state = self.lock();
        let left = state.left.and_then(|left| left.checked_sub(examined));
        state.left = left.filter(|_| is_whole);
        state.waiting.extend(part.below.drain(..).rev());
        if state.left.is_none() {
            state.waiting.clear();
        }
        Ok(())
    }

    /// Waits for the next directory.
    fn next(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.waiting.pop() {
                state.working += 1;
                return Some(task);
            }
            if state.working == 0 {
                return None;
            }
            let changed = self.changed.wait(state);
            state = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks a directory as read when it is dropped, even by a panic, so that no thread waits forever.
struct Done<'q>(&'q Queue);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.lock().working -= 1;
        self.0.changed.notify_all();
    }
}

impl Part {
    fn add(
        &mut self,
        walk: &Walk,
        mut directory: WalkDirectory,
        size_of: &impl Fn(&Entry) -> Option<u64>,
    ) {
        while let Some(step) = directory.next(&walk.plan) {
            if let Some(entry) = step.entry
                && let Some(size) = size_of(&entry)
            {
                self.found.push((entry.into_path(), size));
            }
            self.skipped.extend(step.skipped.map(|skipped| *skipped));
            match step.below {
                Children::Nothing => {}
                Children::TooDeep => self.truncated = true,
                Children::Directory(task) => self.below.push(*task),
            }
        }
    }
}
