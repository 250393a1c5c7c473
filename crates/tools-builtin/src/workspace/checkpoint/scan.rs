//! Scans of a root: what is there, read beneath directory handles and without following links.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use cap_std::fs::Dir;
use rustix::fs::FileType;
use tool_core::CancellationToken;

use super::access::{Reading, link, read};
use super::gaps::{Gap, Gaps};
use super::git::{self, Tracked};
use super::store::Store;
use super::tree::{Directory, Node, NodeItem, Stamp, State};
use super::{CheckpointError, MAX_DEPTH, MAX_ENTRIES, MAX_FILE_BYTES, MAX_IGNORED_BYTES, access};
use crate::workspace::listing::{EntryKind, Name, read_names};
use crate::workspace::platform;
use crate::workspace::rules::Rules;

/// Files with rules about what is ignored. A directory that has one is always listed again.
const RULE_FILES: [&str; 5] = [".git", ".gitignore", ".ignore", ".jj", ".rgignore"];

/// Ignored directories that are kept as names, because a build makes them again. The command filter lets
/// commands delete them without approval.
pub(super) const BUILD_OUTPUTS: [&str; 27] = [
    ".cache",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".turbo",
    ".venv",
    "__pycache__",
    "_build",
    "build",
    "cmake-build-debug",
    "cmake-build-release",
    "coverage",
    "dist",
    "htmlcov",
    "node_modules",
    "obj",
    "out",
    "target",
    "venv",
    "zig-cache",
    "zig-out",
];

/// Entries between two checks for cancellation.
const BETWEEN_CHECKS: usize = 256;

/// Scan of one root.
#[derive(Debug)]
pub(super) struct Scan<'s> {
    pub(super) store: &'s mut Store,
    cancellation: &'s CancellationToken,
    /// Whether the rules about ignored files are those of the scan before: a command may change the
    /// rules, which must not hide what else it changed.
    keeps_rules: bool,
    /// Stamps of directories that are not entered: other roots that are read-only.
    excluded: Vec<Stamp>,
    started: SystemTime,
    entries: usize,
    /// Path beneath the root of the entry at hand.
    path: PathBuf,
    pub(super) gaps: Gaps,
}

/// What a directory passes to its entries.
#[derive(Debug, Clone)]
struct Context {
    rules: Option<Arc<Rules>>,
    tracked: Option<Arc<Tracked>>,
    is_ignored: bool,
    /// Whether it is in a build output, of which only the tracked files count.
    is_output: bool,
    zone: Zone,
    depth: usize,
}

/// Part of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zone {
    Files,
    /// In `.git`, of which a few names are kept.
    Git,
    /// In one of them.
    Refs,
}

impl<'s> Scan<'s> {
    pub(super) fn new(
        store: &'s mut Store,
        keeps_rules: bool,
        excluded: Vec<Stamp>,
        cancellation: &'s CancellationToken,
    ) -> Self {
        Self {
            store,
            cancellation,
            keeps_rules,
            excluded,
            started: SystemTime::now(),
            entries: 0,
            path: PathBuf::new(),
            gaps: Gaps::default(),
        }
    }

    /// Scans a root. `old` is its last scan.
    pub(super) fn root(
        &mut self,
        root: &Dir,
        old: Option<&Arc<Directory>>,
    ) -> Result<Arc<Directory>, CheckpointError> {
        let context = Context {
            rules: None,
            tracked: None,
            is_ignored: false,
            is_output: false,
            zone: Zone::Files,
            depth: 0,
        };
        let directory = self.directory(root, old, &context)?;
        self.store.flush()?;
        Ok(directory)
    }

