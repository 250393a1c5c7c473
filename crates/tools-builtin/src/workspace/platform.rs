//! What differs between operating systems.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File, Metadata, OpenOptions};

/// Opens the entry `name` of `dir` for reading; a link is not followed.
#[cfg(unix)]
pub(super) fn open_entry(dir: &Dir, name: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;

    open_single(dir, name, OFlags::NONBLOCK | OFlags::NOCTTY).map(File::from_std)
}

/// Opens the entry `name` of `dir` for reading, and for writing behind its end; a link is not followed.
#[cfg(unix)]
pub(super) fn open_to_append(dir: &Dir, name: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;

    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::NONBLOCK | OFlags::NOCTTY;
    open_single(dir, name, flags).map(File::from_std)
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
    super::beneath::open_file(dir, name)
}

/// Opens the entry `name` of `dir` for reading, and for writing behind its end.
#[cfg(not(unix))]
pub(super) fn open_to_append(dir: &Dir, name: &Path) -> io::Result<File> {
    dir.open_with(name, OpenOptions::new().read(true).append(true))
}

/// Opens the entry `name` of `dir` as a folder.
#[cfg(not(unix))]
pub(super) fn open_subfolder(dir: &Dir, name: &Path) -> io::Result<Dir> {
    dir.open_dir(name)
}

/// Which file this is, apart from its name, where the operating system says so.
#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "other operating systems have none"
)]
pub(super) fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use cap_std::fs::MetadataExt;

    Some((metadata.dev(), metadata.ino()))
}

/// Which file this is, apart from its name, where the operating system says so.
#[cfg(not(unix))]
pub(super) fn identity(_metadata: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Whether a file has other names, which may be anywhere.
#[cfg(unix)]
pub(super) fn has_several_names(metadata: &Metadata) -> bool {
    use cap_std::fs::MetadataExt;

    metadata.nlink() > 1
}

/// Whether a file has other names, which may be anywhere.
#[cfg(not(unix))]
pub(super) fn has_several_names(_metadata: &Metadata) -> bool {
    false
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

/// The size of the entry `name` of `dir` in bytes; a link is not followed.
#[cfg(unix)]
pub(super) fn size_of(dir: &Dir, name: &Path) -> io::Result<u64> {
    use rustix::fs::{AtFlags, statat};

    let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(u64::try_from(stat.st_size).unwrap_or_default())
}

/// The size of the entry `name` of `dir` in bytes; a link is not followed.
#[cfg(not(unix))]
pub(super) fn size_of(dir: &Dir, name: &Path) -> io::Result<u64> {
    dir.symlink_metadata(name).map(|metadata| metadata.len())
}

/// The size of an open file in bytes; an error for what is no regular file.
#[cfg(all(unix, feature = "search"))]
pub(super) fn size_of_regular(file: &File) -> io::Result<u64> {
    use rustix::fs::{FileType, fstat};

    let stat = fstat(file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(u64::try_from(stat.st_size).unwrap_or_default())
}

/// The size of an open file in bytes; an error for what is no regular file.
#[cfg(all(not(unix), feature = "search"))]
pub(super) fn size_of_regular(file: &File) -> io::Result<u64> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(metadata.len())
}

/// Reads the next bytes of a file.
#[cfg(all(unix, feature = "search"))]
pub(super) fn read(file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    // The call itself, without what libc does in front of it and behind for threads that may be cancelled.
    Ok(rustix::io::read(file, buffer)?)
}

/// Reads the next bytes of a file.
#[cfg(all(not(unix), feature = "search"))]
pub(super) fn read(mut file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    io::Read::read(&mut file, buffer)
}

/// Sets the mode of a file that is about to be made.
#[cfg(unix)]
pub(super) fn set_mode(options: &mut OpenOptions, mode: u32) {
    use cap_std::fs::OpenOptionsExt;

    options.mode(mode);
}

/// Sets the mode of a file that is about to be made.
#[cfg(not(unix))]
pub(super) fn set_mode(_options: &mut OpenOptions, _mode: u32) {}

/// Gives a new file the owner, where that is permitted, and the mode of the one it replaces.
#[cfg(unix)]
pub(super) fn copy_owner_and_mode(old: &Metadata, new: &File) -> io::Result<()> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
    use rustix::fs::{Gid, Uid, fchown};

    let own = new.metadata()?;
    if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
        // Only root may give a file away. Changing the owner clears bits of the mode, so it comes first.
        let _ = fchown(
            new,
            Some(Uid::from_raw(old.uid())),
            Some(Gid::from_raw(old.gid())),
        );
    }
    // As when a file is written in place: new content may not run with the rights of the file's owner or group.
    new.set_permissions(Permissions::from_mode(old.mode() & 0o1777))
}

