//! Options of walks.

use std::time::Instant;

use crate::workspace::{EntryKind, Pattern};

/// One directory is open per level, so the depth limits the number of open handles.
pub(super) const MAX_DEPTH: usize = 100;
/// Default number of entries to examine, and its maximum.
const ENTRIES: usize = 100_000;
const MAX_ENTRIES: usize = 10_000_000;

/// Options of a [`Walk`](super::Walk).
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
#[expect(clippy::struct_excessive_bools, reason = "each is a separate option")]
pub struct WalkOptions {
    pub(super) kinds: Vec<EntryKind>,
    pub(super) pattern: Option<Pattern>,
    pub(super) hidden: bool,
    pub(super) ignored: bool,
    pub(super) max_depth: usize,
    /// Whether a directory beyond the maximum depth truncates the walk.
    pub(super) truncates_at_depth: bool,
    pub(super) max_entries: usize,
    pub(super) deadline: Option<Instant>,
    pub(super) counts_skipped: bool,
    pub(super) lists_ignored: bool,
    pub(super) skips_git: bool,
}

impl WalkOptions {
    /// Creates options that select entries of these kinds.
    pub fn kinds(kinds: impl IntoIterator<Item = EntryKind>) -> Self {
        Self {
            kinds: kinds.into_iter().collect(),
            pattern: None,
            hidden: false,
            ignored: false,
            max_depth: MAX_DEPTH,
            truncates_at_depth: true,
            max_entries: ENTRIES,
            deadline: None,
            counts_skipped: false,
            lists_ignored: false,
            skips_git: false,
        }
    }

    /// Creates options that select regular files.
    pub fn files() -> Self {
        Self::kinds([EntryKind::File])
    }

    /// Creates options that select directories.
    pub fn directories() -> Self {
        Self::kinds([EntryKind::Directory])
    }

    /// Selects only entries that match the glob. Directories are entered anyway, unless they cannot
    /// contain a match.
    pub fn with_pattern(mut self, pattern: Option<Pattern>) -> Self {
        self.pattern = pattern;
        self
    }

    /// Sets whether to include names that start with a dot. The default is `false`.
    pub fn with_hidden(mut self, hidden: bool) -> Self {
        self.hidden = hidden;
        self
    }

    /// Sets whether to include entries that `.gitignore` and `.ignore` exclude. The default is
    /// `false`.
    pub fn with_ignored(mut self, ignored: bool) -> Self {
        self.ignored = ignored;
        self
    }

    /// Sets the maximum depth, from 1 to 100; the directory's own entries have depth 1. The default
    /// is 100.
    pub fn with_max_depth(mut self, max_depth: usize) -> Self {
        self.max_depth = max_depth.clamp(1, MAX_DEPTH);
        // What the caller did not ask for is not missing.
        self.truncates_at_depth = self.max_depth == MAX_DEPTH;
        self
    }

    /// Sets a maximum depth that the caller of the tool did not choose: deeper directories truncate the walk.
    pub(crate) fn with_depth_limit(mut self, limit: usize) -> Self {
        self.max_depth = limit.clamp(1, MAX_DEPTH);
        self
    }

    /// Sets the maximum number of entries to examine, selected or not, up to 10,000,000. The
    /// default is 100,000.
    pub fn with_max_entries(mut self, max_entries: usize) -> Self {
        self.max_entries = max_entries.min(MAX_ENTRIES);
        self
    }

    /// Stops the walk at `deadline`.
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets whether to count the files that are skipped because they are hidden or ignored, for
    /// [`Walk::skipped`](super::Walk::skipped).
    pub(crate) fn with_skipped_count(mut self, counts_skipped: bool) -> Self {
        self.counts_skipped = counts_skipped;
        self
    }

    /// Sets whether to select ignored directories, and `.git` if hidden entries are included, without
    /// entering them.
    pub(crate) fn with_ignored_listed(mut self, lists_ignored: bool) -> Self {
        self.lists_ignored = lists_ignored;
        self.skips_git |= lists_ignored;
        self
    }

    /// Sets whether to skip directories named `.git`, even if hidden entries are included.
    pub(crate) fn with_git_skipped(mut self, skips_git: bool) -> Self {
        self.skips_git = skips_git;
        self
    }
}
