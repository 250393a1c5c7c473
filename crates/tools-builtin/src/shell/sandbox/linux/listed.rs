//! Directories in `/etc` whose entries have their own rules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::stat;
use rustix::process::geteuid;

use super::etc::{ETC, PRIVATE};

/// Time for which a change may leave the time of the last change unchanged.
const RESOLUTION: Duration = Duration::from_secs(1);

/// Directories whose entries have their own rules, at one time.
#[derive(Debug)]
pub(super) struct ListedDirectories {
    paths: Vec<PathBuf>,
    directories: Vec<Directory>,
    read: Duration,
}

/// Inode and time of the last change; `None` if the directory is missing.
type Directory = Option<(u64, Duration)>;

impl ListedDirectories {
    /// Reads the current state of `/etc`, which has rules for entries only for root.
    pub(super) fn now() -> Self {
        if geteuid().is_root() {
            Self::below(Path::new(ETC))
        } else {
            Self::of(Vec::new())
        }
    }

    fn below(etc: &Path) -> Self {
        let above = PRIVATE.iter().map(Path::new);
        let above = above.flat_map(|path| path.ancestors().skip(1));
        let above: BTreeSet<&Path> = above.collect();
        Self::of(above.into_iter().map(|path| etc.join(path)).collect())
    }

    fn of(paths: Vec<PathBuf>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            read: now.unwrap_or_default(),
            directories: paths.iter().map(directory).collect(),
            paths,
        }
    }

    /// Returns whether no entry was added, removed or replaced since the state was read.
    pub(super) fn is_current(&self) -> bool {
        let mut directories = self.paths.iter().zip(&self.directories);
        directories.all(|(path, before)| self.is_settled(before) && *before == directory(path))
    }

    fn is_settled(&self, directory: &Directory) -> bool {
        directory.is_none_or(|(_, changed)| changed + RESOLUTION < self.read)
    }
}

fn directory(path: &PathBuf) -> Directory {
    let stat = stat(path).ok()?;
    // The change time, because programs can set the modification time.
    let seconds = u64::try_from(stat.st_ctime).ok()?;
    let nanoseconds = u32::try_from(stat.st_ctime_nsec).ok()?;
    Some((stat.st_ino, Duration::new(seconds, nanoseconds)))
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;

    #[test]
    fn detects_changed_entries() {
        let scratch = Scratch::new().file("ssl/a", "").file("hosts", "");
        let later = |listed: ListedDirectories| ListedDirectories {
            read: listed.read + 2 * RESOLUTION,
            ..listed
        };
        let recent = ListedDirectories::below(scratch.path());
        let settled = later(ListedDirectories::below(scratch.path()));
        assert!(!recent.is_current() && settled.is_current());

        let scratch = scratch.file("ssl/b", "");
        let changed = later(ListedDirectories::below(scratch.path()));
        assert!(!settled.is_current() && changed.is_current());

        let scratch = scratch.folder("docker");
        assert!(!changed.is_current());
        drop(scratch);
    }
}
