//! One directory of a walk, and the selection of its entries.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::fs::Dir;

use super::options::{MAX_DEPTH, WalkOptions};
use super::skipped::{Exclusion, SkippedEntry};
use crate::workspace::listing::{Name, Names};
use crate::workspace::path::join;
use crate::workspace::rules::Rules;
use crate::workspace::{Entry, EntryKind, platform};

/// Options of a walk, shared by its threads.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) options: WalkOptions,
    /// Number of bytes of a path before the part below the walked directory.
    pub(super) prefix: usize,
    pub(super) refuses_hard_links: bool,
}

impl Plan {
    /// Returns the path relative to the walked directory.
    fn below<'p>(&self, path: &'p str) -> &'p str {
        path.get(self.prefix..).unwrap_or_default()
    }

    /// Returns the reason for skipping an entry, unless the glob names it.
    fn exclusion(&self, path: &str, name: Name<'_>, rules: Option<&Rules>) -> Option<Exclusion> {
        let verdict = rules.and_then(|rules| rules.ignores(path, name.kind));
        let exclusion = Exclusion {
            hidden: !self.options.hidden && name.text.starts_with('.'),
            ignored: verdict == Some(true) || self.skips_as_git(name),
        };
        let is_excluded = verdict != Some(false) && exclusion != Exclusion::default();
        (is_excluded && !self.names(path, name, exclusion)).then_some(exclusion)
    }

    fn skips_as_git(&self, name: Name<'_>) -> bool {
        self.options.skips_git && name.kind == EntryKind::Directory && name.text == ".git"
    }

    fn names(&self, path: &str, name: Name<'_>, exclusion: Exclusion) -> bool {
        let is_folder = name.kind == EntryKind::Directory;
        self.options
            .pattern
            .as_ref()
            .is_some_and(|pattern| pattern.names(self.below(path), is_folder, exclusion.ignored))
    }

    fn lists(&self, name: Name<'_>, exclusion: Exclusion) -> bool {
        let is_folder = name.kind == EntryKind::Directory;
        self.options.lists_ignored && is_folder && !exclusion.hidden
    }

    fn selects(&self, path: &str, kind: EntryKind) -> bool {
        let pattern = self.options.pattern.as_ref();
        self.options.kinds.contains(&kind)
            && pattern.is_none_or(|pattern| pattern.matches(self.below(path)))
    }

    fn may_contain_matches(&self, folder: &str) -> bool {
        let pattern = self.options.pattern.as_ref();
        pattern.is_none_or(|pattern| pattern.may_match_in(self.below(folder)))
    }
}

/// Directory to read.
pub(super) struct Task {
    parent: Arc<Dir>,
    /// Start of the name in `path`.
    name_at: usize,
    raw_name: Option<OsString>,
    path: String,
    depth: usize,
    rules: Option<Arc<Rules>>,
}

impl Task {
    /// Reads at most `limit` names of the directory, and returns whether these are all.
    pub(super) fn read(&self, plan: &Plan, limit: usize) -> io::Result<(Folder, bool)> {
        let name = Path::new(self.path.get(self.name_at..).unwrap_or_default());
        let name = self.raw_name.as_ref().map_or(name, Path::new);
        let handle = Arc::new(platform::open_subfolder(&self.parent, name)?);
        // The handle was just opened, so it has not been read from.
        let (names, is_whole) = Names::read(&handle, true, limit)?;
        let depth = self.depth + 1;
        let folder = Folder::new(plan, handle, &self.path, names, self.rules.clone(), depth);
        Ok((folder, is_whole))
    }
}

/// Directory with known names, and the position in them.
pub(super) struct Folder {
    handle: Arc<Dir>,
    names: Names,
    next: usize,
    rules: Option<Arc<Rules>>,
    depth: usize,
    /// Path of the current entry, and the start of its name.
    path: String,
    name_at: usize,
}

impl Folder {
    /// `path` is the path of the directory, `depth` the depth of its entries.
    pub(super) fn new(
        plan: &Plan,
        handle: Arc<Dir>,
        path: &str,
        names: Names,
        above: Option<Arc<Rules>>,
        depth: usize,
    ) -> Self {
        let rules = if plan.options.ignored {
            None
        } else {
            Rules::of_folder(above, &handle, path, &names)
        };
        let path = join(path, "");
        Self {
            name_at: path.len(),
            handle,
            names,
            next: 0,
            rules,
            depth,
            path,
        }
    }

