//! Checkpoints: what a command changes in a workspace, and how to take it back.
//!
//! No filter foresees every loss, because a script can do anything. So a checkpoint remembers the
//! files before a command; afterwards the differences are known, and [`Workspace::undo`] takes them
//! back. The copies are in a separate store outside the workspace, for trees with and without
//! Git: Git would run programs that the workspace configures, and it keeps neither nested
//! repositories nor empty directories (`docs/decisions/0021-checkpoints.md` has the figures).
//!
//! A scan reads beneath directory handles and follows no links. It needs one system call for a file
//! that has not changed.

mod access;
mod gaps;
mod git;
mod place;
mod scan;
mod stamp;
mod state;
mod store;
#[cfg(test)]
mod tests;
mod tree;
mod undo;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tool_core::CancellationToken;

use self::gaps::Gaps;
use self::scan::Scan;
#[cfg(feature = "shell")]
pub(crate) use self::stamp::Stamp as EntryStamp;
use self::state::CheckpointState;
pub(super) use self::state::{Checkpoints, StatePlace};
use self::store::{Record, Store};
use self::tree::{Change, Directory, Item, Stamp, State};
use super::{ChangeKind, FileChange, Root, Workspace, on_one_line};
use crate::files::diff::difference;

/// Maximum number of entries of a workspace. A scan of more would take longer than most commands.
const MAX_ENTRIES: usize = 200_000;

/// Maximum depth of directories. Each level holds an open handle.
const MAX_DEPTH: usize = 128;

/// Maximum size in bytes of a file that is kept.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum size in bytes of an ignored file that is kept: settings are small, build outputs are not.
const MAX_IGNORED_BYTES: u64 = 1024 * 1024;

/// Maximum size in bytes of the store of a workspace.
const MAX_STORE_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Maximum number of calls whose changes are kept, and how long they are kept.
const MAX_CHECKPOINTS: usize = 20;
const MAX_AGE: Duration = Duration::from_hours(7 * 24);

/// Further attempts to read a file that changes meanwhile.
const UNSTABLE_RETRIES: usize = 2;

/// Reason for which there is no checkpoint.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::{CheckpointError, Workspace};
///
/// let scratch = Scratch::new();
/// let workspace = Workspace::builder().root(scratch.path()).without_checkpoints().build()?;
/// let error = workspace.checkpoint(&CancellationToken::new()).err();
/// assert!(matches!(error, Some(CheckpointError::Disabled)));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The host has disabled checkpoints.
    #[error("checkpoints are disabled")]
    Disabled,
    /// Neither `XDG_STATE_HOME` nor `HOME` is an absolute path.
    #[error("no state directory is known; set one with `checkpoints_in`")]
    NoDirectory,
    /// The store would be in the workspace, where the commands can change it.
    #[error("the state directory is in the workspace; set another with `checkpoints_in`")]
    InWorkspace,
    /// The workspace has too many entries.
    #[error("the workspace has more than {MAX_ENTRIES} entries")]
    TooManyEntries,
    /// The call was cancelled.
    #[error("the scan was cancelled")]
    Cancelled,
    /// The store or the workspace cannot be used.
    #[error("the files cannot be read or stored")]
    Io(#[from] io::Error),
}

/// Files of a workspace at one moment.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let (scratch, state) = (Scratch::new().file("src/a.txt", "one"), Scratch::new());
/// let workspace = Workspace::builder().root(scratch.path()).checkpoints_in(state.path()).build()?;
/// let none = CancellationToken::new();
///
/// let checkpoint = workspace.checkpoint(&none)?;
/// std::fs::remove_dir_all(scratch.path().join("src"))?;
/// let changed = checkpoint.finish("call_1", &none)?;
/// assert_eq!(changed.paths, ["src", "src/a.txt"]);
///
/// let undone = workspace.undo("call_1")?;
/// assert_eq!(undone.restored, ["src", "src/a.txt"]);
/// assert_eq!(scratch.read("src/a.txt"), "one");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct Checkpoint {
    workspace: Workspace,
    before: Vec<Scanned>,
    notes: Vec<String>,
    /// Number of the next record, and of the next change of a file tool, when it was made.
    next_record: u64,
    next_mutation: u64,
    /// While it exists, the store drops no content.
    _open: Arc<()>,
}

/// What a call changed.
///
/// # Examples
/// See [`Checkpoint`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedPaths {
    /// Changed paths as displayed by the tools, sorted, without those below `.git`.
    pub paths: Vec<String>,
    /// Paths that file tools and other commands changed meanwhile. They are not part of the call.
    pub meanwhile: Vec<String>,
    /// What is not kept and therefore cannot be taken back.
    pub notes: Vec<String>,
}

/// Scan of one root.
#[derive(Debug, Clone)]
struct Scanned {
    /// The number of the root.
    root: usize,
    tree: Arc<Directory>,
}

