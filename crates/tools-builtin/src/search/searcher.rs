//! Going from file to file until everything is searched, or enough is found.

use std::ops::ControlFlow;
use std::thread;
use std::time::Instant;

use tool_core::{ErrorCode, ToolError};

use super::belt::{Batch, Belt};
use super::crew::Crew;
use super::file_search::FileSearch;
use super::tally::{Early, Found, Tally};
use super::task::Task;
use crate::workspace::{Entry, Walk, WalkOptions, Workspace};

/// So many files are searched before others help, where there may be enough by then.
const FILES_ALONE: usize = 256;

/// After so many files it is seen whether there may be.
const FIRST_FILES: usize = 32;

/// How many files one thread takes at once: few, since others wait for the last ones.
const BATCH_FILES: usize = 32;

/// How many folders the files of a batch are in at most: each of them is open as long.
const BATCH_FOLDERS: usize = 2;

/// How many batches are on their way for each thread: enough that nobody waits while one with large files is searched.
const BATCHES_A_THREAD: usize = 8;

/// Searches the folder at `path`, or the one file that is there. What is found depends neither on how many threads
/// search nor on which of them is first.
pub(super) fn search(
    task: &Task<'_>,
    workspace: &Workspace,
    path: &str,
    options: &WalkOptions,
    crew: Crew,
) -> Result<Found, ToolError> {
    let mut tally = Tally::new(task);
    match workspace.walk("path", path, options, task.stop.cancellation()) {
        Ok(walk) => search_folder(task, walk, crew, &mut tally),
        Err(error) if *error.code() == ErrorCode::NotADirectory => {
            let mut file = workspace.existing_file("path", path)?;
            let (shown, size) = (file.path().to_owned(), file.len());
            let outcome = FileSearch::new(task).search(&shown, &mut file, size, tally.room());
            // There is no other file that enough could be found before.
            let _ = tally.add(outcome);
        }
        Err(error) => return Err(error),
    }
    if task.stop.is_late(Instant::now()) {
        tally.end_early(Early::Deadline);
    }
    tally.finish(task)
}

fn search_folder(task: &Task<'_>, mut walk: Walk, mut crew: Crew, tally: &mut Tally) {
    let mut search = FileSearch::new(task);
    let mut flow = search_alone(&mut search, &mut walk, FIRST_FILES, tally);
    if flow.is_continue() && tally.may_overflow_in(FILES_ALONE / FIRST_FILES, task) {
        flow = search_alone(&mut search, &mut walk, FILES_ALONE - FIRST_FILES, tally);
    }
    let over = flow.is_break() || task.stop.is_set(Instant::now());
    if !over {
        // Whether it broke off is seen from the tally.
        let _ = match crew.call_helpers() {
            0 => search_alone(&mut search, &mut walk, usize::MAX, tally),
            helpers => search_together(task, &mut search, &mut walk, helpers, tally),
        };
    }
    tally.add_unreadable(walk.unreadable());
    if walk.truncated() && !task.stop.is_late(Instant::now()) {
        tally.end_early(Early::TooManyEntries);
    }
}

/// Searches the next `files` files on this thread.
fn search_alone(
    search: &mut FileSearch<'_>,
    walk: &mut Walk,
    files: usize,
    tally: &mut Tally,
) -> ControlFlow<()> {
    walk.take(files)
        .try_for_each(|entry| tally.add(search.search_entry(&entry, tally.room())))
}

/// Searches all files that are left on this thread and on those of helpers.
fn search_together(
    task: &Task<'_>,
    search: &mut FileSearch<'_>,
    walk: &mut Walk,
    helpers: usize,
    tally: &mut Tally,
) -> ControlFlow<()> {
    let belt = Belt::default();
    let flow = thread::scope(|scope| {
        let _closing = belt.closing();
        let mut threads = 1;
        for _ in 0..helpers {
            let helper = thread::Builder::new().name("search".to_owned());
            // Without it the others search on.
            let spawned = helper.spawn_scoped(scope, || help(task, &belt));
            threads += usize::from(spawned.is_ok());
        }
        let mut files = Batches { walk, first: None };
        let most = threads * BATCHES_A_THREAD;
        let flow = lead(task, search, &mut files, &belt, most, tally);
        task.stop.set_if(flow.is_break());
        flow
    });
    flow?;
    // When the time is up, batches behind one that was not finished are there too.
    belt.into_rest().try_for_each(|outcome| tally.add(outcome))
}

/// Searches what is on the belt until it is closed.
fn help(task: &Task<'_>, belt: &Belt) {
    let _closing = belt.closing();
    let mut search = FileSearch::new(task);
    while let Some(batch) = belt.next() {
        work(task, belt, &mut search, &batch);
    }
}

/// Keeps the belt full, searches with the others, and adds what comes back in its order.
fn lead(
    task: &Task<'_>,
    search: &mut FileSearch<'_>,
    files: &mut Batches<'_>,
    belt: &Belt,
    most: usize,
    tally: &mut Tally,
) -> ControlFlow<()> {
    let mut is_walked = false;
    loop {
        while let Some(outcomes) = belt.collect_now() {
            outcomes
                .into_iter()
                .try_for_each(|outcome| tally.add(outcome))?;
        }
        if task.stop.is_set(Instant::now()) {
            return ControlFlow::Continue(());
        }
        if !is_walked && belt.len() < most {
            match files.next() {
                Some(batch) => belt.put(batch, tally.room()),
                None => is_walked = true,
            }
        } else if let Some(batch) = belt.next_now() {
            work(task, belt, search, &batch);
        } else if let Some(outcomes) = belt.collect() {
            outcomes
                .into_iter()
                .try_for_each(|outcome| tally.add(outcome))?;
        } else {
            return ControlFlow::Continue(());
        }
    }
}

fn work(task: &Task<'_>, belt: &Belt, search: &mut FileSearch<'_>, batch: &Batch) {
    let outcomes = batch
        .files
        .iter()
        .take_while(|_| !task.stop.is_set(Instant::now()))
        .map(|entry| search.search_entry(entry, batch.room))
        .collect();
    belt.bring(batch.number(), outcomes);
}

/// The files of a walk, a few at a time.
struct Batches<'w> {
    walk: &'w mut Walk,
    /// The file that was one folder too many.
    first: Option<Entry>,
}

impl Iterator for Batches<'_> {
    type Item = Vec<Entry>;

    fn next(&mut self) -> Option<Vec<Entry>> {
        let mut batch: Vec<Entry> = Vec::with_capacity(BATCH_FILES);
        let mut folders = 0;
        while batch.len() < BATCH_FILES
            && let Some(entry) = self.first.take().or_else(|| self.walk.next())
        {
            let is_next = batch.last().is_none_or(|last| !last.is_beside(&entry));
            folders += usize::from(is_next);
            if folders > BATCH_FOLDERS {
                self.first = Some(entry);
                break;
            }
            batch.push(entry);
        }
        (!batch.is_empty()).then_some(batch)
    }
}
