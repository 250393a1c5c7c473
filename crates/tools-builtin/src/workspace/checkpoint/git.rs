//! What a checkpoint knows of Git, without running it: the tracked paths, and the entries of `.git`
//! that it keeps.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use cap_std::fs::Dir;

use crate::workspace::{File, platform};

/// Name of a repository in a directory.
pub(super) const REPOSITORY: &str = ".git";

/// Directories of other version control systems, which are kept as names.
pub(super) const OTHER_REPOSITORIES: [&str; 3] = [".hg", ".jj", ".svn"];

/// Entries of `.git` that are kept: where the branches and stashes are, and where they were.
pub(super) const KEPT: [&str; 4] = ["HEAD", "logs", "packed-refs", "refs"];

/// Maximum size in bytes of an index. One entry needs about 100 bytes.
const MAX_INDEX_BYTES: u64 = 64 * 1024 * 1024;

/// Size in bytes of an index entry before its flags: times, device, inode, mode, owner, size.
const STAT_BYTES: usize = 40;
/// Extended flags, if this bit of the flags is set.
const EXTENDED: u16 = 0x4000;

/// Paths in the index of a repository.
#[derive(Debug)]
pub(super) struct Tracked {
    /// Length of the path of the repository's directory, with its slash.
    prefix: usize,
    /// Sorted by their bytes.
    paths: Vec<Box<[u8]>>,
}

impl Tracked {
    /// Reads the index of the repository `git`, whose working tree is the directory at `path`. An
    /// index that is missing or unreadable tracks nothing: its ignored files then count as ignored.
    pub(super) fn read(git: &Dir, path: &Path) -> Option<Self> {
        let handle = platform::open_entry(git, Path::new("index")).ok()?;
        let mut file = File::of("index", handle, String::new()).ok()?;
        let mut paths = parse(&file.read(MAX_INDEX_BYTES).ok()?)?;
        paths.sort_unstable();
        let prefix = path.as_os_str().len();
        Some(Self {
            prefix: prefix + usize::from(prefix > 0),
            paths,
        })
    }

    /// Returns whether the file at `path` beneath the root is tracked.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        let below = self.below(path);
        let found = self
            .paths
            .binary_search_by(|tracked| (**tracked).cmp(below));
        found.is_ok()
    }

    /// Returns whether a file in the directory at `path` beneath the root is tracked.
    pub(super) fn has_files_in(&self, path: &Path) -> bool {
        let below = [self.below(path), b"/"].concat();
        let first = self.paths.partition_point(|tracked| **tracked < *below);
        self.paths
            .get(first)
            .is_some_and(|tracked| tracked.starts_with(&below))
    }

    fn below<'p>(&self, path: &'p Path) -> &'p [u8] {
        path.as_os_str()
            .as_bytes()
            .get(self.prefix..)
            .unwrap_or_default()
    }
}

/// Returns the paths of an index of version 2, 3 or 4; `None` if it is not one.
fn parse(index: &[u8]) -> Option<Vec<Box<[u8]>>> {
    let mut rest = index.strip_prefix(b"DIRC")?;
    let version = number(&mut rest)?;
    let count = number(&mut rest)?;
    let mut paths: Vec<Box<[u8]>> = Vec::new();
    for _ in 0..count {
        let start = rest.len();
        take(&mut rest, STAT_BYTES)?;
        // The object's name: SHA-1. A repository with SHA-256 has another format, which fails below.
        take(&mut rest, 20)?;
        let flags = u16::from_be_bytes(take(&mut rest, 2)?.try_into().ok()?);
        if version >= 3 && flags & EXTENDED != 0 {
            take(&mut rest, 2)?;
        }
        let shared = if version == 4 {
            let dropped = variable(&mut rest)?;
            let last: &[u8] = paths.last().map_or(&[], |last| last);
            last.get(..last.len().checked_sub(dropped)?)?.to_vec()
        } else {
            Vec::new()
        };
        let end = memchr::memchr(0, rest)?;
        let name = take(&mut rest, end)?;
        paths.push([&shared, name].concat().into());
        // One to eight NULs end an entry, so that its length is a multiple of eight.
        let padding = match version {
            4 => 1,
            _ => 8 - (start - rest.len()) % 8,
        };
        take(&mut rest, padding)?;
    }
    Some(paths)
}

fn take<'i>(rest: &mut &'i [u8], length: usize) -> Option<&'i [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(take(rest, 4)?.try_into().ok()?))
}

/// Reads a number in the encoding of pack offsets.
fn variable(rest: &mut &[u8]) -> Option<usize> {
    let mut value: usize = 0;
    loop {
        let [byte] = take(rest, 1)? else {
            return None;
        };
        value = value
            .checked_shl(7)?
            .checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}
