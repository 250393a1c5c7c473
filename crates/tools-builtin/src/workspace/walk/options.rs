//! What a walk gives, and where it goes.

use std::time::Instant;

use crate::workspace::{EntryKind, Pattern};

/// One folder is open per level, so the depth bounds the open handles.
pub(super) const MAX_DEPTH: usize = 100;
/// How many entries a walk looks at unless it is told otherwise, and how many it may be told to.
const ENTRIES: usize = 100_000;
const MAX_ENTRIES: usize = 10_000_000;

/// What a [`Walk`](super::Walk) gives, and where it goes.
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
    pub(super) kinds: Vec<EntryKind>,
    pub(super) pattern: Option<Pattern>,
    pub(super) hidden: bool,
    pub(super) ignored: bool,
    pub(super) max_depth: usize,
    pub(super) max_entries: usize,
    pub(super) deadline: Option<Instant>,
    pub(super) sizes: bool,
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
            sizes: false,
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

    /// Learns the sizes of files where folders are read ahead, so that asking for them costs nothing later.
    pub(crate) fn with_sizes(self) -> Self {
        Self {
            sizes: true,
            ..self
        }
    }
}
