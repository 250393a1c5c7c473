//! Options of walks.

use std::time::Instant;

use crate::workspace::{EntryKind, Pattern};

/// One directory is open per level, so the depth limits the number of open handles.
pub(super) const MAX_DEPTH: usize = 100;
/// Default number of entries to examine, and its maximum.
const ENTRIES: usize = 100_000;
pub(super) const MAX_ENTRIES: usize = 10_000_000;

/// Options of a [`Walk`](super::Walk).
///
/// # Examples
/// ```
/// use tools_builtin::workspace::{Pattern, WalkOptions};
///
/// let mut options = WalkOptions::files();
/// options.pattern = Some(Pattern::parse("pattern", "*.rs")?);
/// options.hidden = true;
/// options.max_depth = 3;
/// # Ok::<_, tool_core::ToolError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate option")]
pub struct WalkOptions {
    /// Kinds of the selected entries.
    pub kinds: Vec<EntryKind>,
    /// Glob of the selected entries. Directories are entered anyway, unless they cannot contain a match.
    pub pattern: Option<Pattern>,
    /// Whether to include names that start with a dot. The default is `false`.
    pub hidden: bool,
    /// Whether to include entries that `.gitignore` and `.ignore` exclude. The default is `false`.
    pub ignored: bool,
    /// Maximum depth, from 1 to 100, which is the default; the directory's own entries have depth 1.
    pub max_depth: usize,
    /// Maximum number of entries to examine, selected or not, up to 10,000,000. The default is 100,000.
    pub max_entries: usize,
    /// Time at which the walk stops.
    pub deadline: Option<Instant>,
    /// Whether the caller of the tool chose the depth, so that deeper directories don't truncate the walk.
    pub(crate) is_depth_chosen: bool,
    /// Whether to count the files that are skipped because they are hidden or ignored, for
    /// [`Walk::skipped`](super::Walk::skipped).
    pub(crate) counts_skipped: bool,
    /// Whether to select ignored directories, and `.git` if hidden entries are included, without entering them.
    pub(crate) lists_ignored: bool,
    /// Whether to skip directories named `.git`, even if hidden entries are included.
    pub(crate) skips_git: bool,
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
            max_entries: ENTRIES,
            deadline: None,
            is_depth_chosen: true,
            counts_skipped: false,
            lists_ignored: false,
            skips_git: false,
        }
    }

    /// Creates options that select regular files.
    pub fn files() -> Self {
        Self::kinds([EntryKind::File])
    }
}
