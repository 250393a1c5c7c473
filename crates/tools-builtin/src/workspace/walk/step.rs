//! One directory of a walk, and the selection of its entries.

use std::io;
use std::sync::Arc;
use std::vec;

use cap_std::fs::Dir;

use super::Plan;
use super::skipped::{Exclusion, SkippedEntry};
use crate::workspace::listing::{Name, read_names};
use crate::workspace::path::join;
use crate::workspace::rules::Rules;
use crate::workspace::{Entry, EntryKind, platform};

/// Directory to read.
pub(super) struct Task {
    directory: Entry,
    rules: Option<Arc<Rules>>,
}

impl Task {
    /// Reads at most `limit` names of the directory, and returns whether these are all.
    pub(super) fn read(&self, plan: &Plan, limit: usize) -> io::Result<(WalkDirectory, bool)> {
        let entry = &self.directory;
        let handle = platform::open_subdirectory(&entry.directory, entry.raw_name())?;
        // The handle was just opened, so it has not been read from.
        let (names, is_whole) = read_names(&handle, true, limit)?;
        let (rules, depth) = (self.rules.clone(), entry.depth + 1);
        let directory =
            WalkDirectory::new(plan, Arc::new(handle), &entry.path, names, rules, depth);
        Ok((directory, is_whole))
    }
}

/// Directory with known names, and the position in them.
pub(super) struct WalkDirectory {
    handle: Arc<Dir>,
    names: vec::IntoIter<Name>,
    rules: Option<Arc<Rules>>,
    depth: usize,
    /// Path of the current entry, and the start of its name.
    path: String,
    name_at: usize,
}

impl WalkDirectory {
    /// `path` is the path of the directory, `depth` the depth of its entries.
    pub(super) fn new(
        plan: &Plan,
        handle: Arc<Dir>,
        path: &str,
        names: Vec<Name>,
        above: Option<Arc<Rules>>,
        depth: usize,
    ) -> Self {
        let rules = if plan.options.ignored {
            None
        } else {
            Rules::of_directory(above, &handle, path, &names)
        };
        let path = join(path, "");
        Self {
            name_at: path.len(),
            handle,
            names: names.into_iter(),
            rules,
            depth,
            path,
        }
    }

    /// Returns the number of names that are not examined yet.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the step for the next entry.
    pub(super) fn next(&mut self, plan: &Plan) -> Option<Step> {
        let name = &self.names.next()?;
        self.path.truncate(self.name_at);
        self.path.push_str(&name.text);
        let mut step = Step::default();
        match plan.exclusion(&self.path, name, self.rules.as_deref()) {
            None => {
                step.entry = self.selected(plan, name);
                step.below = self.below(plan, name);
            }
            Some(exclusion) if plan.lists(name, exclusion) => {
                step.entry = self.selected(plan, name);
            }
            Some(exclusion) => step.skipped = self.skipped(plan, name, exclusion),
        }
        Some(step)
    }

    fn selected(&self, plan: &Plan, name: &Name) -> Option<Entry> {
        let is_selected = plan.selects(&self.path, name.kind);
        is_selected.then(|| self.entry(plan, name))
    }

    fn entry(&self, plan: &Plan, name: &Name) -> Entry {
        let (path, hard_links) = (self.path.clone(), plan.refuses_hard_links);
        Entry::new(&self.handle, path, name, self.depth, hard_links)
    }

    fn skipped(&self, plan: &Plan, name: &Name, exclusion: Exclusion) -> Option<Box<SkippedEntry>> {
        let counts = plan.options.counts_skipped && SkippedEntry::counts(&name.text, name.kind);
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

    fn below(&self, plan: &Plan, name: &Name) -> Children {
        if name.kind != EntryKind::Directory || !plan.may_contain_matches(&self.path) {
            return Children::Nothing;
        }
        if self.depth < plan.options.max_depth {
            return Children::Directory(Box::new(Task {
                directory: self.entry(plan, name),
                rules: self.rules.clone(),
            }));
        }
        if plan.truncates_at_depth() {
            Children::TooDeep
        } else {
            Children::Nothing
        }
    }
}

/// Work for one entry.
#[derive(Default)]
pub(super) struct Step {
    /// Entry to return.
    pub(super) entry: Option<Entry>,
    /// Entries below it, to return before the next entry.
    pub(super) below: Children,
    /// Skipped entry to count.
    pub(super) skipped: Option<Box<SkippedEntry>>,
}

/// Work below an entry.
#[derive(Default)]
pub(super) enum Children {
    /// Nothing to return.
    #[default]
    Nothing,
    /// Directory beyond the depth limit of walks.
    TooDeep,
    /// Directory to enter.
    Directory(Box<Task>),
}