    fn directory(
        &mut self,
        dir: &Dir,
        old: Option<&Arc<Directory>>,
        above: &Context,
    ) -> Result<Arc<Directory>, CheckpointError> {
        let stamp = Stamp::of_handle(dir)?;
        let mut context = above.clone();
        let reused = old.filter(|old| old.stamp == stamp && old.settled && !has_rules(old));
        let names = match reused {
            Some(old) => old.names(),
            None => self.list(dir, old, &mut context)?,
        };
        if self.keeps_rules
            && let Some(old) = old
        {
            context.rules.clone_from(&old.rules);
            context.tracked.clone_from(&old.tracked);
            context.is_ignored = old.is_ignored;
            context.is_output = old.is_output;
        }
        let mut nodes = Vec::with_capacity(names.len());
        let mut is_same = self.keeps_rules && old.is_some_and(|old| old.stamp == stamp);
        for name in names {
            let known = old.and_then(|old| old.get(&name));
            self.path.push(&*name);
            let node = self.node(dir, &name, known, &context);
            self.path.pop();
            let node = node?;
            is_same &= is_unchanged(known, node.as_ref());
            nodes.extend(node);
        }
        if let Some(old) = old
            && is_same
            && old.nodes.len() == nodes.len()
        {
            return Ok(Arc::clone(old));
        }
        Ok(Arc::new(Directory {
            stamp,
            nodes,
            settled: stamp.is_settled(self.started),
            rules: context.rules,
            tracked: context.tracked,
            is_ignored: context.is_ignored,
            is_output: context.is_output,
        }))
    }

    /// Reads the names in a directory, and what it adds to the rules.
    fn list(
        &self,
        dir: &Dir,
        old: Option<&Arc<Directory>>,
        context: &mut Context,
    ) -> Result<Vec<Arc<OsStr>>, CheckpointError> {
        let (names, is_whole) = match read_names(dir, context.depth > 0, MAX_ENTRIES) {
            // A directory that was removed since it was opened has no entries.
            Err(error) if context.depth > 0 && error.kind() == ErrorKind::NotFound => {
                return Ok(Vec::new());
            }
            names => names?,
        };
        if !is_whole {
            return Err(CheckpointError::TooManyEntries);
        }
        if context.zone == Zone::Files && !self.keeps_rules {
            let shown = self.path.to_string_lossy();
            let shown = if shown.is_empty() { "." } else { &shown };
            context.rules = Rules::of_directory(context.rules.take(), dir, shown, &names);
            context.tracked = self.tracked(dir, old).or_else(|| context.tracked.take());
        }
        Ok(sorted(&names))
    }

    /// Returns the state of the entry `name` now, with its stamp; `None` if there is nothing.
    pub(super) fn state(
        &mut self,
        dir: &Dir,
        name: &OsStr,
        is_read: bool,
    ) -> Result<Option<(State, Stamp)>, CheckpointError> {
        let stamp = match Stamp::of_entry(dir, name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            outcome => outcome?,
        };
        let (stamp, item) = match stamp.kind() {
            FileType::Directory => (stamp, NodeItem::Opaque),
            FileType::RegularFile if is_read => self.file(dir, name, stamp, MAX_FILE_BYTES)?,
            FileType::RegularFile => (stamp, NodeItem::Unkept),
            FileType::Symlink => (stamp, link(dir, name)),
            _ => (stamp, NodeItem::Other),
        };
        let node = Node {
            name: name.into(),
            stamp,
            settled: false,
            item,
        };
        Ok(Some((node.state(), stamp)))
    }

    /// Returns the tracked paths of the repository in a directory.
    fn tracked(&self, dir: &Dir, old: Option<&Arc<Directory>>) -> Option<Arc<Tracked>> {
        let git = platform::open_subdirectory(dir, Path::new(git::REPOSITORY)).ok()?;
        let known = old.and_then(|old| old.tracked.as_ref());
        match known.filter(|known| known.is_of(&self.path) && known.is_current(&git)) {
            Some(known) => Some(Arc::clone(known)),
            None => Tracked::read(&git, &self.path).map(Arc::new),
        }
    }

