//! Recursive directory walks.

mod ahead;
mod options;
mod skipped;
mod step;

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use tool_core::{CancellationToken, ToolError};

use self::ahead::{Ahead, Level};
pub use self::options::WalkOptions;
pub(crate) use self::skipped::FEW_HITS;
#[cfg(feature = "search")]
pub(crate) use self::skipped::Skipped;
use self::skipped::SkippedEntries;
use self::step::{Below, Folder, Node, Plan, Slot, Task};
use super::error::disk_error;
use super::listing::Names;
use super::path::join;
use super::rules::Rules;
use super::{Directory, Entry, Workspace};
use crate::threads::Permit;

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
    ahead: Option<Arc<Ahead>>,
    left: usize,
    unreadable: usize,
    truncated: bool,
    skipped: SkippedEntries,
}

impl Walk {
    pub(super) fn new(
        workspace: &Workspace,
        parameter: &str,
        folder: &Directory,
        options: WalkOptions,
        cancellation: CancellationToken,
    ) -> Result<Self, ToolError> {
        let prefix = join(folder.path(), "").len();
        Self::within(workspace, parameter, folder, options, cancellation, prefix)
    }

    /// Like [`new`](Self::new), but applies the glob to paths after `prefix` bytes.
    fn within(
        workspace: &Workspace,
        parameter: &str,
        folder: &Directory,
        options: WalkOptions,
        cancellation: CancellationToken,
        prefix: usize,
    ) -> Result<Self, ToolError> {
        let (root, relative) = workspace.beneath(folder.path());
        let above = (!options.ignored && relative != ".")
            .then(|| Rules::above(root, relative))
            .flatten();
        let (names, is_whole) = Names::read(&folder.handle, false, options.max_entries)
            .map_err(|error| disk_error(parameter, error))?;
        let mut walk = Self {
            left: options.max_entries,
            plan: Arc::new(Plan {
                options,
                prefix,
                refuses_hard_links: folder.refuses_hard_links,
            }),
            cancellation,
            levels: Vec::new(),
            ahead: None,
            unreadable: 0,
            truncated: false,
            skipped: SkippedEntries::default(),
        };
        let (handle, path) = (Arc::clone(&folder.handle), folder.path());
        let first = Folder::new(&walk.plan, handle, path, names, above, 1);
        walk.enter(first, is_whole);
        Ok(walk)
    }

    /// Returns whether entries may be missing because a limit or the deadline was reached or the
    /// walk was cancelled.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// Returns the number of directories that could not be read and were skipped.
    #[must_use]
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
        let ahead = Arc::new(Ahead::new(Arc::clone(&self.plan)));
        self.levels
            .iter_mut()
            .for_each(|level| level.look_ahead(&ahead));
        self.ahead = Some(Arc::clone(&ahead));
        let flow = thread::scope(|scope| {
            let _closing = ahead.closing();
            for permit in permits {
                let help = || {
                    let _permit = permit;
                    ahead.help();
                };
                // If the thread does not start, the others continue without it.
                let _ = thread::Builder::new()
                    .name("walk".to_owned())
                    .spawn_scoped(scope, help);
            }
            self.try_for_each(take)
        });
        self.ahead = None;
        flow
    }

    /// Continues with the entries of `folder`; `is_whole` is set if all of its names were read.
    fn enter(&mut self, folder: Folder, is_whole: bool) {
        self.left = self.left.saturating_sub(folder.len());
        self.truncated |= !is_whole;
        self.levels.push(Level::of(folder));
    }

    fn descend(&mut self, below: Below) -> io::Result<()> {
        match below {
            Below::Nothing => {}
            Below::TooDeep => self.truncated = true,
            Below::Folder(task) => self.enter_alone(&task)?,
            Below::Ahead(node) => self.enter_ahead(&node)?,
        }
        Ok(())
    }

    fn enter_alone(&mut self, task: &Task) -> io::Result<()> {
        let (folder, is_whole) = task.read(&self.plan, self.left)?;
        self.enter(folder, is_whole);
        Ok(())
    }

    fn enter_ahead(&mut self, node: &Node) -> io::Result<()> {
        let taken = match &self.ahead {
            Some(ahead) => ahead.take(node),
            None => node.take().unwrap_or(Slot::Taken),
        };
        match taken {
            Slot::Waiting(task) => self.enter_alone(&task),
            Slot::Read(task, found) => {
                // If opening failed because too many directories were open ahead, it may succeed
                // now.
                let Ok(found) = found else {
                    return self.enter_alone(&task);
                };
                // Beyond the limit the order of the names matters, so read the directory again up
                // to the limit.
                if !found.is_whole || found.looked_at > self.left {
                    return self.enter_alone(&task);
                }
                self.left -= found.looked_at;
                self.levels.push(Level::of_steps(found.steps));
                Ok(())
            }
            Slot::Taken | Slot::Working => Err(io::ErrorKind::Other.into()),
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
        let folder = self.existing_dir(parameter, path)?;
        Walk::new(
            self,
            parameter,
            &folder,
            options.clone(),
            cancellation.clone(),
        )
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
            let Some(step) = level.next(&self.plan, self.ahead.as_deref()) else {
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

impl fmt::Debug for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk")
            .field("options", &self.plan.options)
            .field("truncated", &self.truncated)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
