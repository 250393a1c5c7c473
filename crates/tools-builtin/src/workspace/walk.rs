//! Recursive directory walks, and the selection of their entries.

mod options;
mod parallel;
mod skipped;
mod step;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::time::Instant;

use tool_core::{CancellationToken, ToolError};

use super::error::disk_error;
use super::listing::{Name, read_names};
use super::rules::Rules;
use super::{Directory, Entry, EntryKind, Workspace};
use crate::blocking::Permit;
use options::{MAX_DEPTH, MAX_ENTRIES};
use skipped::{Exclusion, SkippedEntries};
use step::{Children, WalkDirectory};

pub use options::WalkOptions;
pub(crate) use parallel::FoundFile;
pub(crate) use skipped::{FEW_HITS, Skipped};

/// Number of entries examined before other threads help: most walks with a limit end earlier.
const ENTRIES_ALONE: usize = 3000;

/// Walk over a directory and everything below it, sorted by the bytes of the paths. Symlinks are
/// never entered.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::{WalkOptions, Workspace};
///
/// let scratch = Scratch::new().file("b", "").file("a/x", "").file("built/y", "").file(".gitignore", "built/");
/// let workspace = Workspace::open(scratch.path())?;
/// let mut walk = workspace.walk("path", ".", &WalkOptions::files(), &CancellationToken::new())?;
/// let paths: Vec<String> = walk.by_ref().map(|entry| entry.path().to_owned()).collect();
/// assert_eq!(paths, ["a/x", "b"]);
/// assert!(!walk.truncated());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct Walk {
    plan: Arc<Plan>,
    cancellation: CancellationToken,
    levels: Vec<WalkDirectory>,
    left: usize,
    unreadable: usize,
    truncated: bool,
    skipped: SkippedEntries,
}

impl Walk {
    /// Starts a walk. The glob applies to paths after `prefix` bytes.
    pub(super) fn new(
        workspace: &Workspace,
        parameter: &str,
        directory: &Directory,
        options: WalkOptions,
        cancellation: CancellationToken,
        prefix: usize,
    ) -> Result<Self, ToolError> {
        let options = WalkOptions {
            max_depth: options.max_depth.clamp(1, MAX_DEPTH),
            max_entries: options.max_entries.min(MAX_ENTRIES),
            ..options
        };
        let (root, relative) = workspace.beneath(directory.path());
        // A walk that starts in a subdirectory follows the same rules as one from the root.
        let above = (!options.ignored && relative != ".")
            .then(|| Rules::above(root, relative))
            .flatten();
        let (names, is_whole) = read_names(&directory.handle, false, options.max_entries)
            .map_err(|error| disk_error(parameter, error))?;
        let mut walk = Self {
            left: options.max_entries,
            plan: Arc::new(Plan {
                options,
                prefix,
                refuses_hard_links: directory.refuses_hard_links,
            }),
            cancellation,
            levels: Vec::new(),
            unreadable: 0,
            truncated: false,
            skipped: SkippedEntries::default(),
        };
        let (handle, path) = (Arc::clone(&directory.handle), directory.path());
        let first = WalkDirectory::new(&walk.plan, handle, path, names, above, 1);
        walk.enter(first, is_whole);
        Ok(walk)
    }

    /// Returns whether entries may be missing because a limit or the deadline was reached or the
    /// walk was cancelled.
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// Returns the number of directories that could not be read and were skipped.
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// Finds files in order, until there are `limit` or so many entries were examined. Returns whether it has finished.
    fn find_alone(
        &mut self,
        entries: usize,
        limit: usize,
        size_of: &impl Fn(&Entry) -> Option<u64>,
        found: &mut Vec<FoundFile>,
    ) -> bool {
        while found.len() < limit && self.examined() < entries {
            let Some(entry) = self.next() else {
                return true;
            };
            if let Some(size) = size_of(&entry) {
                found.push((entry.into_path(), size));
            }
        }
        found.len() >= limit
    }

    /// Returns the number of entries examined so far.
    fn examined(&self) -> usize {
        let waiting: usize = self.levels.iter().map(WalkDirectory::len).sum();
        let read = self.plan.options.max_entries.saturating_sub(self.left);
        read.saturating_sub(waiting)
    }

    /// Continues with the entries of `directory`; `is_whole` is set if all of its names were read.
    fn enter(&mut self, directory: WalkDirectory, is_whole: bool) {
        self.left = self.left.saturating_sub(directory.len());
        self.truncated |= !is_whole;
        self.levels.push(directory);
    }

    fn descend(&mut self, below: Children) -> io::Result<()> {
        match below {
            Children::Nothing => {}
            // Not an error, but the caller has to say that entries may be missing.
            Children::TooDeep => self.truncated = true,
            Children::Directory(task) => {
                let (directory, is_whole) = task.read(&self.plan, self.left)?;
                self.enter(directory, is_whole);
            }
        }
        Ok(())
    }

