//! Reading folders ahead of a walk, on other threads.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::level::{Below, Folder, Plan, Step, Task};

/// How many folders are read ahead at most: each of them is open as long.
const MAX_FOLDERS: usize = 64;

/// How many entries are known ahead when no other folder is begun.
const MAX_STEPS: usize = 16 * 1024;

/// A folder with more names than this is left to the walk itself; in tests fewer, since files take long to make.
const MAX_NAMES: usize = if cfg!(test) { 100 } else { 10_000 };

/// Room for the entries of most folders.
const USUAL_STEPS: usize = 32;

/// How many entries of a folder are offered at once.
const OFFERED: usize = 1024;

/// A folder that any thread may read.
pub(super) struct Node {
    slot: Mutex<Slot>,
}

/// How far a folder is.
enum Slot {
    /// Nobody has begun with it.
    Waiting(Box<Task>),
    /// Somebody reads it.
    Working,
    /// It was read ahead.
    Read(Box<Task>, io::Result<Found>),
    /// The walk has it.
    Taken,
}

/// What was found in a folder that was read ahead.
pub(super) struct Found {
    /// How many names were looked at.
    pub(super) looked_at: usize,
    /// Whether these are all; if not, there are no steps.
    pub(super) is_whole: bool,
    pub(super) steps: Vec<Step>,
    nodes: Vec<Arc<Node>>,
}

/// What the walk has of a folder when it comes to it.
pub(super) enum Taken {
    /// Nothing was read.
    Task(Box<Task>),
    /// It was read ahead.
    Found(Box<Task>, io::Result<Found>),
    /// The thread that read it has ended.
    Nothing,
}

/// The folders that the threads of one walk read.
///
/// The walk takes them in their order, and they read them about in that order: those that were offered last are nearest
/// to where it is.
pub(super) struct Ahead {
    plan: Arc<Plan>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Arc<Node>>,
    /// Folders that were begun or read, and that the walk has not taken.
    folders: usize,
    /// Entries of those that were read.
    steps: usize,
    sleeping: usize,
    is_closed: bool,
}

