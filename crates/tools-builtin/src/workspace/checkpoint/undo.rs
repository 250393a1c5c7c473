//! Taking back the recorded changes of a call.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::fs::symlinkat;
use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::scan::Scan;
use super::store::Record;
use super::tree::{Change, Item, Stamp, State};
use super::{CheckpointError, Checkpoints, access};
use crate::workspace::destination::Destination;
use crate::workspace::destination::Lock;
use crate::workspace::{Undone, Workspace, platform};

/// Permissions that the owner of a directory needs to change its entries.
const WRITABLE: u32 = 0o700;

/// Bits of a file's mode that are restored. A copy may have another owner, and must not run with the
/// rights of that one.
const FILE_MODE: u32 = 0o1777;

impl Workspace {
    /// Takes back the changes of a call that a checkpoint recorded; `None` if there is no record.
    pub(crate) fn undo_command(&self, call_id: &str) -> Option<Result<Undone, ToolError>> {
        let checkpoints: &Checkpoints = &self.shared.checkpoints;
        let mut state = checkpoints.state();
        let record = self.record_of(&mut state, call_id)?;
        // Not cancellable: a half of it would leave a state that never existed.
        let none = CancellationToken::new();
        let mut undo = Undo {
            workspace: self,
            scan: Scan::new(state.store.as_mut()?, true, Vec::new(), &none),
            modes: BTreeMap::new(),
            undone: Undone::default(),
            left: Vec::new(),
        };
        let outcome = undo.run(&record.changes).and_then(|()| undo.save(record));
        Some(match outcome {
            Ok(()) if undo.undone.restored.is_empty() && undo.undone.removed.is_empty() => {
                match undo.undone.conflicts.first() {
                    Some(path) => Err(conflict(path)),
                    None => Ok(undo.undone),
                }
            }
            Ok(()) => Ok(undo.undone),
            Err(error) => Err(failed(error)),
        })
    }
}

/// Undo of one record.
struct Undo<'u> {
    workspace: &'u Workspace,
    scan: Scan<'u>,
    /// Modes to set in the end: of directories that were made writable, and that were created.
    modes: BTreeMap<(usize, PathBuf), u32>,
    undone: Undone,
    /// Changes that are not taken back.
    left: Vec<Change>,
}

/// Change to take back, and the stamp of what the call left.
type Step<'c> = (&'c Change, Option<Stamp>);