    fn should_stop(&self) -> bool {
        let deadline = self.plan.options.deadline;
        self.cancellation.is_cancelled()
            || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Workspace {
    /// Walks a directory and everything below it, sorted by the bytes of the paths.
    ///
    /// # Errors
    /// Returns the errors of [`existing_dir`](Self::existing_dir) for the directory itself.
    /// Directories below it that cannot be read are skipped and counted.
    pub fn walk(
        &self,
        parameter: &str,
        path: &str,
        options: &WalkOptions,
        cancellation: &CancellationToken,
    ) -> Result<Walk, ToolError> {
        let directory = self.existing_dir(parameter, path)?;
        let (options, cancellation) = (options.clone(), cancellation.clone());
        let prefix = directory.prefix_len();
        Walk::new(self, parameter, &directory, options, cancellation, prefix)
    }
}

impl Workspace {
    /// Walks a directory and finds at most `limit` files, sorted by path: the entries for which `size_of` returns a size. In a
    /// large tree other threads help, which does not change the result, unless the options select directories.
    ///
    /// # Errors
    /// Returns the errors of [`walk`](Self::walk).
    pub(crate) fn find(
        &self,
        parameter: &str,
        path: &str,
        options: &WalkOptions,
        cancellation: &CancellationToken,
        limit: usize,
        size_of: impl Fn(&Entry) -> Option<u64> + Sync,
    ) -> Result<(Vec<FoundFile>, Walk), ToolError> {
        let start = || self.walk(parameter, path, options, cancellation);
        let (mut walk, mut found) = (start()?, Vec::new());
        if !walk.find_alone(ENTRIES_ALONE, limit, &size_of, &mut found)
            && !walk.find_together(Permit::acquire_helpers(), &size_of, &mut found)
        {
            (walk, found) = (start()?, Vec::new());
            walk.find_alone(usize::MAX, limit, &size_of, &mut found);
        }
        found.truncate(limit);
        Ok((found, walk))
    }
}

impl Iterator for Walk {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            if self.should_stop() {
                self.truncated = true;
                return None;
            }
            let directory = self.levels.last_mut()?;
            let Some(step) = directory.next(&self.plan) else {
                self.levels.pop();
                continue;
            };
            self.unreadable += usize::from(self.descend(step.below).is_err());
            if let Some(skipped) = step.skipped {
                self.skipped.add(*skipped);
            }
            if step.entry.is_some() {
                return step.entry;
            }
        }
    }
}

tool_core::debug_fields!(Walk, this => options: this.plan.options, truncated: this.truncated);

/// Options of a walk, shared by its threads.
#[derive(Debug)]
struct Plan {
    options: WalkOptions,
    /// Number of bytes of a path before the part below the walked directory.
    prefix: usize,
    refuses_hard_links: bool,
}

impl Plan {
    /// Returns the path relative to the walked directory.
    fn below<'p>(&self, path: &'p str) -> &'p str {
        path.get(self.prefix..).unwrap_or_default()
    }

    /// Returns the reason for skipping an entry, unless the glob names it.
    fn exclusion(&self, path: &str, name: &Name, rules: Option<&Rules>) -> Option<Exclusion> {
        let verdict = rules.and_then(|rules| rules.ignores(path, name.kind));
        let exclusion = Exclusion {
            hidden: !self.options.hidden && name.text.starts_with('.'),
            ignored: verdict == Some(true) || self.skips_as_git(name),
        };
        let is_excluded = verdict != Some(false) && exclusion != Exclusion::default();
        (is_excluded && !self.names(name, exclusion)).then_some(exclusion)
    }

    /// Returns whether a directory beyond the maximum depth truncates the walk: what the caller did not ask for is not
    /// missing.
    fn truncates_at_depth(&self) -> bool {
        !self.options.is_depth_chosen || self.options.max_depth == MAX_DEPTH
    }

    fn skips_as_git(&self, name: &Name) -> bool {
        (self.options.skips_git || self.options.lists_ignored)
            && name.kind == EntryKind::Directory
            && name.text == ".git"
    }

    fn names(&self, name: &Name, exclusion: Exclusion) -> bool {
        let is_directory = name.kind == EntryKind::Directory;
        let pattern = self.options.pattern.as_ref();
        pattern.is_some_and(|pattern| pattern.names(&name.text, is_directory, exclusion.ignored))
    }

    /// Returns `true` if an excluded directory is listed, without its entries.
    fn lists(&self, name: &Name, exclusion: Exclusion) -> bool {
        let is_directory = name.kind == EntryKind::Directory;
        self.options.lists_ignored && is_directory && !exclusion.hidden
    }

    /// Returns `true` if the walk returns an entry.
    fn selects(&self, path: &str, kind: EntryKind) -> bool {
        let pattern = self.options.pattern.as_ref();
        self.options.kinds.contains(&kind)
            && pattern.is_none_or(|pattern| pattern.matches(self.below(path)))
    }

    /// Returns `true` if the glob may match entries below `directory`.
    fn may_contain_matches(&self, directory: &str) -> bool {
        let pattern = self.options.pattern.as_ref();
        pattern.is_none_or(|pattern| pattern.may_match_in(self.below(directory)))
    }
}