/// Gives a new file the owner, where that is permitted, and the mode of the one it replaces.
#[cfg(not(unix))]
pub(super) fn copy_owner_and_mode(old: &Metadata, new: &File) -> io::Result<()> {
    new.set_permissions(old.permissions())
}

/// Gives a new file the attributes that users and access lists set for the one it replaces, as far as the disk can.
///
/// Others stay behind: new content may not have the capabilities that old content was trusted with.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn copy_attributes(dir: &Dir, name: &Path, new: &File) {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};

    // As much as Linux takes for all names, and for one value.
    let (mut names, mut value) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    let Ok(old) = open_entry(dir, name) else {
        return;
    };
    let length = flistxattr(&old, &mut names[..]).unwrap_or_default();
    let names = names.get(..length).unwrap_or_default();
    for name in names.split(|byte| *byte == 0) {
        if !name.starts_with(b"user.") && name != b"system.posix_acl_access" {
            continue;
        }
        if let Ok(length) = fgetxattr(&old, name, &mut value[..]) {
            let value = value.get(..length).unwrap_or_default();
            // A disk without such attributes is no reason not to write.
            let _ = fsetxattr(new, name, value, XattrFlags::empty());
        }
    }
}

/// Gives a new file the attributes of the one it replaces, as far as the disk can.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn copy_attributes(_dir: &Dir, _name: &Path, _new: &File) {}

/// Refuses a file that may not be written: replacing it would get round that.
#[cfg(unix)]
pub(super) fn check_writable(dir: &Dir, name: &Path, _metadata: &Metadata) -> io::Result<()> {
    use rustix::fs::{Access, AtFlags, accessat};

    Ok(accessat(dir, name, Access::WRITE_OK, AtFlags::empty())?)
}

/// Refuses a file that may not be written: replacing it would get round that.
#[cfg(not(unix))]
pub(super) fn check_writable(_dir: &Dir, _name: &Path, metadata: &Metadata) -> io::Result<()> {
    if metadata.permissions().readonly() {
        return Err(io::Error::from_raw_os_error(5));
    }
    Ok(())
}

/// Renames `from` if nothing is called `to`; `false` where the disk cannot do that in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn rename_to_new(dir: &Dir, from: &Path, to: &Path) -> io::Result<bool> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Renames `from` if nothing is called `to`; `false` where the disk cannot do that in one step.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
#[expect(clippy::unnecessary_wraps, reason = "other systems may fail")]
pub(super) fn rename_to_new(_dir: &Dir, _from: &Path, _to: &Path) -> io::Result<bool> {
    Ok(false)
}

/// How many bytes fit on the disk of a folder, where the operating system says so.
#[cfg(unix)]
pub(super) fn room_in(dir: &Dir) -> Option<u64> {
    let disk = rustix::fs::fstatvfs(dir).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// How many bytes fit on the disk of a folder, where the operating system says so.
#[cfg(not(unix))]
pub(super) fn room_in(_dir: &Dir) -> Option<u64> {
    None
}

/// Waits until the names in a folder are on the disk, where the operating system can.
#[cfg(unix)]
pub(super) fn sync_folder(dir: &Dir) {
    use rustix::fs::OFlags;

    // The file itself is safe already; a folder that cannot be synced loses at most its newest name in a crash.
    let opened = open_single(dir, Path::new("."), OFlags::DIRECTORY);
    let _ = opened.and_then(|folder| folder.sync_all());
}

/// Waits until the names in a folder are on the disk, where the operating system can.
#[cfg(not(unix))]
pub(super) fn sync_folder(_dir: &Dir) {}