impl Undo<'_> {
    fn run(&mut self, changes: &[Change]) -> Result<(), CheckpointError> {
        let steps = self.steps(changes);
        if let Ok(steps) = &steps {
            for step in steps.iter().rev() {
                self.attempt(step, Self::remove);
            }
            for step in steps {
                self.attempt(step, Self::restore);
            }
        }
        // After an error too, because the check may have made directories writable.
        self.set_modes();
        steps.map(|_| ())
    }

    /// Returns the changes that can be taken back.
    fn steps<'c>(&mut self, changes: &'c [Change]) -> Result<Vec<Step<'c>>, CheckpointError> {
        let mut steps = Vec::new();
        for change in changes {
            let now = self.state_now(change)?;
            let (now, stamp) = now.map_or((None, None), |(now, stamp)| (Some(now), Some(stamp)));
            if is_same(now.as_ref(), change.before.as_ref()) {
                continue;
            }
            let is_left = is_same(now.as_ref(), change.after.as_ref());
            if is_left && change.before.as_ref().is_none_or(State::is_restorable) {
                steps.push((change, stamp));
            } else {
                self.leave(change);
            }
        }
        Ok(steps)
    }

    /// Takes a step; an error leaves the change unchanged.
    fn attempt(&mut self, step: &Step<'_>, take: fn(&mut Self, &Step<'_>) -> io::Result<()>) {
        // Removal is one step and restoration another; the second must not hide that the first failed.
        if !self.left.contains(step.0) && take(self, step).is_err() {
            self.leave(step.0);
        }
    }

    fn leave(&mut self, change: &Change) {
        let shown = self.workspace.shown_change(change);
        self.undone.conflicts.push(shown);
        self.left.push(change.clone());
    }

    fn state_now(&mut self, change: &Change) -> Result<Option<(State, Stamp)>, CheckpointError> {
        let (parent, name) = split(change.path());
        let opened = if name == "." {
            // Opening the root would make it writable, and thereby another one than the call left.
            let root = self.workspace.root(change.root);
            root.map_or(Err(ErrorKind::NotFound.into()), |root| root.dir.try_clone())
        } else {
            self.open(change.root, parent)
        };
        let Ok(dir) = opened else {
            return Ok(None);
        };
        let is_unkept = |state: &State| matches!(state.item, Item::Unkept { .. });
        let is_read = !change.after.as_ref().is_some_and(is_unkept);
        self.scan.state(&dir, name, is_read)
    }

    /// Removes what the call added, or what is in the way of what it removed.
    fn remove(&mut self, &(change, stamp): &Step<'_>) -> io::Result<()> {
        let (Some(after), Some(stamp)) = (&change.after, stamp) else {
            return Ok(());
        };
        let is_replaced = |before: &State| {
            let files = matches!((&before.item, &after.item), (Item::File(_), Item::File(_)));
            let directories = before.is_directory() && after.is_directory();
            files || directories || before.item == after.item
        };
        if change.before.as_ref().is_some_and(is_replaced) {
            return Ok(());
        }
        let (parent, name) = split(change.path());
        let dir = self.open(change.root, parent)?;
        let _lock = self.lock(&dir, name)?;
        if after.is_directory() {
            dir.remove_dir(name)?;
            self.modes.remove(&key(change));
        } else {
            unchanged(&dir, name, stamp)?;
            dir.remove_file(name)?;
        }
        if change.before.is_none() {
            let shown = self.workspace.shown_change(change);
            self.undone.removed.push(shown);
        }
        Ok(())
    }

    /// Restores what the call changed or removed.
    fn restore(&mut self, &(change, stamp): &Step<'_>) -> io::Result<()> {
        let Some(before) = &change.before else {
            return Ok(());
        };
        let (parent, name) = split(change.path());
        let dir = self.open(change.root, parent)?;
        match &before.item {
            Item::Directory | Item::Opaque => {
                if !change.after.as_ref().is_some_and(State::is_directory) {
                    dir.create_dir(name)?;
                }
                // Its own mode may forbid to change its entries, so it comes last.
                access::set_mode(&dir, name, before.mode | WRITABLE)?;
                self.modes.insert(key(change), before.mode);
            }
            Item::Link(target) => symlinkat(target, &dir, name)?,
            Item::File(digest) => {
                let is_kept = change
                    .after
                    .as_ref()
                    .is_some_and(|after| after.digest() == Some(*digest));
                if !is_kept {
                    let content = self.scan.store.get(*digest)?;
                    let is_file = |after: &State| matches!(after.item, Item::File(_));
                    let old = stamp.filter(|_| change.after.as_ref().is_some_and(is_file));
                    self.write(change, dir.try_clone()?, &content, old)?;
                }
                access::set_mode(&dir, name, before.mode & FILE_MODE)?;
            }
            Item::Unkept { .. } | Item::Other(_) => return Err(ErrorKind::Unsupported.into()),
        }
        let shown = self.workspace.shown_change(change);
        self.undone.restored.push(shown);
        Ok(())
    }

    /// Writes a file next to its place and renames it, if the place is still as it was checked.
    fn write(
        &self,
        change: &Change,
        directory: Dir,
        content: &[u8],
        old: Option<Stamp>,
    ) -> io::Result<()> {
        let (_, name) = split(change.path());
        let _lock = self.lock(&directory, name)?;
        let destination = Destination {
            directory,
            name: name.into(),
            root: change.root,
            real: change.path().to_owned(),
            created: Vec::new(),
        };
        let metadata = match old {
            Some(old) => {
                let metadata = destination.metadata()?;
                unchanged(&destination.directory, name, old)?;
                Some(metadata)
            }
            None => None,
        };
        let none = CancellationToken::new();
        destination
            .write("call_id", content, metadata.as_ref(), None, &none)
            .map_err(io::Error::other)
    }

    fn lock(&self, dir: &Dir, name: &OsStr) -> io::Result<Lock> {
        let identity = platform::identity(&dir.dir_metadata()?);
        let key = (identity, name.into());
        let locked = self.workspace.acquire(key, &CancellationToken::new());
        locked.map_err(io::Error::other)
    }

    /// Opens a directory without following links, and makes it and those above it writable.
    fn open(&mut self, root: usize, path: &Path) -> io::Result<Dir> {
        let root_dir = &self.workspace.root(root).ok_or(ErrorKind::NotFound)?.dir;
        self.unlock(root_dir, OsStr::new("."), (root, PathBuf::from(".")))?;
        let (mut dir, mut reached) = (root_dir.try_clone()?, PathBuf::new());
        for name in path {
            reached.push(name);
            self.unlock(&dir, name, (root, reached.clone()))?;
            dir = platform::open_subdirectory(&dir, Path::new(name))?;
        }
        Ok(dir)
    }

    fn unlock(&mut self, dir: &Dir, name: &OsStr, key: (usize, PathBuf)) -> io::Result<()> {
        let stamp = Stamp::of_entry(dir, name)?;
        let mode = stamp.permissions();
        if stamp.kind() == rustix::fs::FileType::Directory && mode & WRITABLE != WRITABLE {
            access::set_mode(dir, name, mode | WRITABLE)?;
            self.modes.entry(key).or_insert(mode);
        }
        Ok(())
    }

    /// Sets the modes of directories, the deepest first.
    fn set_modes(&mut self) {
        while let Some(((root, path), mode)) = self.modes.pop_last() {
            let (parent, name) = split(&path);
            let dir = self.workspace.root(root).map(|root| &root.dir);
            let parent = dir.map(|dir| crate::workspace::beneath::open_real_directory(dir, parent));
            if let Some(Ok(parent)) = parent {
                // It fails only for a directory that is no longer there.
                let _ = access::set_mode(&parent, name, mode);
            }
        }
    }

    /// Keeps what was not taken back, so that its content stays known.
    fn save(&mut self, record: Record) -> Result<(), CheckpointError> {
        let store = &mut *self.scan.store;
        if self.left.is_empty() {
            store.remove(record.number)?;
        } else {
            let changes = std::mem::take(&mut self.left);
            store.save(Record { changes, ..record })?;
        }
        Ok(store.flush()?)
    }
}

