//! Search across files until all are searched or enough matches are found.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tool_core::{ErrorCode, ToolError};

use super::file_search::{FileSearch, Outcome, Task};
use super::output::SearchCodeOutput;
use super::tally::{TIMED_OUT, TOO_MANY_ENTRIES, Tally};
use crate::workspace::{Entry, Walk, WalkOptions, Workspace};

/// Number of files to search before helpers start: most limited searches end there.
const FIRST_FILES: usize = 64;

/// Number of files per batch. Small, because the other threads wait for the last batches.
const BATCH_FILES: usize = 32;

/// Maximum number of batches whose outcomes wait for an earlier one.
const MAX_AHEAD: usize = 32;

/// Wait of a thread that is too far ahead.
const PAUSE: Duration = Duration::from_millis(1);

/// Searches the directory or the single file at `path`. The result does not depend on the number of
/// threads or their order.
pub(super) fn search<P: Send>(
    task: &Task<'_>,
    workspace: &Workspace,
    path: &str,
    options: &WalkOptions,
    call: impl FnOnce() -> Vec<P>,
) -> Result<(SearchCodeOutput, Vec<String>), ToolError> {
    let mut tally = Tally::new(task);
    match workspace.walk("path", path, options, task.stop.cancellation) {
        Ok(walk) => search_directory(task, workspace, walk, call, &mut tally),
        Err(error) if *error.code() == ErrorCode::NotADirectory => {
            let mut file = workspace.existing_file("path", path)?;
            let shown = file.path().to_owned();
            let outcome = FileSearch::new(task).search(&shown, &mut file, tally.capacity());
            // Ignore the flow: there are no further files.
            let _ = tally.add(outcome);
        }
        Err(error) => return Err(error),
    }
    if task.stop.is_late(Instant::now()) {
        tally.end_early(TIMED_OUT);
    }
    tally.finish(task)
}

fn search_directory<P: Send>(
    task: &Task<'_>,
    workspace: &Workspace,
    mut walk: Walk,
    call: impl FnOnce() -> Vec<P>,
    tally: &mut Tally,
) {
    let flow = search_alone(task, &mut walk, FIRST_FILES, tally);
    if flow.is_continue() && !task.stop.is_set(Instant::now()) {
        // The tally shows whether it stopped early.
        let _ = search_together(task, &mut walk, call(), tally);
    }
    tally.unreadable += walk.unreadable();
    if tally.has_few_matches() && !task.stop.is_late(Instant::now()) {
        tally.skipped = walk.skipped(workspace);
    }
    if walk.truncated() && !task.stop.is_late(Instant::now()) {
        tally.end_early(TOO_MANY_ENTRIES);
    }
}

fn search_alone(
    task: &Task<'_>,
    walk: &mut Walk,
    files: usize,
    tally: &mut Tally,
) -> ControlFlow<()> {
    let mut search = FileSearch::new(task);
    walk.take(files)
        .try_for_each(|entry| tally.add(search.search_entry(&entry, tally.capacity())))
}

/// Searches the remaining files on this thread and on helpers.
fn search_together<P: Send>(
    task: &Task<'_>,
    walk: &mut Walk,
    permits: Vec<P>,
    tally: &mut Tally,
) -> ControlFlow<()> {
    let files = Mutex::new(Files { walk, taken: 0 });
    let outcomes = Mutex::new(Outcomes {
        tally,
        waiting: BTreeMap::new(),
        added: 0,
        flow: ControlFlow::Continue(()),
    });
    thread::scope(|scope| {
        for permit in permits {
            let (files, outcomes) = (&files, &outcomes);
            let help = move || {
                let _permit = permit;
                work(task, files, outcomes);
            };
            // If a thread cannot be started, the others do its work.
            let helper = thread::Builder::new().name("search".to_owned());
            let _ = helper.spawn_scoped(scope, help);
        }
        work(task, &files, &outcomes);
    });
    let outcomes = outcomes
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    outcomes.flow?;
    let (tally, waiting) = (outcomes.tally, outcomes.waiting);
    // After a timeout, later batches may be finished although an earlier one is not.
    waiting
        .into_values()
        .try_for_each(|batch| tally.add_all(batch))
}

/// Files that no thread has taken yet.
struct Files<'w> {
    walk: &'w mut Walk,
    /// Number of batches that were taken.
    taken: usize,
}

/// Outcomes of the batches, which are added in the order of the walk.
struct Outcomes<'t> {
    tally: &'t mut Tally,
    waiting: BTreeMap<usize, Vec<Outcome>>,
    /// Number of batches that were added.
    added: usize,
    /// Whether the capacity is exhausted.
    flow: ControlFlow<()>,
}

impl Outcomes<'_> {
    fn add(&mut self, number: usize, batch: Vec<Outcome>) -> ControlFlow<()> {
        self.waiting.insert(number, batch);
        while self.flow.is_continue()
            && let Some(next) = self.waiting.remove(&self.added)
        {
            self.added += 1;
            self.flow = self.tally.add_all(next);
        }
        self.flow
    }
}

/// Searches batches until the files or the capacity are exhausted.
fn work(task: &Task<'_>, files: &Mutex<Files<'_>>, outcomes: &Mutex<Outcomes<'_>>) {
    let mut search = FileSearch::new(task);
    while !task.stop.is_set(Instant::now()) {
        let (added, capacity) = {
            let outcomes = lock(outcomes);
            (outcomes.added, outcomes.tally.capacity())
        };
        let mut files = lock(files);
        let number = files.taken;
        if number > added + MAX_AHEAD {
            drop(files);
            thread::sleep(PAUSE);
            continue;
        }
        let batch: Vec<Entry> = files.walk.take(BATCH_FILES).collect();
        files.taken += 1;
        drop(files);
        if batch.is_empty() {
            return;
        }
        let batch = batch
            .iter()
            .take_while(|_| !task.stop.is_set(Instant::now()))
            .map(|entry| search.search_entry(entry, capacity))
            .collect();
        let flow = lock(outcomes).add(number, batch);
        task.stop.set_if(flow.is_break());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
