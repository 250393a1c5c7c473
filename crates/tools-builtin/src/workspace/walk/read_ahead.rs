//! Reading directories ahead of a walk, on other threads.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::{io, vec};

use super::Plan;
use super::step::{Children, Node, NodeState, ReadDirectory, Step, Task, WalkDirectory};

/// Maximum number of directories read ahead, each of which stays open.
const MAX_DIRECTORIES: usize = 64;

/// Number of entries read ahead at which no other directory is started.
const MAX_STEPS: usize = 16 * 1024;

/// Directories with more names are left to the walk itself. The limit is lower in tests, because
/// creating files is slow.
const MAX_NAMES: usize = if cfg!(test) { 100 } else { 10_000 };

/// Initial capacity, enough for the entries of most directories.
const USUAL_STEPS: usize = 32;

/// Number of entries of a directory that are offered at a time.
const OFFERED: usize = 1024;

/// Directories that the threads of one walk read.
///
/// The walk takes them in order, and the threads read them in about the same order: the directories
/// offered last are closest to the walk.
pub(super) struct ReadAhead {
    plan: Arc<Plan>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Arc<Node>>,
    /// Number of directories that were started or read, and not yet taken by the walk.
    directories: usize,
    /// Number of entries in directories that were read.
    steps: usize,
    sleeping: usize,
    is_closed: bool,
}

impl ReadAhead {
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        Self {
            plan,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Processes the next entries of a directory, and offers its subdirectories to all threads.
    pub(super) fn offer(&self, directory: &mut WalkDirectory) -> Vec<Step> {
        let (steps, nodes) = self.collect(directory, OFFERED);
        self.lock().put(nodes, &self.changed);
        steps
    }

    /// Reads directories until the walk ends.
    pub(super) fn help(&self) {
        let _closing = StopOnDrop(self);
        let mut state = self.lock();
        while !state.is_closed {
            state = self.work_or_sleep(state);
        }
    }

    /// Takes a directory that the walk has reached. While another thread reads it, this thread
    /// reads others.
    pub(super) fn take(&self, node: &Node) -> NodeState {
        let mut state = self.lock();
        loop {
            if let Some(taken) = node.take() {
                if let NodeState::Read(_, found) = &taken {
                    state.release(found.as_ref().map_or(0, |found| found.steps.len()));
                    state.wake_if_half_free(&self.changed);
                }
                return taken;
            }
            if state.is_closed {
                return NodeState::Taken;
            }
            state = self.work_or_sleep(state);
        }
    }

    /// Reads the next directory, or sleeps if there is none.
    fn work_or_sleep<'g>(&'g self, mut state: MutexGuard<'g, State>) -> MutexGuard<'g, State> {
        if let Some((node, task)) = state.begin() {
            drop(state);
            return self.work(&node, task);
        }
        state.sleeping += 1;
        let mut state = self
            .changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner);
        state.sleeping -= 1;
        state
    }

    fn work(&self, node: &Node, task: Box<Task>) -> MutexGuard<'_, State> {
        let mut found = self.read(&task);
        let (steps, nodes) = found.as_mut().map_or((0, Vec::new()), |found| {
            (found.steps.len(), std::mem::take(&mut found.nodes))
        });
        *node.lock() = NodeState::Read(task, found);
        let mut state = self.lock();
        state.steps += steps;
        state.put(nodes, &self.changed);
        // The walk may be waiting for this directory.
        state.wake(&self.changed);
        state
    }

    fn read(&self, task: &Task) -> io::Result<ReadDirectory> {
        let (mut directory, is_whole) = task.read(&self.plan, MAX_NAMES)?;
        let examined = directory.len();
        let most = if is_whole { usize::MAX } else { 0 };
        let (mut steps, nodes) = self.collect(&mut directory, most);
        if self.plan.options.sizes {
            let entries = steps.iter_mut().filter_map(|step| step.entry.as_mut());
            entries.for_each(crate::workspace::Entry::store_size);
        }
        Ok(ReadDirectory {
            examined,
            is_whole,
            steps,
            nodes,
        })
    }

    /// Processes at most `count` entries, skips entries without work, and creates nodes for
    /// directories.
    fn collect(&self, directory: &mut WalkDirectory, count: usize) -> (Vec<Step>, Vec<Arc<Node>>) {
        let mut steps = Vec::with_capacity(directory.len().min(USUAL_STEPS));
        let mut nodes = Vec::new();
        for _ in 0..count {
            let Some(mut step) = directory.next(&self.plan) else {
                break;
            };
            if let Children::Directory(task) = step.below {
                let slot = Mutex::new(NodeState::Waiting(task));
                let node = Arc::new(Node { slot });
                nodes.push(Arc::clone(&node));
                step.below = Children::ReadAhead(node);
            }
            if step.has_work() {
                steps.push(step);
            }
        }
        (steps, nodes)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn put(&mut self, nodes: Vec<Arc<Node>>, changed: &Condvar) {
        let is_news = !nodes.is_empty();
        self.waiting.extend(nodes.into_iter().rev());
        // A thread that is woken without capacity would sleep again.
        if is_news && self.has_capacity() {
            self.wake(changed);
        }
    }

    /// Returns the next directory to read, unless enough is read ahead.
    fn begin(&mut self) -> Option<(Arc<Node>, Box<Task>)> {
        while self.has_capacity() {
            let node = self.waiting.pop()?;
            if let Some(task) = node.begin() {
                self.directories += 1;
                return Some((node, task));
            }
        }
        None
    }

    fn has_capacity(&self) -> bool {
        self.directories < MAX_DIRECTORIES && self.steps < MAX_STEPS
    }

    fn release(&mut self, steps: usize) {
        self.directories = self.directories.saturating_sub(1);
        self.steps = self.steps.saturating_sub(steps);
    }

    /// Waking a thread costs as much as reading a small directory, so wait until half of the
    /// capacity is free.
    fn wake_if_half_free(&self, changed: &Condvar) {
        if self.directories <= MAX_DIRECTORIES / 2
            && self.steps <= MAX_STEPS / 2
            && !self.waiting.is_empty()
        {
            self.wake(changed);
        }
    }

    fn wake(&self, changed: &Condvar) {
        if self.sleeping > 0 {
            changed.notify_all();
        }
    }
}

/// Guard that stops all threads when it is dropped, so that no thread waits for another one forever.
pub(super) struct StopOnDrop<'a>(pub(super) &'a ReadAhead);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}

/// Directory on the path from the start of the walk to its current position.
pub(super) struct Level {
    /// Next steps, such as those of a directory that was read ahead.
    pub(super) steps: vec::IntoIter<Step>,
    /// Directory whose other entries follow.
    pub(super) directory: Option<WalkDirectory>,
}

impl Level {
    /// Returns the step for the next entry.
    pub(super) fn next(&mut self, plan: &Plan, read_ahead: Option<&ReadAhead>) -> Option<Step> {
        if let Some(step) = self.steps.next() {
            return Some(step);
        }
        match read_ahead {
            None => self.directory.as_mut()?.next(plan),
            Some(read_ahead) => {
                self.read_ahead(read_ahead);
                self.steps.next()
            }
        }
    }

    /// Offers the next subdirectories to other threads.
    pub(super) fn read_ahead(&mut self, read_ahead: &ReadAhead) {
        if let (0, Some(directory)) = (self.steps.len(), &mut self.directory) {
            self.steps = read_ahead.offer(directory).into_iter();
        }
    }
}
