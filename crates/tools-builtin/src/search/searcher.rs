//! Search across files until all are searched or enough matches are found.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use tool_core::{ErrorCode, ToolError};

use super::file_search::{FileSearch, Task};
use super::queue::{Batch, Queue};
use super::tally::{EarlyStop, SearchOutcome, Tally};
use crate::blocking::{MAX_THREADS, Permit, cpus};
use crate::workspace::{Entry, Walk, WalkOptions, Workspace};

/// Number of files to search before helpers start, if the matches may exceed the limit by then.
const FILES_ALONE: usize = 256;

/// Number of files after which that is estimated.
// A later estimate left one CPU idle for a tenth of all files.
const FIRST_FILES: usize = 32;

/// Number of files per batch. Small, because the other threads wait for the last batches.
const BATCH_FILES: usize = 32;

/// Maximum number of directories per batch, because each stays open.
const BATCH_FOLDERS: usize = 2;

/// Number of batches per thread in the queue, so that no thread waits for a batch with large files.
const BATCHES_A_THREAD: usize = 8;

/// Permits for the threads of one search: its own thread and helpers.
#[derive(Debug)]
pub(super) struct Threads {
    helpers: usize,
    permits: Vec<Arc<Permit>>,
    most: usize,
}

impl Threads {
    /// Waits for a permit for one thread. Returns `None` if `deadline` passes first.
    pub(super) async fn acquire(most: Option<NonZeroUsize>, deadline: Instant) -> Option<Self> {
        let permit = Permit::acquire(deadline).await?;
        let most = most.map_or(MAX_THREADS, NonZeroUsize::get);
        Some(Self {
            helpers: 0,
            permits: vec![Arc::new(permit)],
            most: most.min(cpus()) - 1,
        })
    }

    /// Creates a search with `helpers` threads and without permits.
    #[cfg(test)]
    pub(super) fn with_helpers(helpers: usize) -> Self {
        Self {
            helpers,
            permits: Vec::new(),
            most: 0,
        }
    }

    /// Returns the permits. The call keeps them until its thread has finished, so that no other
    /// thread starts before. The thread keeps them if the call is dropped.
    pub(super) fn permits(&self) -> Vec<Arc<Permit>> {
        self.permits.clone()
    }

    /// Acquires permits for as many helpers as possible, and returns the number of helpers.
    pub(super) fn acquire_helpers(&mut self) -> usize {
        while self.helpers < self.most
            && let Some(permit) = Permit::try_acquire()
        {
            self.permits.push(Arc::new(permit));
            self.helpers += 1;
        }
        self.helpers
    }
}

/// Searches the directory or the single file at `path`. The result does not depend on the number of
/// threads or their order.
pub(super) fn search(
    task: &Task<'_>,
    workspace: &Workspace,
    path: &str,
    options: &WalkOptions,
    threads: Threads,
) -> Result<SearchOutcome, ToolError> {
    let mut tally = Tally::new(task);
    match workspace.walk("path", path, options, task.stop.cancellation()) {
        Ok(walk) => search_directory(task, workspace, walk, threads, &mut tally),
        Err(error) if *error.code() == ErrorCode::NotADirectory => {
            let mut file = workspace.existing_file("path", path)?;
            let (shown, size) = (file.path().to_owned(), file.len());
            let outcome = FileSearch::new(task).search(&shown, &mut file, size, tally.capacity());
            // Ignore the flow: there are no further files.
            let _ = tally.add(outcome);
        }
        Err(error) => return Err(error),
    }
    if task.stop.is_late(Instant::now()) {
        tally.end_early(EarlyStop::Deadline);
    }
    tally.finish(task)
}

fn search_directory(
    task: &Task<'_>,
    workspace: &Workspace,
    mut walk: Walk,
    mut threads: Threads,
    tally: &mut Tally,
) {
    let mut search = FileSearch::new(task);
    let mut flow = search_alone(&mut search, &mut walk, FIRST_FILES, tally);
    // If the limit is near, helpers would search files whose matches are not needed.
    if flow.is_continue() && tally.may_overflow_in(FILES_ALONE / FIRST_FILES, task) {
        flow = search_alone(&mut search, &mut walk, FILES_ALONE - FIRST_FILES, tally);
    }
    let over = flow.is_break() || task.stop.is_set(Instant::now());
    if !over {
        // The tally shows whether it stopped early.
        let _ = match threads.acquire_helpers() {
            0 => search_alone(&mut search, &mut walk, usize::MAX, tally),
            helpers => search_together(task, &mut search, &mut walk, helpers, tally),
        };
    }
    tally.add_unreadable(walk.unreadable());
    if tally.has_few_matches() && !task.stop.is_set(Instant::now()) {
        tally.add_skipped(walk.skipped(workspace));
    }
    if walk.truncated() && !task.stop.is_late(Instant::now()) {
        tally.end_early(EarlyStop::TooManyEntries);
    }
}

