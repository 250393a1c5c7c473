//! Bounded history of changes, and the call that records them.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tool_core::ToolContext;

use super::file::Digests;

/// Default limits: number of changes, and bytes of replaced content.
const MAX_MUTATIONS: usize = 100;
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Overhead of a change in bytes, in addition to its content and path.
const OVERHEAD: usize = 512;
/// Bytes reserved for path and overhead if the content has the maximum size.
const RESERVED: usize = 8 * 1024;

/// State before a change.
#[derive(Debug, Clone)]
pub(super) enum PreviousState {
    /// The file did not exist.
    Nothing,
    /// A file with this content.
    Content(Arc<Vec<u8>>),
    /// A file whose content was not kept.
    NotRetained,
    /// The directory did not exist.
    NoDirectory,
}

impl PreviousState {
    /// Returns the content of the file, if it was kept.
    pub(super) fn content(&self) -> Option<&Arc<Vec<u8>>> {
        match self {
            Self::Content(content) => Some(content),
            Self::Nothing | Self::NotRetained | Self::NoDirectory => None,
        }
    }
}

/// Change to one file, or creation of a directory.
#[derive(Debug, Clone)]
pub(super) struct Mutation {
    pub(super) call_id: Arc<str>,
    /// Displayed path.
    pub(super) path: String,
    /// The number of the root.
    pub(super) root: usize,
    /// Path beneath the root, with symlinks resolved.
    pub(super) real: PathBuf,
    /// Directories that were created for it, outermost first.
    pub(super) created: Vec<PathBuf>,
    pub(super) before: PreviousState,
    pub(super) digests: Digests,
    /// Mode of a removed file.
    pub(super) mode: Option<u32>,
}

impl Mutation {
    fn size(&self) -> usize {
        self.before.content().map_or(0, |content| content.len()) + self.path.len() + OVERHEAD
    }

    pub(super) fn is_of_same_file(&self, other: &Self) -> bool {
        (self.root, &self.real) == (other.root, &other.real)
    }
}

/// Most recent changes.
#[derive(Debug)]
pub(super) struct History {
    max_mutations: usize,
    max_bytes: usize,
    retained: Mutex<RetainedChanges>,
}

#[derive(Debug, Default)]
struct RetainedChanges {
    mutations: VecDeque<Mutation>,
    /// Number of changes so far, with those that are no longer kept.
    total: u64,
    bytes: usize,
    /// Calls that are kept in part.
    incomplete: HashSet<Arc<str>>,
}

impl Default for History {
    fn default() -> Self {
        Self::new(MAX_MUTATIONS, MAX_BYTES)
    }
}

impl History {
    pub(super) fn new(max_mutations: usize, max_bytes: usize) -> Self {
        Self {
            max_mutations,
            max_bytes,
            retained: Mutex::default(),
        }
    }

    /// Returns the maximum size in bytes of a file whose content is kept.
    pub(super) fn max_content(&self) -> u64 {
        if self.max_mutations == 0 {
            return 0;
        }
        self.max_bytes.saturating_sub(RESERVED) as u64
    }

    /// Adds a change and evicts the oldest ones as needed.
    pub(super) fn push(&self, mutation: Mutation) {
        let mut retained = self.retained();
        retained.bytes += mutation.size();
        retained.total += 1;
        retained.mutations.push_back(mutation);
        while retained.mutations.len() > self.max_mutations || retained.bytes > self.max_bytes {
            let Some(dropped) = retained.mutations.pop_front() else {
                return;
            };
            retained.bytes -= dropped.size();
            let id = dropped.call_id;
            if retained.mutations.iter().any(|other| other.call_id == id) {
                // Undoing the rest would leave a state that never existed, so `undo` rejects such a call.
                retained.incomplete.insert(id);
            } else {
                retained.incomplete.remove(&id);
            }
        }
    }

    /// Returns the changes of a call, oldest first, and whether the list is complete.
    pub(super) fn of_call(&self, call_id: &str) -> (Vec<Mutation>, bool) {
        let retained = self.retained();
        let of_call = |mutation: &&Mutation| &*mutation.call_id == call_id;
        let mutations = retained.mutations.iter().filter(of_call).cloned().collect();
        (mutations, !retained.incomplete.contains(call_id))
    }

    /// Returns the number of the next change.
    #[cfg(target_os = "linux")]
    pub(super) fn next(&self) -> u64 {
        self.retained().total
    }

    /// Returns the root and the path of each change from this number.
    #[cfg(target_os = "linux")]
    pub(super) fn since(&self, number: u64) -> Vec<(usize, PathBuf)> {
        let retained = self.retained();
        let count = usize::try_from(retained.total - number).unwrap_or(usize::MAX);
        let changes = retained.mutations.iter().rev().take(count);
        let places = changes.flat_map(|change| {
            let real = std::iter::once(&change.real).chain(&change.created);
            real.map(|real| (change.root, real.clone()))
        });
        places.collect()
    }