    /// Returns the entry at `self.path`; `None` if it is gone or does not count.
    fn node(
        &mut self,
        dir: &Dir,
        name: &Arc<OsStr>,
        known: Option<&Node>,
        context: &Context,
    ) -> Result<Option<Node>, CheckpointError> {
        if context.zone == Zone::Git && !git::KEPT.iter().any(|kept| **name == **kept) {
            return Ok(None);
        }
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(CheckpointError::TooManyEntries);
        }
        if self.entries.is_multiple_of(BETWEEN_CHECKS) && self.cancellation.is_cancelled() {
            return Err(CheckpointError::Cancelled);
        }
        let stamp = match Stamp::of_entry(dir, name) {
            Ok(stamp) => stamp,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(_) => {
                self.gaps.add(Gap::Unreadable, &self.path);
                return Ok(None);
            }
        };
        let kept = known.filter(|known| known.stamp == stamp && known.settled);
        let (stamp, item) = match (stamp.kind(), kept.map(|kept| &kept.item)) {
            (FileType::Directory, _) => return self.subdirectory(dir, name, stamp, known, context),
            (FileType::RegularFile, Some(item @ NodeItem::File(_)))
            | (FileType::Symlink, Some(item @ NodeItem::Link(_))) => (stamp, item.clone()),
            (FileType::RegularFile, _) => match self.limit(known, context) {
                None => return Ok(None),
                Some(limit) => self.file(dir, name, stamp, limit)?,
            },
            (FileType::Symlink, _) => (stamp, link(dir, name)),
            _ => (stamp, NodeItem::Other),
        };
        Ok(Some(Node {
            name: Arc::clone(name),
            stamp,
            settled: stamp.is_settled(self.started),
            item,
        }))
    }

    /// Returns the maximum size of a content to keep; `None` if the file does not count.
    fn limit(&self, known: Option<&Node>, context: &Context) -> Option<u64> {
        let is_tracked = || {
            let tracked = context.tracked.as_ref();
            tracked.is_some_and(|tracked| tracked.has_file(&self.path))
        };
        // A file that was kept before the command stays kept, regardless of its size.
        let was_kept = known.is_some_and(|known| matches!(known.item, NodeItem::File(_)));
        let was_kept = self.keeps_rules && was_kept;
        if was_kept || !self.is_ignored(context, EntryKind::File) || is_tracked() {
            return Some(MAX_FILE_BYTES);
        }
        (!context.is_output).then_some(MAX_IGNORED_BYTES)
    }

    fn is_ignored(&self, context: &Context, kind: EntryKind) -> bool {
        let ignores = |rules: &Arc<Rules>| rules.ignores(&self.path.to_string_lossy(), kind);
        context.zone == Zone::Files
            && (context.is_ignored || context.rules.as_ref().and_then(ignores) == Some(true))
    }

    fn subdirectory(
        &mut self,
        dir: &Dir,
        name: &Arc<OsStr>,
        stamp: Stamp,
        known: Option<&Node>,
        context: &Context,
    ) -> Result<Option<Node>, CheckpointError> {
        let mut node = Node {
            name: Arc::clone(name),
            stamp,
            settled: true,
            item: NodeItem::Opaque,
        };
        let old = known.map(|known| &known.item);
        let Some(below) = self.entered(name, stamp, old, context) else {
            return Ok((!context.is_output).then_some(node));
        };
        if below.depth > MAX_DEPTH {
            self.gaps.add(Gap::TooDeep, &self.path);
            return Ok(Some(node));
        }
        let old = match old {
            Some(NodeItem::Directory(old)) => Some(old),
            _ => None,
        };
        let opened = platform::open_subdirectory(dir, Path::new(&**name));
        match opened {
            Ok(inner) => node.item = NodeItem::Directory(self.directory(&inner, old, &below)?),
            // A command may have removed the permission of a directory that was readable before.
            Err(error)
                if error.kind() == ErrorKind::PermissionDenied
                    && self.keeps_rules
                    && old.is_some() =>
            {
                let opened = access::unlocked(dir, name, stamp.permissions(), 0o700, || {
                    let inner = platform::open_subdirectory(dir, Path::new(&**name))?;
                    Ok(self.directory(&inner, old, &below))
                });
                match opened {
                    Ok(directory) => node.item = NodeItem::Directory(directory?),
                    Err(_) => self.gaps.add(Gap::Unreadable, &self.path),
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(_) => self.gaps.add(Gap::Unreadable, &self.path),
        }
        Ok(Some(node))
    }

    /// Returns the context below a directory; `None` if it is not entered.
    fn entered(
        &self,
        name: &OsStr,
        stamp: Stamp,
        old: Option<&NodeItem>,
        above: &Context,
    ) -> Option<Context> {
        let mut below = Context {
            depth: above.depth + 1,
            ..above.clone()
        };
        match above.zone {
            Zone::Git | Zone::Refs => {
                below.zone = Zone::Refs;
                return Some(below);
            }
            Zone::Files if name == git::REPOSITORY => {
                // A repository that the command made is a name: undo must not remove half of it.
                below.zone = Zone::Git;
                let is_new = self.keeps_rules && !matches!(old, Some(NodeItem::Directory(_)));
                return (!is_new).then_some(below);
            }
            Zone::Files => {}
        }
        let is_excluded = |root: &Stamp| root.is_same_file(&stamp);
        if git::OTHER_REPOSITORIES.iter().any(|other| name == *other)
            || self.excluded.iter().any(is_excluded)
        {
            return None;
        }
        if self.keeps_rules {
            match old {
                Some(NodeItem::Directory(_)) => return Some(below),
                Some(NodeItem::Opaque) => return None,
                _ => {}
            }
        }
        if self.is_ignored(above, EntryKind::Directory) {
            below.is_ignored = true;
            below.is_output |= BUILD_OUTPUTS.iter().any(|output| name == *output);
            let tracked = above.tracked.as_ref();
            let is_tracked = || tracked.is_some_and(|tracked| tracked.has_files_in(&self.path));
            return (!below.is_output || is_tracked()).then_some(below);
        }
        Some(below)
    }

    /// Reads the file at `self.path` and keeps its content.
    fn file(
        &mut self,
        dir: &Dir,
        name: &OsStr,
        stamp: Stamp,
        limit: u64,
    ) -> Result<(Stamp, NodeItem), CheckpointError> {
        let content = match read(dir, name, limit) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied && self.keeps_rules => {
                let content = access::unlocked(dir, name, stamp.permissions(), 0o400, || {
                    read(dir, name, limit)
                });
                // The mode is the old one again, and not that of the handle.
                content.and_then(|content| match content {
                    Reading::Stable(content, _) => {
                        Ok(Reading::Stable(content, Stamp::of_entry(dir, name)?))
                    }
                    other => Ok(other),
                })
            }
            outcome => outcome,
        };
        let gap = match content {
            Ok(Reading::Stable(content, stamp)) => match self.store.put(&content)? {
                Some(digest) => return Ok((stamp, NodeItem::File(digest))),
                None => Gap::Full,
            },
            Ok(Reading::TooLarge) if limit < MAX_FILE_BYTES => Gap::Ignored,
            Ok(Reading::TooLarge) => Gap::TooLarge,
            Ok(Reading::Unstable) => Gap::Unstable,
            Err(_) => Gap::Unreadable,
        };
        self.gaps.add(gap, &self.path);
        Ok((stamp, NodeItem::Unkept))
    }
}

