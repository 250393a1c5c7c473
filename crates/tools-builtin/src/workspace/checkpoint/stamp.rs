//! Attributes of entries, which tell whether something has changed.

use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType, Statx, StatxFlags, StatxTimestamp, statx};

/// Time before a scan within which a change may share its timestamp with a later one. The kernel
/// advances file times with its clock tick, which takes at most 10 ms.
const UNSETTLED: Duration = Duration::from_millis(100);

/// Like [`UNSETTLED`], for file systems that store whole seconds, or two of them.
const UNSETTLED_SECONDS: Duration = Duration::from_secs(2);

/// Attributes of an entry that change with its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: (u32, u32),
    pub(super) inode: u64,
    pub(super) size: u64,
    pub(super) modified: (i64, u32),
    changed: (i64, u32),
    pub(super) mode: u32,
}

impl Stamp {
    /// Reads the stamp of the entry `name` of a directory. Symlinks are not followed.
    pub(crate) fn of_entry(directory: impl AsFd, name: &OsStr) -> io::Result<Self> {
        let stat = statx(
            directory,
            name,
            AtFlags::SYMLINK_NOFOLLOW,
            StatxFlags::BASIC_STATS,
        )?;
        Ok(Self::new(&stat))
    }

    /// Reads the stamp of an open file or directory.
    pub(crate) fn of_handle(handle: impl AsFd) -> io::Result<Self> {
        let stat = statx(handle, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS)?;
        Ok(Self::new(&stat))
    }

    fn new(stat: &Statx) -> Self {
        let time = |time: &StatxTimestamp| (time.tv_sec, time.tv_nsec);
        Self {
            device: (stat.stx_dev_major, stat.stx_dev_minor),
            inode: stat.stx_ino,
            size: stat.stx_size,
            modified: time(&stat.stx_mtime),
            changed: time(&stat.stx_ctime),
            mode: stat.stx_mode.into(),
        }
    }

    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }

    /// Returns the permission bits.
    pub(super) fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    /// Returns the device and the inode, which a file or directory keeps when it is moved.
    pub(crate) fn identity(&self) -> ((u32, u32), u64) {
        (self.device, self.inode)
    }

    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }

    /// Returns whether every later change will show in the stamp: a second change within one tick of
    /// the clock does not move the times, so a file that changed shortly before `scan` is not
    /// settled, and the next scan reads it again.
    pub(crate) fn is_settled(&self, scan: SystemTime) -> bool {
        let (seconds, nanoseconds) = self.changed;
        let margin = match nanoseconds {
            0 => UNSETTLED_SECONDS,
            _ => UNSETTLED,
        };
        let changed = u64::try_from(seconds).map_or(Duration::ZERO, Duration::from_secs)
            + Duration::from_nanos(nanoseconds.into());
        let scan = scan.duration_since(UNIX_EPOCH).unwrap_or_default();
        changed + margin < scan
    }
}
