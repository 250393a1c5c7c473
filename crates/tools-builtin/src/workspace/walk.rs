//! Recursive directory walks, and the selection of their entries.

mod options;
mod read_ahead;
mod skipped;
mod step;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;
use std::{io, thread};

use tool_core::{CancellationToken, ToolError};

use super::error::disk_error;
use super::listing::{EntryNames, Name};
use super::rules::Rules;
use super::{Directory, Entry, EntryKind, Workspace};
use crate::blocking::Permit;
use read_ahead::{Level, ReadAhead, StopOnDrop};
use skipped::{Exclusion, SkippedEntries};
use step::{Children, Node, NodeState, Task, WalkDirectory};

pub use options::WalkOptions;
pub(crate) use skipped::{FEW_HITS, Skipped};

/// Number of entries examined before other threads help: most walks with a limit end earlier.
const ENTRIES_ALONE: usize = 300;

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
    levels: Vec<Level>,
    read_ahead: Option<Arc<ReadAhead>>,
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
        let (root, relative) = workspace.beneath(directory.path());
        // A walk that starts in a subdirectory follows the same rules as one from the root.
        let above = (!options.ignored && relative != ".")
            .then(|| Rules::above(root, relative))
            .flatten();
        let (names, is_whole) = EntryNames::read(&directory.handle, false, options.max_entries)
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
            read_ahead: None,
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

    /// Passes the remaining entries to `take` until it breaks. In a large tree other threads read
    /// directories ahead, which does not change the result.
    pub(crate) fn visit(&mut self, take: impl FnMut(Entry) -> ControlFlow<()>) -> ControlFlow<()> {
        self.visit_with(ENTRIES_ALONE, Permit::acquire_helpers, take)
    }

    /// Like [`visit`](Self::visit), but takes the permits of helpers from `call` after
    /// `alone` entries.
    fn visit_with<P: Send>(
        &mut self,
        alone: usize,
        call: impl FnOnce() -> Vec<P>,
        mut take: impl FnMut(Entry) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while self.plan.options.max_entries - self.left < alone {
            match self.next() {
                Some(entry) => take(entry)?,
                None => return ControlFlow::Continue(()),
            }
        }
        let permits = call();
        if permits.is_empty() {
            return self.try_for_each(take);
        }
        let read_ahead = Arc::new(ReadAhead::new(Arc::clone(&self.plan)));
        for level in &mut self.levels {
            level.read_ahead(&read_ahead);
        }
        self.read_ahead = Some(Arc::clone(&read_ahead));
        let flow = thread::scope(|scope| {
            let _closing = StopOnDrop(&read_ahead);
            for permit in permits {
                let help = || {
                    let _permit = permit;
                    read_ahead.help();
                };
                // If the thread does not start, the others continue without it.
                let _ = thread::Builder::new()
                    .name("walk".to_owned())
                    .spawn_scoped(scope, help);
            }
            self.try_for_each(take)
        });
        self.read_ahead = None;
        flow
    }

    /// Continues with the entries of `directory`; `is_whole` is set if all of its names were read.
    fn enter(&mut self, directory: WalkDirectory, is_whole: bool) {
        self.left = self.left.saturating_sub(directory.len());
        self.truncated |= !is_whole;
        self.levels.push(Level {
            steps: Vec::new().into_iter(),
            directory: Some(directory),
        });
    }

    fn descend(&mut self, below: Children) -> io::Result<()> {
        match below {
            Children::Nothing => {}
            // Not an error, but the caller has to say that entries may be missing.
            Children::TooDeep => self.truncated = true,
            Children::Directory(task) => self.enter_alone(&task)?,
            Children::ReadAhead(node) => self.enter_ahead(&node)?,
        }
        Ok(())
    }

    fn enter_alone(&mut self, task: &Task) -> io::Result<()> {
        let (directory, is_whole) = task.read(&self.plan, self.left)?;
        self.enter(directory, is_whole);
        Ok(())
    }

    fn enter_ahead(&mut self, node: &Node) -> io::Result<()> {
        let taken = match &self.read_ahead {
            Some(read_ahead) => read_ahead.take(node),
            None => node.take().unwrap_or(NodeState::Taken),
        };
        match taken {
            NodeState::Read(_, Ok(found)) if found.is_whole && found.examined <= self.left => {
                self.left -= found.examined;
                self.levels.push(Level {
                    steps: found.steps.into_iter(),
                    directory: None,
                });
                Ok(())
            }
            // If opening failed because too many directories were open ahead, it may succeed now.
            // Beyond the limit the order of the names matters, so read the directory again up to the
            // limit.
            NodeState::Waiting(task) | NodeState::Read(task, _) => self.enter_alone(&task),
            NodeState::Taken | NodeState::Working => Err(io::ErrorKind::Other.into()),
        }
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

impl Iterator for Walk {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            if self.should_stop() {
                self.truncated = true;
                return None;
            }
            let level = self.levels.last_mut()?;
            let Some(step) = level.next(&self.plan, self.read_ahead.as_deref()) else {
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
        let is_directory = name.kind == EntryKind::Directory;
        self.options
            .pattern
            .as_ref()
            .is_some_and(|pattern| pattern.names(self.below(path), is_directory, exclusion.ignored))
    }

    /// Returns `true` if an excluded directory is listed, without its entries.
    fn lists(&self, name: Name<'_>, exclusion: Exclusion) -> bool {
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
