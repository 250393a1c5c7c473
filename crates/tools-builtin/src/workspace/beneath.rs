//! Opening entries beneath a directory, and never elsewhere.

use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, File, OpenOptions};

use super::platform;

/// Maximum number of attempts to resolve a directory that is replaced concurrently.
const ATTEMPTS: usize = 8;

#[cfg(test)]
#[cfg(target_os = "linux")]
pub(super) use kernel::pretend_missing;

/// Opens the file `path` beneath `dir` for reading, without waiting for the other end of a FIFO.
pub(super) fn open_file(dir: &Dir, path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    if let Some(outcome) = kernel::open(dir, path, kernel::file_flags(), kernel::following()) {
        return outcome.map(|file| File::from_std(file.into()));
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        use rustix::fs::OFlags;

        // Without `NONBLOCK`, opening a FIFO waits for a writer; without `NOCTTY`, a terminal could become our own.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    dir.open_with(path, &options)
}

/// Opens the directory `path` beneath `dir`.
pub(super) fn open_directory(dir: &Dir, path: &Path) -> io::Result<Dir> {
    #[cfg(target_os = "linux")]
    if let Some(outcome) = kernel::open(dir, path, kernel::directory_flags(), kernel::following()) {
        return outcome.map(|directory| Dir::from_std_file(directory.into()));
    }
    dir.open_dir(path)
}

/// Opens the directory `path` beneath `dir`. No component may be a symlink.
#[cfg(unix)]
pub(super) fn open_real_directory(dir: &Dir, path: &Path) -> io::Result<Dir> {
    if path.as_os_str().is_empty() {
        return dir.try_clone();
    }
    #[cfg(target_os = "linux")]
    if let Some(outcome) = kernel::open(dir, path, kernel::directory_flags(), kernel::no_links()) {
        return outcome.map(|directory| Dir::from_std_file(directory.into()));
    }
    path.components()
        .try_fold(dir.try_clone()?, |directory, part| {
            platform::open_subdirectory(&directory, part.as_ref())
        })
}

/// Opens the directory `path` beneath `dir`.
#[cfg(not(unix))]
pub(super) fn open_real_directory(dir: &Dir, path: &Path) -> io::Result<Dir> {
    if path.as_os_str().is_empty() {
        return dir.try_clone();
    }
    open_directory(dir, path)
}

/// Returns the real path of a directory beneath `root`.
pub(super) fn real_path(root: &Dir, directory: &str) -> io::Result<PathBuf> {
    if directory.is_empty() {
        return Ok(PathBuf::new());
    }
    let mut attempt = 0;
    loop {
        // The result is only a guess, because a component may change right after it. The open below proves it.
        let real = root.canonicalize(directory)?;
        let named = |part: &Component<'_>| matches!(part, Component::Normal(_));
        let real: PathBuf = real.components().filter(named).collect();
        attempt += 1;
        match open_real_directory(root, &real) {
            // A component was replaced by a symlink between the two steps.
            Err(error) if platform::is_link_loop(&error) && attempt < ATTEMPTS => {}
            outcome => return outcome.map(|_| real),
        }
    }
}

/// Creates the nested directories `missing` in `directory`, whose path is `real`.
pub(super) fn create_directories(
    directory: Dir,
    real: &Path,
    missing: &[&str],
) -> io::Result<(Dir, Vec<PathBuf>)> {
    let (mut directory, mut reached, mut created) = (directory, real.to_owned(), Vec::new());
    for name in missing {
        reached.push(name);
        if create_directory(&directory, name)? {
            created.push(reached.clone());
        }
        // Without following symlinks: what has the name may no longer be the directory that was just created.
        directory = platform::open_subdirectory(&directory, Path::new(name))?;
    }
    Ok((directory, created))
}

/// Creates one directory. Returns `false` if it exists.
fn create_directory(parent: &Dir, name: &str) -> io::Result<bool> {
    match parent.create_dir(Path::new(name)) {
        // Another writer created it first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        outcome => outcome.map(|()| true),
    }
}

/// On Linux, the kernel resolves a path beneath a handle.
#[cfg(target_os = "linux")]
mod kernel {
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    use cap_std::fs::Dir;
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    /// Maximum number of attempts: any concurrent rename on the machine may interrupt the
    /// resolution.
    const ATTEMPTS: usize = 64;

    /// Set if the kernel does not have `openat2`.
    static MISSING: AtomicBool = AtomicBool::new(false);

    pub(super) fn file_flags() -> OFlags {
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK
    }

    pub(super) fn directory_flags() -> OFlags {
        file_flags() | OFlags::DIRECTORY
    }

    pub(super) fn following() -> ResolveFlags {
        ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS
    }

    pub(super) fn no_links() -> ResolveFlags {
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS
    }

    fn is_missing() -> bool {
        #[cfg(test)]
        if PRETENDED.get() {
            return true;
        }
        MISSING.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    std::thread_local! {
        static PRETENDED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }

    /// Runs `work` as if the kernel did not have `openat2`, on this thread only.
    #[cfg(test)]
    pub(in crate::workspace) fn pretend_missing(work: impl FnOnce()) {
        PRETENDED.set(true);
        work();
        PRETENDED.set(false);
    }

    /// Returns `None` if the kernel cannot resolve the path, so that it is resolved by component.
    pub(super) fn open(
        dir: &Dir,
        path: &Path,
        flags: OFlags,
        resolve: ResolveFlags,
    ) -> Option<io::Result<OwnedFd>> {
        if is_missing() {
            return None;
        }
        for _ in 0..ATTEMPTS {
            match openat2(dir, path, flags, Mode::empty(), resolve) {
                Ok(opened) => return Some(Ok(opened)),
                // A rename anywhere on the machine can interrupt the resolution; the kernel then says to try again.
                Err(Errno::AGAIN) => {}
                // `RESOLVE_BENEATH` reports an escape as `EXDEV`. Convert it to the error of cap-std for `is_escape`.
                Err(Errno::XDEV) => return Some(Err(io::ErrorKind::PermissionDenied.into())),
                Err(Errno::NOSYS) => {
                    MISSING.store(true, Ordering::Relaxed);
                    return None;
                }
                // Some sandboxes return `EPERM` for unknown system calls.
                Err(Errno::PERM) => return None,
                Err(error) => return Some(Err(error.into())),
            }
        }
        None
    }
}
