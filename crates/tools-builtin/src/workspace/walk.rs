//! Going through a folder and what is below it.

mod ahead;
mod level;
mod options;

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use tool_core::{CancellationToken, ToolError};

use self::ahead::{Ahead, Node, Taken};
use self::level::{Below, Folder, Level, Plan, Task};
pub use self::options::WalkOptions;
use super::error::disk_error;
use super::listing::Names;
use super::path::join;
use super::rules::Rules;
use super::{Directory, Entry, Workspace};
use crate::threads::Permit;

/// So many entries are looked at before other threads help: most walks with a limit have enough by then.
const ENTRIES_ALONE: usize = 300;

/// Goes through a folder and what is below it, in the order of the paths' bytes. Links are never entered.
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
}

impl Walk {
    pub(super) fn new(
        workspace: &Workspace,
        parameter: &str,
        folder: &Directory,
        options: WalkOptions,
        cancellation: CancellationToken,
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
                prefix: join(folder.path(), "").len(),
                refuses_hard_links: folder.refuses_hard_links,
            }),
            cancellation,
            levels: Vec::new(),
            ahead: None,
            unreadable: 0,
            truncated: false,
        };
        let (handle, path) = (Arc::clone(&folder.handle), folder.path());
        let first = Folder::new(&walk.plan, handle, path, names, above, 1);
        walk.enter(first, is_whole);
        Ok(walk)
    }

    /// Whether something may be missing: a bound or the deadline was reached, or the walk was cancelled.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// How many folders could not be read and were passed over.
    #[must_use]
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// Hands over what is left until `take` breaks. In a large tree other threads read folders ahead; what is handed
    /// over does not depend on them.
    pub(crate) fn hand_over(
        &mut self,
        take: impl FnMut(Entry) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.hand_over_with(ENTRIES_ALONE, Permit::of_helpers, take)
    }

    /// The same with as many helpers as `call` gives permits, once so many entries were looked at.
    fn hand_over_with<P: Send>(
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
                // Without it the others go on.
                let _ = thread::Builder::new()
                    .name("walk".to_owned())
                    .spawn_scoped(scope, help);
            }
            self.try_for_each(take)
        });
        self.ahead = None;
        flow
    }

    /// Goes through a folder next of which so many names were read, all of them or not.
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
            None => node.take().unwrap_or(Taken::Nothing),
        };
        match taken {
            Taken::Task(task) => self.enter_alone(&task),
            Taken::Found(task, found) => {
                // Where it could not be opened because too many are open ahead, it can be now.
                let Ok(found) = found else {
                    return self.enter_alone(&task);
                };
                // Beyond the bound it matters which names come first, so the folder is read again up to there.
                if !found.is_whole || found.looked_at > self.left {
                    return self.enter_alone(&task);
                }
                self.left -= found.looked_at;
                self.levels.push(Level::of_steps(found.steps));
                Ok(())
            }
            Taken::Nothing => Err(io::ErrorKind::Other.into()),
        }
    }

    fn is_to_end(&self) -> bool {
        let deadline = self.plan.options.deadline;
        self.cancellation.is_cancelled()
            || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Iterator for Walk {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            if self.is_to_end() {
                self.truncated = true;
                return None;
            }
            let level = self.levels.last_mut()?;
            let Some(step) = level.next(&self.plan, self.ahead.as_deref()) else {
                self.levels.pop();
                continue;
            };
            self.unreadable += usize::from(self.descend(step.below).is_err());
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
