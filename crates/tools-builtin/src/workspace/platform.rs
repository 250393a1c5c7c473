//! What differs between operating systems.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File, Metadata, OpenOptions};

/// Opens `path` beneath `dir` for reading, without waiting for the other end of a pipe.
pub(super) fn open_beneath(dir: &Dir, path: &Path) -> io::Result<File> {
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

/// Opens the entry `name` of `dir` for reading; a link is not followed.
#[cfg(unix)]
pub(super) fn open_entry(dir: &Dir, name: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;

    open_single(dir, name, OFlags::NONBLOCK | OFlags::NOCTTY).map(File::from_std)
}

/// Opens the entry `name` of `dir` as a folder; a link is not followed.
#[cfg(unix)]
pub(super) fn open_subfolder(dir: &Dir, name: &Path) -> io::Result<Dir> {
    use rustix::fs::OFlags;

    open_single(dir, name, OFlags::DIRECTORY).map(Dir::from_std_file)
}

// One name and no link: nothing is resolved, so nothing can lead out.
#[cfg(unix)]
fn open_single(dir: &Dir, name: &Path, flags: rustix::fs::OFlags) -> io::Result<std::fs::File> {
    use rustix::fs::{Mode, OFlags, openat};

    let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(dir, name, flags, Mode::empty())?.into())
}

/// Opens the entry `name` of `dir` for reading.
#[cfg(not(unix))]
pub(super) fn open_entry(dir: &Dir, name: &Path) -> io::Result<File> {
    open_beneath(dir, name)
}

/// Opens the entry `name` of `dir` as a folder.
#[cfg(not(unix))]
pub(super) fn open_subfolder(dir: &Dir, name: &Path) -> io::Result<Dir> {
    dir.open_dir(name)
}

/// Which file this is, apart from its name, where the operating system says so.
#[cfg(unix)]
pub(super) fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use cap_std::fs::MetadataExt;

    Some((metadata.dev(), metadata.ino()))
}

/// Which file this is, apart from its name, where the operating system says so.
#[cfg(not(unix))]
pub(super) fn identity(_metadata: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Whether following links never came to an end.
#[cfg(unix)]
pub(super) fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// Whether following links never came to an end.
#[cfg(not(unix))]
pub(super) fn is_link_loop(_error: &io::Error) -> bool {
    false
}

/// Whether this is what opening a socket, or a device without hardware, gives.
#[cfg(unix)]
pub(super) fn is_endpoint(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

/// Whether this is what opening a socket, or a device without hardware, gives.
#[cfg(not(unix))]
pub(super) fn is_endpoint(_error: &io::Error) -> bool {
    false
}