fn key(change: &Change) -> (usize, PathBuf) {
    (change.root, change.path().to_owned())
}

/// Returns the parent and the name of a path beneath a root, which itself is `.`.
fn split(path: &Path) -> (&Path, &OsStr) {
    let parent = path.parent().unwrap_or(Path::new(""));
    (parent, path.file_name().unwrap_or(OsStr::new(".")))
}

fn unchanged(dir: &Dir, name: &OsStr, stamp: Stamp) -> io::Result<()> {
    if Stamp::of_entry(dir, name)? == stamp {
        Ok(())
    } else {
        Err(ErrorKind::ResourceBusy.into())
    }
}

fn is_same(left: Option<&State>, right: Option<&State>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => left.is_same(right),
        (left, right) => left.is_none() && right.is_none(),
    }
}

fn conflict(path: &str) -> ToolError {
    let sentence = format!(
        "`{path}` is not as the command left it, or its old content was not kept, so nothing was undone"
    );
    ToolError::new(ErrorCode::Conflict, sentence)
        .suggest("Undo the later calls first, or read the file and change it by hand.")
}

fn failed(error: CheckpointError) -> ToolError {
    ToolError::failed("The files cannot be restored")
        .suggest("Read the files and change them by hand.")
        .caused_by(error)
}
