//! Opening what is beneath a folder, and never what is elsewhere.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File, OpenOptions};

#[cfg(test)]
#[cfg(target_os = "linux")]
pub(super) use kernel::pretend_missing;

/// Opens the file `path` beneath `dir` for reading, without waiting for the other end of a pipe.
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

        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    dir.open_with(path, &options)
}

/// Opens the folder `path` beneath `dir`.
pub(super) fn open_folder(dir: &Dir, path: &Path) -> io::Result<Dir> {
    #[cfg(target_os = "linux")]
    if let Some(outcome) = kernel::open(dir, path, kernel::folder_flags(), kernel::following()) {
        return outcome.map(|folder| Dir::from_std_file(folder.into()));
    }
    dir.open_dir(path)
}

/// Opens the folder `path` beneath `dir`, on the way to which there may be no link at all.
#[cfg(unix)]
pub(super) fn open_real_folder(dir: &Dir, path: &Path) -> io::Result<Dir> {
    if path.as_os_str().is_empty() {
        return dir.try_clone();
    }
    #[cfg(target_os = "linux")]
    if let Some(outcome) = kernel::open(dir, path, kernel::folder_flags(), kernel::no_links()) {
        return outcome.map(|folder| Dir::from_std_file(folder.into()));
    }
    let parts = path.components().map(|part| Path::new(part.as_os_str()));
    parts
        .into_iter()
        .try_fold(dir.try_clone()?, |folder, part| {
            super::platform::open_subfolder(&folder, part)
        })
}

/// Opens the folder `path` beneath `dir`.
#[cfg(not(unix))]
pub(super) fn open_real_folder(dir: &Dir, path: &Path) -> io::Result<Dir> {
    if path.as_os_str().is_empty() {
        return dir.try_clone();
    }
    open_folder(dir, path)
}

/// The way of Linux: the kernel itself keeps a path beneath a handle.
#[cfg(target_os = "linux")]
mod kernel {
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    use cap_std::fs::Dir;
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    /// How often a path is looked up again when something was renamed meanwhile, anywhere on the machine.
    const ATTEMPTS: usize = 64;

    /// Set when the kernel does not know the call.
    static MISSING: AtomicBool = AtomicBool::new(false);

    pub(super) fn file_flags() -> OFlags {
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK
    }

    pub(super) fn folder_flags() -> OFlags {
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

    /// Does `work` as where the kernel does not know the call, as far as this thread does it.
    #[cfg(test)]
    pub(in crate::workspace) fn pretend_missing(work: impl FnOnce()) {
        PRETENDED.set(true);
        work();
        PRETENDED.set(false);
    }

    /// `None` when the kernel cannot say, and the path has to be walked part by part.
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
                Err(Errno::AGAIN) => {}
                Err(Errno::XDEV) => return Some(Err(io::ErrorKind::PermissionDenied.into())),
                Err(Errno::NOSYS) => {
                    MISSING.store(true, Ordering::Relaxed);
                    return None;
                }
                // Some sandboxes answer so to a call they do not know.
                Err(Errno::PERM) => return None,
                Err(error) => return Some(Err(error.into())),
            }
        }
        None
    }
}