fn has_rules(directory: &Directory) -> bool {
    let mut rules = RULE_FILES.iter();
    rules.any(|name| directory.get(OsStr::new(name)).is_some())
}

/// Returns the names as on disk, sorted by their bytes.
fn sorted(names: &[Name]) -> Vec<Arc<OsStr>> {
    let stored = names.iter().map(|name| Arc::from(name.stored()));
    let mut sorted: Vec<Arc<OsStr>> = stored.collect();
    sorted.sort_unstable();
    sorted
}

/// Returns whether a scan found an entry exactly as the last one did.
fn is_unchanged(old: Option<&Node>, new: Option<&Node>) -> bool {
    let (Some(old), Some(new)) = (old, new) else {
        return false;
    };
    old.stamp == new.stamp
        && old.settled == new.settled
        && match (&old.item, &new.item) {
            (NodeItem::Directory(old), NodeItem::Directory(new)) => Arc::ptr_eq(old, new),
            (NodeItem::File(old), NodeItem::File(new)) => old == new,
            (NodeItem::Link(old), NodeItem::Link(new)) => old == new,
            (NodeItem::Opaque, NodeItem::Opaque)
            | (NodeItem::Unkept, NodeItem::Unkept)
            | (NodeItem::Other, NodeItem::Other) => true,
            _ => false,
        }
}