impl Node {
    /// A folder that could not be read ahead.
    #[cfg(test)]
    pub(super) fn failed(task: Box<Task>) -> Self {
        let failure = Err(io::ErrorKind::Other.into());
        Self {
            slot: Mutex::new(Slot::Read(task, failure)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins with the folder, if nobody has.
    fn begin(&self) -> Option<Box<Task>> {
        let mut slot = self.lock();
        match std::mem::replace(&mut *slot, Slot::Working) {
            Slot::Waiting(task) => Some(task),
            other => {
                *slot = other;
                None
            }
        }
    }

    /// What there is of the folder; `None` while somebody reads it.
    pub(super) fn take(&self) -> Option<Taken> {
        let mut slot = self.lock();
        match std::mem::replace(&mut *slot, Slot::Taken) {
            Slot::Waiting(task) => Some(Taken::Task(task)),
            Slot::Read(task, found) => Some(Taken::Found(task, found)),
            Slot::Taken => Some(Taken::Nothing),
            Slot::Working => {
                *slot = Slot::Working;
                None
            }
        }
    }
}

impl Ahead {
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        Self {
            plan,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Goes through the next entries of a folder, and offers the folders among them to all threads.
    pub(super) fn offer(&self, folder: &mut Folder) -> Vec<Step> {
        let mut steps = Vec::with_capacity(folder.len().min(USUAL_STEPS));
        let nodes = self.collect(folder, OFFERED, &mut steps);
        self.lock().put(nodes, &self.changed);
        steps
    }

    /// Reads folders until the walk has come to its end.
    pub(super) fn help(&self) {
        let _closing = self.closing();
        let mut state = self.lock();
        while !state.is_closed {
            state = match state.begin() {
                Some((node, task)) => {
                    drop(state);
                    self.work(&node, task)
                }
                None => self.sleep(state),
            };
        }
    }

    /// What there is of a folder that the walk has come to. While another thread reads it, this one reads others.
    pub(super) fn take(&self, node: &Node) -> Taken {
        let mut state = self.lock();
        loop {
            if let Some(taken) = node.take() {
                if let Taken::Found(_, found) = &taken {
                    state.give_back(found.as_ref().map_or(0, |found| found.steps.len()));
                    state.wake_if_there_is_room(&self.changed);
                }
                return taken;
            }
            if state.is_closed {
                return Taken::Nothing;
            }
            state = match state.begin() {
                Some((other, task)) => {
                    drop(state);
                    self.work(&other, task)
                }
                None => self.sleep(state),
            };
        }
    }

    /// Lets all threads end when the guard is dropped, so that nobody waits for somebody who is gone.
    pub(super) fn closing(&self) -> Closing<'_> {
        Closing(self)
    }

    fn work(&self, node: &Node, task: Box<Task>) -> MutexGuard<'_, State> {
        let mut found = self.read(&task);
        let (steps, nodes) = found.as_mut().map_or((0, Vec::new()), |found| {
            (found.steps.len(), std::mem::take(&mut found.nodes))
        });
        *node.lock() = Slot::Read(task, found);
        let mut state = self.lock();
        state.steps += steps;
        state.put(nodes, &self.changed);
        // The walk may wait for just this folder.
        state.wake(&self.changed);
        state
    }

    fn read(&self, task: &Task) -> io::Result<Found> {
        let (mut folder, is_whole) = task.read(&self.plan, MAX_NAMES)?;
        let looked_at = folder.len();
        let mut steps = Vec::with_capacity(looked_at.min(USUAL_STEPS));
        let mut nodes = Vec::new();
        if is_whole {
            nodes = self.collect(&mut folder, usize::MAX, &mut steps);
        }
        if self.plan.options.sizes {
            let entries = steps.iter_mut().filter_map(|step| step.entry.as_mut());
            entries.for_each(crate::workspace::Entry::learn_size);
        }
        Ok(Found {
            looked_at,
            is_whole,
            steps,
            nodes,
        })
    }

    /// Goes through at most `count` entries, leaves out those that need nothing, and makes nodes of the folders.
    fn collect(&self, folder: &mut Folder, count: usize, steps: &mut Vec<Step>) -> Vec<Arc<Node>> {
        let mut nodes = Vec::new();
        for _ in 0..count {
            let Some(mut step) = folder.next(&self.plan) else {
                break;
            };
            step.below = match step.below {
                Below::Folder(task) => {
                    let slot = Mutex::new(Slot::Waiting(task));
                    let node = Arc::new(Node { slot });
                    nodes.push(Arc::clone(&node));
                    Below::Ahead(node)
                }
                other => other,
            };
            if step.is_something() {
                steps.push(step);
            }
        }
        nodes
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sleep<'g>(&self, mut state: MutexGuard<'g, State>) -> MutexGuard<'g, State> {
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
    fn put(&mut self, nodes: Vec<Arc<Node>>, changed: &Condvar) {
        let is_news = !nodes.is_empty();
        self.waiting.extend(nodes.into_iter().rev());
        // Who is woken when enough is known ahead would only go to sleep again.
        if is_news && self.has_room() {
            self.wake(changed);
        }
    }

    /// The folder to read next, unless enough is known ahead.
    fn begin(&mut self) -> Option<(Arc<Node>, Box<Task>)> {
        while self.has_room() {
            let node = self.waiting.pop()?;
            if let Some(task) = node.begin() {
                self.folders += 1;
                return Some((node, task));
            }
        }
        None
    }

    fn has_room(&self) -> bool {
        self.folders < MAX_FOLDERS && self.steps < MAX_STEPS
    }

    fn give_back(&mut self, steps: usize) {
        self.folders = self.folders.saturating_sub(1);
        self.steps = self.steps.saturating_sub(steps);
    }

    /// Waking a thread costs as much as reading a small folder, so it is done for many of them.
    fn wake_if_there_is_room(&self, changed: &Condvar) {
        if self.folders <= MAX_FOLDERS / 2
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

/// Lets all threads end when it is dropped.
pub(super) struct Closing<'a>(&'a Ahead);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}
