//! Going through a folder and what is below it.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;
use std::vec;

use tool_core::{CancellationToken, ToolError};

use super::error::disk_error;
use super::path::join;
use super::rules::Rules;
use super::{Directory, Entry, EntryKind, Pattern, Workspace, platform};

/// One folder is open per level, so the depth bounds the open handles.
const MAX_DEPTH: usize = 100;
/// How many entries a walk looks at unless it is told otherwise, and how many it may be told to.
const ENTRIES: usize = 100_000;
const MAX_ENTRIES: usize = 10_000_000;

/// What a [`Walk`] gives, and where it goes.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::{Pattern, WalkOptions};
///
/// let pattern = Pattern::parse("pattern", "*.rs")?;
/// let options = WalkOptions::files().with_pattern(Some(pattern)).with_hidden(true).with_max_depth(3);
/// # Ok::<_, tool_core::ToolError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct WalkOptions {
    kinds: Vec<EntryKind>,
    pattern: Option<Pattern>,
    hidden: bool,
    ignored: bool,
    max_depth: usize,
    max_entries: usize,
    deadline: Option<Instant>,
}

impl WalkOptions {
    /// Gives entries of these kinds.
    pub fn kinds(kinds: impl IntoIterator<Item = EntryKind>) -> Self {
        Self {
            kinds: kinds.into_iter().collect(),
            pattern: None,
            hidden: false,
            ignored: false,
            max_depth: MAX_DEPTH,
            max_entries: ENTRIES,
            deadline: None,
        }
    }

    /// Gives regular files.
    pub fn files() -> Self {
        Self::kinds([EntryKind::File])
    }

    /// Gives folders.
    pub fn directories() -> Self {
        Self::kinds([EntryKind::Directory])
    }

    /// Gives only what the glob covers; folders are entered all the same, but for those that can hold nothing it covers.
    pub fn with_pattern(self, pattern: Option<Pattern>) -> Self {
        Self { pattern, ..self }
    }

    /// Goes also through what begins with a dot.
    pub fn with_hidden(self, hidden: bool) -> Self {
        Self { hidden, ..self }
    }

    /// Goes also through what `.gitignore` and `.ignore` leave out.
    pub fn with_ignored(self, ignored: bool) -> Self {
        Self { ignored, ..self }
    }

    /// Goes this deep at most; the folder's own entries have depth 1.
    pub fn with_max_depth(self, max_depth: usize) -> Self {
        Self {
            max_depth: max_depth.clamp(1, MAX_DEPTH),
            ..self
        }
    }

    /// Looks at this many entries at most, given or not; at 100,000 unless set.
    pub fn with_max_entries(self, max_entries: usize) -> Self {
        Self {
            max_entries: max_entries.min(MAX_ENTRIES),
            ..self
        }
    }

    /// Ends then, whatever is left.
    pub fn with_deadline(self, deadline: Instant) -> Self {
        Self {
            deadline: Some(deadline),
            ..self
        }
    }
}

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
    options: WalkOptions,
    cancellation: CancellationToken,
    levels: Vec<Level>,
    /// How many bytes of a path stand before the part below the folder that is walked.
    prefix: usize,
    left: usize,
    unreadable: usize,
    truncated: bool,
}

/// One folder on the way from the start to where the walk is.
struct Level {
    entries: vec::IntoIter<Entry>,
    rules: Option<Arc<Rules>>,
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
        let mut walk = Self {
            prefix: join(folder.path(), "").len(),
            left: options.max_entries,
            options,
            cancellation,
            levels: Vec::new(),
            unreadable: 0,
            truncated: false,
        };
        walk.enter(folder, above, 1)
            .map_err(|error| disk_error(parameter, error))?;
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

    fn enter(
        &mut self,
        folder: &Directory,
        above: Option<Arc<Rules>>,
        depth: usize,
    ) -> std::io::Result<()> {
        // The handles of folders below the first were opened by the walk itself.
        let (entries, complete) = if depth > 1 {
            folder.list_fresh(depth, self.left)?
        } else {
            folder.list(depth, self.left)?
        };
        self.left = self.left.saturating_sub(entries.len());
        self.truncated |= !complete;
        let rules = if self.options.ignored {
            None
        } else {
            Rules::of_folder(above, &folder.handle, folder.path(), &entries)
        };
        let entries = entries.into_iter();
        self.levels.push(Level { entries, rules });
        Ok(())
    }

    fn descend(&mut self, entry: &Entry, rules: Option<Arc<Rules>>) {
        if entry.depth() >= self.options.max_depth {
            // A depth that the caller chose is no loss; the bound of every walk is.
            self.truncated |= self.options.max_depth == MAX_DEPTH;
            return;
        }
        let entered =
            platform::open_subfolder(&entry.folder, entry.raw_name()).and_then(|handle| {
                let folder = Directory {
                    handle: Arc::new(handle),
                    path: entry.path.clone(),
                    refuses_hard_links: entry.refuses_hard_links,
                };
                self.enter(&folder, rules, entry.depth() + 1)
            });
        self.unreadable += usize::from(entered.is_err());
    }

    fn is_to_end(&self) -> bool {
        let deadline = self.options.deadline;
        self.cancellation.is_cancelled()
            || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn is_left_out(&self, entry: &Entry, rules: Option<&Rules>) -> bool {
        match rules.and_then(|rules| rules.leaves_out(entry)) {
            Some(left_out) => left_out,
            None => !self.options.hidden && entry.is_hidden(),
        }
    }

    fn may_hold_more(&self, folder: &Entry) -> bool {
        let pattern = self.options.pattern.as_ref();
        pattern.is_none_or(|pattern| pattern.may_match_in(self.below(folder)))
    }

    /// The path from the folder that is walked.
    fn below<'e>(&self, entry: &'e Entry) -> &'e str {
        entry.path().get(self.prefix..).unwrap_or_default()
    }

    fn is_wanted(&self, entry: &Entry) -> bool {
        let below = self.below(entry);
        self.options.kinds.contains(&entry.kind())
            && self
                .options
                .pattern
                .as_ref()
                .is_none_or(|pattern| pattern.matches(below))
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
            let rules = level.rules.clone();
            let Some(entry) = level.entries.next() else {
                self.levels.pop();
                continue;
            };
            if self.is_left_out(&entry, rules.as_deref()) {
                continue;
            }
            if entry.kind() == EntryKind::Directory && self.may_hold_more(&entry) {
                self.descend(&entry, rules);
            }
            if self.is_wanted(&entry) {
                return Some(entry);
            }
        }
    }
}

impl fmt::Debug for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk")
            .field("options", &self.options)
            .field("truncated", &self.truncated)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