    /// Returns the content of the file after `mutation`, if a later change replaced it.
    pub(super) fn after(&self, mutation: &Mutation) -> Option<Arc<Vec<u8>>> {
        let retained = self.retained();
        // A later change has kept the content as its own previous state, so it needn't be stored twice.
        let later = retained.mutations.iter().find(|later| {
            later.is_of_same_file(mutation)
                && later.digests.before.is_some()
                && later.digests.before == mutation.digests.after
        });
        later?.before.content().cloned()
    }

    /// Removes the changes of a call.
    pub(super) fn forget(&self, call_id: &str) {
        let mut retained = self.retained();
        let (forgotten, rest) = std::mem::take(&mut retained.mutations)
            .into_iter()
            .partition(|mutation| &*mutation.call_id == call_id);
        retained.mutations = rest;
        retained.bytes -= forgotten.iter().map(Mutation::size).sum::<usize>();
        retained.incomplete.remove(call_id);
    }

    fn retained(&self) -> MutexGuard<'_, RetainedChanges> {
        self.retained.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Call that uses a workspace.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) cx: ToolContext,
    pub(super) call_id: Arc<str>,
    /// Value of the note `file_digests` so far.
    pub(super) digests: Mutex<Map<String, Value>>,
}

impl Recorder {
    pub(super) fn report(&self, path: &str, before: &PreviousState, change: &Digests) {
        match before {
            PreviousState::NoDirectory => return,
            PreviousState::NotRetained => self.cx.warn(format!(
                "The change to `{path}` cannot be undone: the old content is too large or not readable."
            )),
            PreviousState::Nothing | PreviousState::Content(_) => {}
        }
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        let old = match digests.get(path) {
            // For a second change of a file, keep the digest from before the first.
            Some(earlier) => earlier.get("before").cloned(),
            None => change.before.as_deref().map(Value::from),
        };
        let new = change.after.as_deref().map(Value::from);
        let mut entry = Map::new();
        entry.extend(old.map(|old| ("before".to_owned(), old)));
        entry.extend(new.map(|new| ("after".to_owned(), new)));
        digests.insert(path.to_owned(), Value::Object(entry));
        self.cx.note("file_digests", digests.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutation(call_id: &str, size: usize) -> Mutation {
        Mutation {
            call_id: call_id.into(),
            path: String::new(),
            root: 0,
            real: PathBuf::new(),
            created: Vec::new(),
            before: PreviousState::Content(Arc::new(vec![0; size])),
            digests: Digests::default(),
            mode: None,
        }
    }

    fn count(history: &History, call_id: &str) -> (usize, bool) {
        let (mutations, complete) = history.of_call(call_id);
        (mutations.len(), complete)
    }

    #[test]
    fn evicts_oldest_changes_by_count() {
        let history = History::new(3, usize::MAX);
        for call_id in ["a", "b", "b", "c"] {
            history.push(mutation(call_id, 1));
        }

        assert_eq!(count(&history, "a"), (0, true));
        assert_eq!(count(&history, "b"), (2, true));

        history.push(mutation("c", 1));

        assert_eq!(count(&history, "b"), (1, false));
        assert_eq!(count(&history, "c"), (2, true));
    }

    #[test]
    fn evicts_oldest_changes_by_size() {
        let history = History::new(100, 5000);
        for call_id in ["a", "b", "c"] {
            history.push(mutation(call_id, 1500));
        }

        assert_eq!(count(&history, "a"), (0, true));
        assert_eq!(count(&history, "b"), (1, true));
        assert_eq!(history.retained().bytes, 2 * (1500 + OVERHEAD));
    }

    #[test]
    fn default_history_keeps_100_changes_and_64_mb() {
        let history = History::default();
        for _ in 0..101 {
            history.push(mutation("a", 1));
        }

        assert_eq!(count(&history, "a"), (100, false));

        for call_id in ["b", "c", "d"] {
            history.push(mutation(call_id, 24 * 1024 * 1024));
        }

        assert_eq!(count(&history, "a"), (0, true));
        assert_eq!(count(&history, "b"), (0, true));
        assert_eq!(count(&history, "c"), (1, true));
        assert_eq!(count(&history, "d"), (1, true));
    }

    #[test]
    fn forgotten_changes_use_no_memory() {
        let history = History::new(3, 5000);
        for call_id in ["a", "a", "a", "a", "b"] {
            history.push(mutation(call_id, 1));
        }
        history.forget("a");

        assert_eq!(count(&history, "a"), (0, true));
        assert_eq!(history.retained().bytes, 1 + OVERHEAD);
    }

    #[test]
    fn zero_limit_keeps_nothing() {
        let history = History::new(0, 5000);
        history.push(mutation("a", 1));

        assert_eq!(count(&history, "a"), (0, true));
        assert_eq!((history.max_content(), history.retained().bytes), (0, 0));
    }
}
