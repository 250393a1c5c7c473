//! Files that a walk skipped because they are hidden or ignored.

use super::Walk;
use crate::workspace::{EntryKind, Workspace, on_one_line};

/// Number of hits from which skipped files are not reported.
pub(crate) const FEW_HITS: usize = 5;

/// Maximum number of entries to examine in skipped directories.
const MAX_ENTRIES: usize = 10_000;

/// Maximum number of skipped directories to examine.
const MAX_DIRECTORIES: usize = 100;

/// Directories of version control, whose files are not counted.
const REPOSITORIES: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// Reason for skipping an entry: the options that would include it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Exclusion {
    pub(super) hidden: bool,
    pub(super) ignored: bool,
}

impl Exclusion {
    fn or(self, other: Self) -> Self {
        Self {
            hidden: self.hidden || other.hidden,
            ignored: self.ignored || other.ignored,
        }
    }
}

/// Skipped file that the options select, or skipped directory that may contain one.
#[derive(Debug)]
pub(super) struct SkippedEntry {
    pub(super) path: String,
    pub(super) kind: EntryKind,
    pub(super) depth: usize,
    pub(super) exclusion: Exclusion,
}

impl SkippedEntry {
    /// Returns whether the entry is counted, or may contain counted entries.
    pub(super) fn counts(name: &str, kind: EntryKind) -> bool {
        match kind {
            EntryKind::Directory => !REPOSITORIES.contains(&name),
            kind => kind == EntryKind::File,
        }
    }
}

/// Skipped entries of a walk so far.
#[derive(Debug, Default)]
pub(super) struct SkippedEntries {
    found: Skipped,
    directories: Vec<SkippedEntry>,
}

impl SkippedEntries {
    pub(super) fn add(&mut self, entry: SkippedEntry) {
        if entry.kind == EntryKind::Directory {
            self.directories.push(entry);
        } else {
            // Threads find them in any order.
            if entry.path < self.found.first {
                self.found.first.clone_from(&entry.path);
            }
            self.found.add(entry.path, entry.exclusion);
        }
    }
}

/// Number of files that a walk skipped, and the options that would include them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skipped {
    files: usize,
    first: String,
    exclusion: Exclusion,
    is_partial: bool,
}

impl Skipped {
    fn add(&mut self, path: String, exclusion: Exclusion) {
        if self.files == 0 {
            self.first = path;
        }
        self.files += 1;
        self.exclusion = self.exclusion.or(exclusion);
    }

    /// Returns a warning with the number of files and the ways to include them. `parameter`
    /// contains the glob.
    pub(crate) fn warning(&self, parameter: &str) -> String {
        let skipped = self.described();
        format!(
            "Skipped {skipped}. Name a directory or file in `{parameter}` to include only that one."
        )
    }

    /// Returns the number of files and an example.
    pub(crate) fn described(&self) -> String {
        let kind = match (self.exclusion.hidden, self.exclusion.ignored) {
            (true, true) => "hidden or ignored",
            (true, false) => "hidden",
            (false, _) => "ignored",
        };
        let at_least = if self.is_partial { "at least " } else { "" };
        let (count, noun) = match self.files {
            1 => ("1".to_owned(), "file"),
            count => (count.to_string(), "files"),
        };
        let first = on_one_line(&self.first);
        format!("{at_least}{count} {kind} {noun}, such as `{first}`")
    }
}

impl Walk {
    /// Counts the files that the walk skipped, including those in skipped directories. Returns `None` if there
    /// are none, or if the options do not request the count.
    pub(crate) fn skipped(&self, workspace: &Workspace) -> Option<Skipped> {
        let mut found = self.skipped.found.clone();
        let mut directories: Vec<&SkippedEntry> = self.skipped.directories.iter().collect();
        // Threads find them in any order.
        directories.sort_by_key(|directory| &directory.path);
        found.is_partial = directories.len() > MAX_DIRECTORIES;
        directories.truncate(MAX_DIRECTORIES);
        let needed = directories.iter().fold(found.exclusion, |all, directory| {
            all.or(directory.exclusion)
        });
        let mut left = MAX_ENTRIES;
        for directory in directories {
            left -= self.count(workspace, directory, needed, left, &mut found);
        }
        (found.files > 0).then_some(found)
    }

    /// Adds the files in a skipped directory. Returns the number of entries examined, at most
    /// `limit`.
    fn count(
        &self,
        workspace: &Workspace,
        skipped: &SkippedEntry,
        needed: Exclusion,
        limit: usize,
        found: &mut Skipped,
    ) -> usize {
        let mut options = self.plan.options.clone();
        options.kinds = vec![EntryKind::File];
        options.hidden |= needed.hidden;
        options.ignored |= needed.ignored;
        options.counts_skipped = false;
        options.max_entries = limit;
        if options.max_depth < super::options::MAX_DEPTH {
            options.max_depth -= skipped.depth;
        }
        let Ok(directory) = workspace.existing_dir("path", &skipped.path) else {
            return 0;
        };
        let (prefix, cancellation) = (self.plan.prefix, self.cancellation.clone());
        let walk = Self::new(workspace, "path", &directory, options, cancellation, prefix);
        let Ok(mut walk) = walk else {
            return 0;
        };
        for entry in walk.by_ref() {
            found.add(entry.into_path(), skipped.exclusion);
        }
        found.is_partial |= walk.truncated();
        limit - walk.left
    }
}
