//! Mounts that hold what Git runs: in a mount namespace of the command, the settings and hooks of a root's repository are
//! read-only, and the repository cannot be replaced. So nobody sees a change of them, even while the command runs or
//! after the host was killed. What cannot be mounted is restored after the command: other names, and missing ones.
//!
//! The kernel gives them only to a host with `CAP_SYS_ADMIN`. Others would need a helper program (docs/decisions/0009).

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{
    CWD, FileType, Mode, OFlags, ResolveFlags, StatVfsMountFlags, fstat, fstatvfs, openat2, stat,
};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount_change, mount_remount,
    move_mount, open_tree,
};
use rustix::process::fchdir;

use super::repositories::{Identity, identity};

/// Mount namespace of a command.
#[derive(Debug)]
pub(super) struct Namespace {
    mounts: Vec<Mounts>,
    /// Working directory of the command.
    directory: Place,
}

/// What to mount below one root.
#[derive(Debug)]
pub(super) struct Mounts {
    root: Place,
    entries: Vec<Entry>,
}

/// Directory that is opened again in a namespace, because handles of the host belong to the host's.
#[derive(Debug)]
struct Place {
    /// Path without links.
    path: PathBuf,
    identity: Identity,
}

#[derive(Debug)]
struct Entry {
    /// Path in the root.
    path: PathBuf,
    is_read_only: bool,
}

impl Mounts {
    /// Starts the mounts below the root `handle` with the path `real`.
    pub(super) fn below(real: &Path, handle: BorrowedFd<'_>) -> io::Result<Self> {
        let root = Place {
            path: real.to_owned(),
            identity: identity(&fstat(handle)?),
        };
        let entries = Vec::new();
        Ok(Self { root, entries })
    }

    /// Adds an entry, after those above it. It stays as it is if it is missing, or neither a file nor a directory.
    pub(super) fn add(&mut self, path: impl Into<PathBuf>, is_read_only: bool) {
        let path = path.into();
        self.entries.push(Entry { path, is_read_only });
    }

    fn apply(&self) -> io::Result<()> {
        let root = self.root.open()?;
        for entry in &self.entries {
            let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            match open(root.as_fd(), &entry.path, within) {
                Ok(opened) => entry.mount(&opened)?,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

impl Entry {
    /// Mounts the entry over itself. A mount point can't be renamed, removed or replaced.
    fn mount(&self, opened: &OwnedFd) -> io::Result<()> {
        let kind = FileType::from_raw_mode(fstat(opened)?.st_mode);
        if !matches!(kind, FileType::RegularFile | FileType::Directory) {
            return Ok(());
        }
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_EMPTY_PATH
            | OpenTreeFlags::AT_RECURSIVE;
        let tree = open_tree(opened, "", flags)?;
        let onto =
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
        move_mount(&tree, "", opened, "", onto)?;
        if self.is_read_only {
            let path = format!("/proc/thread-self/fd/{}", tree.as_raw_fd());
            let flags = kept(fstatvfs(&tree)?.f_flag) | MountFlags::BIND | MountFlags::RDONLY;
            mount_remount(path, flags, "")?;
        }
        Ok(())
    }
}

/// Returns the flags of a mount, which a user namespace may not remove.
fn kept(flags: StatVfsMountFlags) -> MountFlags {
    [
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ]
    .into_iter()
    .filter(|(flag, _)| flags.contains(*flag))
    .fold(MountFlags::empty(), |kept, (_, flag)| kept | flag)
}

fn open(
    directory: BorrowedFd<'_>,
    path: &Path,
    within: ResolveFlags,
) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat2(directory, path, flags, Mode::empty(), within)
}

impl Place {
    fn open(&self) -> io::Result<OwnedFd> {
        let opened = open(CWD, &self.path, ResolveFlags::NO_SYMLINKS)?;
        if identity(&fstat(&opened)?) == self.identity {
            Ok(opened)
        } else {
            Err(io::Error::other("a directory was replaced"))
        }
    }
}

impl Namespace {
    /// `directory` is the path of the working directory in `/proc`.
    #[expect(clippy::disallowed_methods, reason = "a path of /proc, only inspected")]
    pub(super) fn new(mounts: Vec<Mounts>, directory: &Path) -> io::Result<Self> {
        let directory = Place {
            path: std::fs::read_link(directory)?,
            identity: identity(&stat(directory)?),
        };
        Ok(Self { mounts, directory })
    }

    /// Moves the current thread, and the programs that it will start, to the namespace and to the working directory.
    pub(super) fn enter(&self) -> io::Result<()> {
        separate()?;
        self.mounts.iter().try_for_each(Mounts::apply)?;
        // A thread with a mount namespace has a working directory of its own. The host's handle of it would lead to the
        // host's namespace, where nothing is read-only.
        Ok(fchdir(self.directory.open()?)?)
    }
}

fn separate() -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    // Otherwise the mounts could appear in the host's namespace.
    let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    Ok(mount_change("/", private)?)
}

/// Returns whether this process can give programs a mount namespace.
pub(super) fn is_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        let try_out = || {
            separate()?;
            let itself = open(CWD, Path::new("/proc"), ResolveFlags::empty())?;
            let (path, is_read_only) = (PathBuf::new(), true);
            Entry { path, is_read_only }.mount(&itself)
        };
        let tried = thread::Builder::new().spawn(try_out);
        tried.is_ok_and(|thread| thread.join().is_ok_and(|mounted| mounted.is_ok()))
    })
}