impl Workspace {
    /// Remembers the files below all writable roots, until [`Checkpoint::finish`].
    ///
    /// The first scan reads all files, later ones only those whose size, times or inode have changed.
    /// Kept are contents, links as text, and modes. Of `.git`, only refs and reflogs are kept, of
    /// ignored build outputs such as `target` the name, of other ignored files up to 1 MiB; what Git
    /// tracks does not count as ignored. Not kept are times, owners, extended attributes, groups of
    /// hard links, and files over 64 MiB. The store is in the state directory of
    /// [`checkpoints_in`](super::WorkspaceBuilder::checkpoints_in) with access for the user only, holds
    /// at most 2 GiB, and keeps the changes of 20 calls for at most 7 days, even if the host restarts.
    ///
    /// Blocks; Linux only.
    ///
    /// # Errors
    /// Returns [`CheckpointError`] if there is no place for the store, if the workspace has more than
    /// 200,000 entries, or if `cancellation` is cancelled.
    pub fn checkpoint(
        &self,
        cancellation: &CancellationToken,
    ) -> Result<Checkpoint, CheckpointError> {
        let checkpoint = self.remember(cancellation);
        self.shared.checkpoints.set_gaps(match &checkpoint {
            Ok(checkpoint) => !checkpoint.notes.is_empty(),
            Err(CheckpointError::Disabled) => false,
            Err(_) => true,
        });
        checkpoint
    }

    fn remember(&self, cancellation: &CancellationToken) -> Result<Checkpoint, CheckpointError> {
        let mut state = self.shared.checkpoints.state();
        let state = &mut *state;
        self.open_store(state)?;
        state.compact_if_large()?;
        let (before, gaps) = self.scan(state, &state.latest.clone(), false, cancellation)?;
        state.latest.clone_from(&before);
        Ok(Checkpoint {
            workspace: self.clone(),
            before,
            notes: gaps.notes(),
            next_record: state.store()?.next_number(),
            next_mutation: self.shared.history.next(),
            _open: Arc::clone(&state.open),
        })
    }

    /// Returns the content of a file before a call that a [`Checkpoint`] recorded; `None` if it is not
    /// kept. `path` is a path of [`changes`](Self::changes).
    pub fn content_before(&self, call_id: &str, path: &str) -> Option<Vec<u8>> {
        let mut state = self.shared.checkpoints.state();
        let record = self.record_of(&mut state, call_id)?;
        let mut changes = record.changes.iter();
        let change = changes.find(|change| self.shown_change(change) == path)?;
        let digest = change.before.as_ref()?.digest()?;
        state.store.as_mut()?.get(digest).ok()
    }

    /// Returns the changes of a call that a checkpoint recorded.
    pub(super) fn changes_of_command(&self, call_id: &str) -> Vec<FileChange> {
        let mut state = self.shared.checkpoints.state();
        let Some(record) = self.record_of(&mut state, call_id) else {
            return Vec::new();
        };
        let mut changes = Vec::new();
        for change in &record.changes {
            let path = self.shown_change(change);
            let content = |state: Option<&State>, store: &mut Store| match state {
                None => Some(Vec::new()),
                Some(state) => store.get(state.digest()?).ok(),
            };
            let store = state.store.as_mut();
            let diff = store.and_then(|store| {
                let old = content(change.before.as_ref(), store)?;
                let new = content(change.after.as_ref(), store)?;
                Some(difference(&path, &old, &new))
            });
            changes.push(file_change(path, change, diff));
        }
        changes
    }

    /// Returns the calls with records.
    #[cfg(all(test, feature = "shell"))]
    pub(crate) fn recorded_commands(&self) -> Vec<String> {
        let state = self.shared.checkpoints.state();
        let records = state.store.iter().flat_map(|store| &store.records);
        records.map(|record| record.call_id.clone()).collect()
    }

    /// Returns the last record of a call.
    fn record_of(&self, state: &mut CheckpointState, call_id: &str) -> Option<Record> {
        self.open_store(state).ok()?;
        let mut records = state.store.as_ref()?.records.iter();
        let record = records.rfind(|record| record.call_id == call_id)?;
        Some(record.clone())
    }

    /// Scans all roots that a command may change. `old` are the last scans.
    fn scan(
        &self,
        state: &mut CheckpointState,
        old: &[Scanned],
        keeps_rules: bool,
        cancellation: &CancellationToken,
    ) -> Result<(Vec<Scanned>, Gaps), CheckpointError> {
        let read_only = self.roots().filter(|root| root.is_read_only());
        let excluded = read_only.filter_map(|root| Stamp::of_handle(&*root.dir).ok());
        let mut scan = Scan::new(
            state.store()?,
            keeps_rules,
            excluded.collect(),
            cancellation,
        );
        let mut scanned = Vec::new();
        for root in self.roots().filter(|root| self.is_scanned(root)) {
            let known = old.iter().find(|known| known.root == root.number);
            let tree = scan.root(&root.dir, known.map(|known| &*known.tree))?;
            scanned.push(Scanned {
                root: root.number,
                tree: Arc::new(tree),
            });
        }
        Ok((scanned, scan.gaps))
    }

