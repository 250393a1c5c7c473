//! Scans of a root: what is there, read beneath directory handles and without following links.

use std::ffi::{OsStr, OsString};
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
use super::tree::{Directory, Item, Node, Stamp, State};
use super::{CheckpointError, MAX_DEPTH, MAX_ENTRIES, MAX_FILE_BYTES, MAX_IGNORED_BYTES, access};
use crate::workspace::listing::{EntryKind, read_names};
use crate::workspace::platform;
use crate::workspace::rules::Rules;

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
        old: Option<&Directory>,
    ) -> Result<Directory, CheckpointError> {
        let context = Context {
            rules: None,
            tracked: None,
            is_ignored: false,
            is_output: false,
            zone: Zone::Files,
            depth: 0,
        };
        let directory = self.directory(root, old, context)?;
        self.store.flush()?;
        Ok(directory)
    }

    fn directory(
        &mut self,
        dir: &Dir,
        old: Option<&Directory>,
        mut context: Context,
    ) -> Result<Directory, CheckpointError> {
        let stamp = Stamp::of_handle(dir)?;
        let names = self.list(dir, &mut context)?;
        if self.keeps_rules
            && let Some(old) = old
        {
            context.rules.clone_from(&old.rules);
            context.tracked.clone_from(&old.tracked);
            context.is_ignored = old.is_ignored;
            context.is_output = old.is_output;
        }
        let mut nodes = Vec::with_capacity(names.len());
        for name in names {
            let known = old.and_then(|old| old.get(&name));
            self.path.push(&name);
            let node = self.node(dir, name, known, &context);
            self.path.pop();
            nodes.extend(node?);
        }
        Ok(Directory {
            stamp,
            nodes,
            rules: context.rules,
            tracked: context.tracked,
            is_ignored: context.is_ignored,
            is_output: context.is_output,
        })
    }

    /// Reads the names in a directory, sorted by their bytes, and what it adds to the rules.
    fn list(&self, dir: &Dir, context: &mut Context) -> Result<Vec<OsString>, CheckpointError> {
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
            context.tracked = self.tracked(dir).or_else(|| context.tracked.take());
        }
        let mut stored: Vec<OsString> = names.iter().map(|name| name.stored().to_owned()).collect();
        stored.sort_unstable();
        Ok(stored)
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
            FileType::Directory => (stamp, Item::Opaque),
            FileType::RegularFile if is_read => self.file(dir, name, stamp, MAX_FILE_BYTES)?,
            FileType::RegularFile => (stamp, Item::unkept(&stamp)),
            FileType::Symlink => (stamp, link(dir, name, &stamp)),
            _ => (stamp, Item::Other(stamp.mode)),
        };
        Ok(Some((State::of(item, &stamp), stamp)))
    }

    /// Returns the tracked paths of the repository in a directory.
    fn tracked(&self, dir: &Dir) -> Option<Arc<Tracked>> {
        let git = platform::open_subdirectory(dir, Path::new(git::REPOSITORY)).ok()?;
        Tracked::read(&git, &self.path).map(Arc::new)
    }

    /// Returns the entry at `self.path`; `None` if it is gone or does not count.
    fn node(
        &mut self,
        dir: &Dir,
        name: OsString,
        known: Option<&Node>,
        context: &Context,
    ) -> Result<Option<Node>, CheckpointError> {
        if context.zone == Zone::Git && !git::KEPT.iter().any(|kept| name == *kept) {
            return Ok(None);
        }
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(CheckpointError::TooManyEntries);
        }
        if self.entries.is_multiple_of(BETWEEN_CHECKS) && self.cancellation.is_cancelled() {
            return Err(CheckpointError::Cancelled);
        }
        let stamp = match Stamp::of_entry(dir, &name) {
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
            (FileType::RegularFile, Some(item @ Item::File(_)))
            | (FileType::Symlink, Some(item @ Item::Link(_))) => (stamp, item.clone()),
            (FileType::RegularFile, _) => match self.limit(known, context) {
                None => return Ok(None),
                Some(limit) => self.file(dir, &name, stamp, limit)?,
            },
            (FileType::Symlink, _) => (stamp, link(dir, &name, &stamp)),
            _ => (stamp, Item::Other(stamp.mode)),
        };
        Ok(Some(Node {
            name,
            stamp,
            settled: stamp.is_settled(self.started),
            item,
            below: None,
        }))
    }

    /// Returns the maximum size of a content to keep; `None` if the file does not count.
    fn limit(&self, known: Option<&Node>, context: &Context) -> Option<u64> {
        let is_tracked = || {
            let tracked = context.tracked.as_ref();
            tracked.is_some_and(|tracked| tracked.has_file(&self.path))
        };
        // A file that was kept before the command stays kept, regardless of its size.
        let was_kept = known.is_some_and(|known| matches!(known.item, Item::File(_)));
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
        name: OsString,
        stamp: Stamp,
        known: Option<&Node>,
        context: &Context,
    ) -> Result<Option<Node>, CheckpointError> {
        let below = self.entered(&name, stamp, known, context);
        let mut node = Node {
            name,
            stamp,
            settled: true,
            item: Item::Opaque,
            below: None,
        };
        let Some(below) = below else {
            return Ok((!context.is_output).then_some(node));
        };
        if below.depth > MAX_DEPTH {
            self.gaps.add(Gap::TooDeep, &self.path);
            return Ok(Some(node));
        }
        let old = known.and_then(|known| known.below.as_ref());
        let path = Path::new(&node.name);
        let open = || platform::open_subdirectory(dir, path);
        let scanned = match open() {
            // A command may have removed the permission of a directory that was readable before.
            Err(error)
                if error.kind() == ErrorKind::PermissionDenied
                    && self.keeps_rules
                    && old.is_some() =>
            {
                access::unlocked(dir, &node.name, stamp.permissions(), 0o700, || {
                    Ok(self.directory(&open()?, old, below))
                })
            }
            opened => opened.map(|inner| self.directory(&inner, old, below)),
        };
        match scanned {
            Ok(directory) => (node.item, node.below) = (Item::Directory, Some(directory?)),
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
        known: Option<&Node>,
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
                let is_known = known.is_some_and(|known| known.below.is_some());
                return (is_known || !self.keeps_rules).then_some(below);
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
            match known.map(|known| &known.item) {
                Some(Item::Directory) => return Some(below),
                Some(Item::Opaque) => return None,
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
    ) -> Result<(Stamp, Item), CheckpointError> {
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
                Some(digest) => return Ok((stamp, Item::File(digest))),
                None => Gap::Full,
            },
            Ok(Reading::TooLarge) if limit < MAX_FILE_BYTES => Gap::Ignored,
            Ok(Reading::TooLarge) => Gap::TooLarge,
            Ok(Reading::Unstable) => Gap::Unstable,
            Err(_) => Gap::Unreadable,
        };
        self.gaps.add(gap, &self.path);
        Ok((stamp, Item::unkept(&stamp)))
    }
}