    /// Returns the number of names, examined or not.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the step for the next entry.
    pub(super) fn next(&mut self, plan: &Plan) -> Option<Step> {
        let name = self.names.get(self.next)?;
        self.next += 1;
        self.path.truncate(self.name_at);
        self.path.push_str(name.text);
        let exclusion = plan.exclusion(&self.path, name, self.rules.as_deref());
        Some(match exclusion {
            None => Step {
                entry: self.entry(plan, name),
                below: self.below(plan, name),
                skipped: None,
            },
            Some(exclusion) if plan.lists(name, exclusion) => Step {
                entry: self.entry(plan, name),
                ..Step::default()
            },
            Some(exclusion) => Step {
                skipped: self.skipped(plan, name, exclusion),
                ..Step::default()
            },
        })
    }

    fn entry(&self, plan: &Plan, name: Name<'_>) -> Option<Entry> {
        plan.selects(&self.path, name.kind).then(|| {
            let (path, hard_links) = (self.path.clone(), plan.refuses_hard_links);
            Entry::new(&self.handle, path, name, self.depth, hard_links)
        })
    }

    fn skipped(
        &self,
        plan: &Plan,
        name: Name<'_>,
        exclusion: Exclusion,
    ) -> Option<Box<SkippedEntry>> {
        let counts = plan.options.counts_skipped && SkippedEntry::counts(name.text, name.kind);
        let is_relevant = counts
            && match name.kind {
                EntryKind::Directory => {
                    self.depth < plan.options.max_depth && plan.may_contain_matches(&self.path)
                }
                kind => plan.selects(&self.path, kind),
            };
        is_relevant.then(|| {
            Box::new(SkippedEntry {
                path: self.path.clone(),
                kind: name.kind,
                depth: self.depth,
                exclusion,
            })
        })
    }

    fn below(&self, plan: &Plan, name: Name<'_>) -> Below {
        if name.kind != EntryKind::Directory || !plan.may_contain_matches(&self.path) {
            return Below::Nothing;
        }
        if self.depth < plan.options.max_depth {
            return Below::Folder(Box::new(Task {
                parent: Arc::clone(&self.handle),
                name_at: self.name_at,
                raw_name: name.raw.cloned(),
                path: self.path.clone(),
                depth: self.depth,
                rules: self.rules.clone(),
            }));
        }
        // A depth that the caller chose does not truncate the walk; the general limit does.
        if plan.options.max_depth == MAX_DEPTH {
            Below::TooDeep
        } else {
            Below::Nothing
        }
    }
}

/// Work for one entry.
#[derive(Default)]
pub(super) struct Step {
    /// Entry to return.
    pub(super) entry: Option<Entry>,
    /// Entries below it, to return before the next entry.
    pub(super) below: Below,
    /// Skipped entry to count.
    pub(super) skipped: Option<Box<SkippedEntry>>,
}

impl Step {
    pub(super) fn has_work(&self) -> bool {
        self.entry.is_some() || self.skipped.is_some() || !matches!(self.below, Below::Nothing)
    }
}

/// Work below an entry.
#[derive(Default)]
pub(super) enum Below {
    /// Nothing to return.
    #[default]
    Nothing,
    /// Directory beyond the depth limit of walks.
    TooDeep,
    /// Directory to enter.
    Folder(Box<Task>),
    /// Directory that any thread may read.
    Ahead(Arc<Node>),
}

/// Directory that any thread may read.
pub(super) struct Node {
    pub(super) slot: Mutex<Slot>,
}

/// State of a directory.
pub(super) enum Slot {
    /// Not started.
    Waiting(Box<Task>),
    /// Being read.
    Working,
    /// Read ahead.
    Read(Box<Task>, io::Result<Found>),
    /// Taken by the walk.
    Taken,
}

/// Entries of a directory that was read ahead.
pub(super) struct Found {
    /// Number of names examined.
    pub(super) looked_at: usize,
    /// Whether these are all names; if not, there are no steps.
    pub(super) is_whole: bool,
    pub(super) steps: Vec<Step>,
    pub(super) nodes: Vec<Arc<Node>>,
}

impl Node {
    /// Creates a directory that could not be read ahead.
    #[cfg(test)]
    pub(super) fn failed(task: Box<Task>) -> Self {
        let failure = Err(io::ErrorKind::Other.into());
        Self {
            slot: Mutex::new(Slot::Read(task, failure)),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts reading the directory unless another thread has.
    pub(super) fn begin(&self) -> Option<Box<Task>> {
        let mut slot = self.lock();
        match std::mem::replace(&mut *slot, Slot::Working) {
            Slot::Waiting(task) => Some(task),
            other => {
                *slot = other;
                None
            }
        }
    }

    /// Takes the directory; `None` while another thread reads it.
    pub(super) fn take(&self) -> Option<Slot> {
        let mut slot = self.lock();
        match std::mem::replace(&mut *slot, Slot::Taken) {
            Slot::Working => {
                *slot = Slot::Working;
                None
            }
            slot => Some(slot),
        }
    }
}