fn search_alone(
    search: &mut FileSearch<'_>,
    walk: &mut Walk,
    files: usize,
    tally: &mut Tally,
) -> ControlFlow<()> {
    walk.take(files)
        .try_for_each(|entry| tally.add(search.search_entry(&entry, tally.capacity())))
}

/// Searches the remaining files on this thread and on helpers.
fn search_together(
    task: &Task<'_>,
    search: &mut FileSearch<'_>,
    walk: &mut Walk,
    helpers: usize,
    tally: &mut Tally,
) -> ControlFlow<()> {
    let queue = Queue::default();
    let flow = thread::scope(|scope| {
        let _closing = queue.closing();
        let mut threads = 1;
        for _ in 0..helpers {
            let helper = thread::Builder::new().name("search".to_owned());
            // If a thread cannot be started, the others do its work.
            let spawned = helper.spawn_scoped(scope, || help(task, &queue));
            threads += usize::from(spawned.is_ok());
        }
        let mut files = Batches { walk, first: None };
        let most = threads * BATCHES_A_THREAD;
        let flow = lead(task, search, &mut files, &queue, most, tally);
        // The helpers stop too, before the scope waits for them.
        task.stop.set_if(flow.is_break());
        flow
    });
    flow?;
    // After a timeout, later batches may be finished although an earlier one is not.
    tally.add_all(queue.into_outcomes())
}

/// Searches batches until the queue is closed.
fn help(task: &Task<'_>, queue: &Queue) {
    let _closing = queue.closing();
    let mut search = FileSearch::new(task);
    while let Some(batch) = queue.next() {
        work(task, queue, &mut search, &batch);
    }
}

/// Fills the queue, searches batches, and adds the results in order.
fn lead(
    task: &Task<'_>,
    search: &mut FileSearch<'_>,
    files: &mut Batches<'_>,
    queue: &Queue,
    most: usize,
    tally: &mut Tally,
) -> ControlFlow<()> {
    let mut is_walked = false;
    loop {
        while let Some(outcomes) = queue.try_collect() {
            tally.add_all(outcomes)?;
        }
        if task.stop.is_set(Instant::now()) {
            return ControlFlow::Continue(());
        }
        if !is_walked && queue.len() < most {
            match files.next() {
                Some(batch) => queue.push(batch, tally.capacity()),
                None => is_walked = true,
            }
        // Only with a full queue: while this thread searches, it does not walk, and helpers could wait.
        } else if let Some(batch) = queue.try_next() {
            work(task, queue, search, &batch);
        } else if let Some(outcomes) = queue.collect() {
            tally.add_all(outcomes)?;
        } else {
            return ControlFlow::Continue(());
        }
    }
}

fn work(task: &Task<'_>, queue: &Queue, search: &mut FileSearch<'_>, batch: &Batch) {
    let outcomes = batch
        .files
        .iter()
        .take_while(|_| !task.stop.is_set(Instant::now()))
        .map(|entry| search.search_entry(entry, batch.capacity))
        .collect();
    queue.finish(batch.number, outcomes);
}

/// Batches of the files of a walk.
struct Batches<'w> {
    walk: &'w mut Walk,
    /// File that did not fit into the previous batch.
    first: Option<Entry>,
}

impl Iterator for Batches<'_> {
    type Item = Vec<Entry>;

    fn next(&mut self) -> Option<Vec<Entry>> {
        let mut batch: Vec<Entry> = Vec::with_capacity(BATCH_FILES);
        let mut directories = 0;
        while batch.len() < BATCH_FILES
            && let Some(entry) = self.first.take().or_else(|| self.walk.next())
        {
            let is_next = batch.last().is_none_or(|last| !last.is_beside(&entry));
            directories += usize::from(is_next);
            if directories > BATCH_FOLDERS {
                self.first = Some(entry);
                break;
            }
            batch.push(entry);
        }
        (!batch.is_empty()).then_some(batch)
    }
}