    /// Returns whether a root is writable and not in another one, whose scan enters it.
    fn is_scanned(&self, root: &Root) -> bool {
        let is_above = |other: &Root| {
            let path = root.real_path();
            path.starts_with(other.real_path())
                && (path != other.real_path() || other.number < root.number)
        };
        let mut others = self.roots();
        !root.is_read_only()
            && !others.any(|other| {
                other.number != root.number && !other.is_read_only() && is_above(other)
            })
    }

    fn shown_change(&self, change: &Change) -> String {
        let path = change.path().to_string_lossy();
        self.root(change.root)
            .map_or_else(|| path.to_string(), |root| root.shown(&path))
    }
}

impl Checkpoint {
    /// Returns what was not kept outside `.git` and build outputs, such as files that are too large.
    /// Changes of these cannot be taken back.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Scans again and records the differences as the changes of the call `call_id`, for
    /// [`Workspace::changes`] and [`Workspace::undo`].
    ///
    /// The scan uses the rules about ignored files of before, so that a command cannot hide what it
    /// changed. Changes of file tools and other calls since the checkpoint are not part of the call.
    ///
    /// # Errors
    /// Returns [`CheckpointError`] if the scan fails; nothing is recorded then.
    pub fn finish(
        self,
        call_id: &str,
        cancellation: &CancellationToken,
    ) -> Result<ChangedPaths, CheckpointError> {
        let workspace = &self.workspace;
        let mut state = workspace.shared.checkpoints.state();
        let state = &mut *state;
        let (after, gaps) = workspace.scan(state, &self.before, true, cancellation)?;
        let mut differences = self.differences(&after);
        state.latest = after;
        let others = self.others(state.store()?);
        let mut changed = ChangedPaths {
            notes: gaps.notes(),
            ..ChangedPaths::default()
        };
        differences.retain(|change| {
            let is_other = others.cover(change);
            let shown = workspace.shown_change(change);
            let shown = on_one_line(&shown).into_owned();
            let is_lost = |before: &State| !before.is_kept() && change.after.is_none();
            if change.before.as_ref().is_some_and(is_lost) {
                changed
                    .notes
                    .push(format!("`{shown}` was removed and is not kept."));
            }
            if is_other {
                changed.meanwhile.push(shown);
            } else if !is_of_repository(change.path()) {
                changed.paths.push(shown);
            }
            !is_other
        });
        if !differences.is_empty() {
            state.store()?.add(call_id, differences)?;
        }
        Ok(changed)
    }

    fn differences(&self, after: &[Scanned]) -> Vec<Change> {
        let mut changes = Vec::new();
        for old in &self.before {
            let Some(new) = after.iter().find(|new| new.root == old.root) else {
                continue;
            };
            let (root, old, new) = (old.root, &old.tree, &new.tree);
            let [before, after] = [old, new].map(|tree| State {
                item: Item::Directory,
                mode: tree.stamp.permissions(),
            });
            if before != after {
                changes.push(Change {
                    root,
                    path: ".".into(),
                    before: Some(before),
                    after: Some(after),
                });
            }
            tree::compare(root, Path::new(""), &old.nodes, &new.nodes, &mut changes);
        }
        changes
    }

    /// Returns the changes of others since the checkpoint.
    fn others(&self, store: &Store) -> OtherChanges {
        let history = &self.workspace.shared.history;
        let edits = history.since(self.next_mutation).into_iter().collect();
        let records = store.records.iter();
        let records = records.filter(|record| record.number >= self.next_record);
        let commands = records.flat_map(|record| &record.changes).map(|change| {
            let path = change.path().to_owned();
            ((change.root, path), change.after.clone())
        });
        OtherChanges {
            edits,
            commands: commands.collect(),
        }
    }
}

/// Changes by other calls, by root and path.
#[derive(Debug)]
struct OtherChanges {
    edits: HashSet<(usize, PathBuf)>,
    /// What the commands left.
    commands: HashMap<(usize, PathBuf), Option<State>>,
}

impl OtherChanges {
    fn cover(&self, change: &Change) -> bool {
        let place = (change.root, change.path().to_owned());
        let left = self.commands.get(&place);
        self.edits.contains(&place) || left.is_some_and(|after| *after == change.after)
    }
}

/// Returns whether a path is in the administrative part of a repository.
fn is_of_repository(path: &Path) -> bool {
    let mut parts = path.components();
    parts.any(|part| part.as_os_str() == git::REPOSITORY)
}

fn file_change(path: String, change: &Change, diff: Option<String>) -> FileChange {
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let is_directory = |state: Option<&State>| state.is_some_and(State::is_directory);
    let kind = match (before, after) {
        (None, _) if is_directory(after) => ChangeKind::CreatedDirectory,
        (None, _) => ChangeKind::Created,
        (_, None) if is_directory(before) => ChangeKind::RemovedDirectory,
        (_, None) => ChangeKind::Removed,
        _ => ChangeKind::Changed,
    };
    let digest = |state: Option<&State>| Some(state?.digest()?.to_hexadecimal());
    FileChange {
        path,
        kind,
        before: digest(before),
        after: digest(after),
        diff,
        kept: before.is_none_or(State::is_kept),
    }
}

tool_core::debug_fields!(Checkpoint, this => workspace: this.workspace, notes: this.notes);
