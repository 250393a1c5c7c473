//! Differences between operating systems.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File, Metadata, OpenOptions};

/// Opens the entry `name` of `dir` for reading. Symlinks are not followed.
#[cfg(unix)]
pub(super) fn open_entry(dir: &Dir, name: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;

    open_single(dir, name, OFlags::NONBLOCK | OFlags::NOCTTY).map(File::from_std)
}

/// Opens the directory `name` in `dir`. Symlinks are not followed.
#[cfg(unix)]
pub(super) fn open_subdirectory(dir: &Dir, name: &Path) -> io::Result<Dir> {
    use rustix::fs::OFlags;

    open_single(dir, name, OFlags::DIRECTORY).map(Dir::from_std_file)
}

// One name without symlinks: there is nothing that could resolve outside `dir`.
#[cfg(unix)]
fn open_single(dir: &Dir, name: &Path, flags: rustix::fs::OFlags) -> io::Result<std::fs::File> {
    use rustix::fs::{Mode, OFlags, openat};

    let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(dir, name, flags, Mode::empty())?.into())
}

/// Opens the entry `name` of `dir` for reading.
#[cfg(not(unix))]
pub(super) fn open_entry(dir: &Dir, name: &Path) -> io::Result<File> {
    dir.open(name)
}

/// Opens the directory `name` in `dir`.
#[cfg(not(unix))]
pub(super) fn open_subdirectory(dir: &Dir, name: &Path) -> io::Result<Dir> {
    dir.open_dir(name)
}

/// Returns an identity of the file that is independent of its name, if the operating system has
/// one.
#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "other operating systems have none"
)]
pub(super) fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use cap_std::fs::MetadataExt;

    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(_metadata: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Returns whether a file has several hard links, which may be anywhere.
#[cfg(unix)]
pub(super) fn has_several_names(metadata: &Metadata) -> bool {
    use cap_std::fs::MetadataExt;

    metadata.nlink() > 1
}

#[cfg(not(unix))]
pub(super) fn has_several_names(_metadata: &Metadata) -> bool {
    false
}

/// Returns whether only the owner has access to a file: the lowest six bits of its mode are zero.
#[cfg(unix)]
pub(super) fn is_private(metadata: &Metadata) -> bool {
    use cap_std::fs::MetadataExt;

    metadata.mode().trailing_zeros() >= 6
}

#[cfg(not(unix))]
pub(super) fn is_private(_metadata: &Metadata) -> bool {
    true
}

/// Returns whether the error is a symlink loop.
#[cfg(unix)]
pub(super) fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
pub(super) fn is_link_loop(_error: &io::Error) -> bool {
    false
}

/// Returns whether the error results from opening a socket, or a device without hardware.
#[cfg(unix)]
pub(super) fn is_endpoint(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

#[cfg(not(unix))]
pub(super) fn is_endpoint(_error: &io::Error) -> bool {
    false
}

/// Returns the size in bytes of the entry `name` of `dir`. Symlinks are not followed.
#[cfg(unix)]
pub(super) fn size_of(dir: &Dir, name: &Path) -> io::Result<u64> {
    use rustix::fs::{AtFlags, statat};

    let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(u64::try_from(stat.st_size).unwrap_or_default())
}

#[cfg(not(unix))]
pub(super) fn size_of(dir: &Dir, name: &Path) -> io::Result<u64> {
    dir.symlink_metadata(name).map(|metadata| metadata.len())
}

/// Sets the mode of a file to be created.
#[cfg(unix)]
pub(super) fn set_mode(options: &mut OpenOptions, mode: u32) {
    use cap_std::fs::OpenOptionsExt;

    options.mode(mode);
}

#[cfg(not(unix))]
pub(super) fn set_mode(_options: &mut OpenOptions, _mode: u32) {}

/// Returns the mode of a file.
#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "other operating systems have none"
)]
pub(super) fn mode(metadata: &Metadata) -> Option<u32> {
    use cap_std::fs::MetadataExt;

    Some(metadata.mode() & 0o1777)
}

#[cfg(not(unix))]
pub(super) fn mode(_metadata: &Metadata) -> Option<u32> {
    None
}

/// Changes the mode of a file.
#[cfg(unix)]
pub(super) fn change_mode(file: &File, mode: u32) -> io::Result<()> {
    use cap_std::fs::{Permissions, PermissionsExt};

    file.set_permissions(Permissions::from_mode(mode & 0o1777))
}

#[cfg(not(unix))]
pub(super) fn change_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// Copies the mode and, if permitted, the owner of a replaced file to the new one.
#[cfg(unix)]
pub(super) fn copy_owner_and_mode(old: &Metadata, new: &File) -> io::Result<()> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
    use rustix::fs::{Gid, Uid, fchown};

    let own = new.metadata()?;
    if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
        // Only root may change the owner. This clears mode bits, so do it first.
        let _ = fchown(
            new,
            Some(Uid::from_raw(old.uid())),
            Some(Gid::from_raw(old.gid())),
        );
    }
    // Clear the setuid and setgid bits, as a write in place does: new content must not run with the
    // rights of the owner or group.
    new.set_permissions(Permissions::from_mode(old.mode() & 0o1777))
}

#[cfg(not(unix))]
pub(super) fn copy_owner_and_mode(old: &Metadata, new: &File) -> io::Result<()> {
    new.set_permissions(old.permissions())
}

/// Copies the user attributes and the access list of a replaced file to the new one, as far as the
/// file system supports them.
///
/// Other attributes are not copied: new content must not have the capabilities granted to old
/// content.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn copy_attributes(dir: &Dir, name: &Path, new: &File) {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};

    // Linux limits for all names, and for one value.
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
            // Write the file even if the file system does not support such attributes.
            let _ = fsetxattr(new, name, value, XattrFlags::empty());
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn copy_attributes(_dir: &Dir, _name: &Path, _new: &File) {}

/// Rejects a read-only file, which a rename would replace nevertheless.
#[cfg(unix)]
pub(super) fn check_writable(dir: &Dir, name: &Path, _metadata: &Metadata) -> io::Result<()> {
    use rustix::fs::{Access, AtFlags, accessat};

    Ok(accessat(dir, name, Access::WRITE_OK, AtFlags::empty())?)
}

#[cfg(not(unix))]
pub(super) fn check_writable(_dir: &Dir, _name: &Path, metadata: &Metadata) -> io::Result<()> {
    if metadata.permissions().readonly() {
        return Err(io::Error::from_raw_os_error(5));
    }
    Ok(())
}

/// Renames `from` unless `to` exists. Returns `false` if the file system cannot do this in one
/// step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn rename_to_new(dir: &Dir, from: &Path, to: &Path) -> io::Result<bool> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        // File systems report a missing `NOREPLACE` in different ways.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
#[expect(clippy::unnecessary_wraps, reason = "other systems may fail")]
pub(super) fn rename_to_new(_dir: &Dir, _from: &Path, _to: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Exchanges two files. Returns `false` if the file system cannot do this in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn exchange(dir: &Dir, one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
#[expect(clippy::unnecessary_wraps, reason = "other systems may fail")]
pub(super) fn exchange(_dir: &Dir, _one: &Path, _other: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Syncs the names in a directory, if the operating system supports it.
#[cfg(unix)]
pub(super) fn sync_directory(dir: &Dir) {
    use rustix::fs::OFlags;

    // The file itself is already synced; without this, a crash loses at most its new name.
    let opened = open_single(dir, Path::new("."), OFlags::DIRECTORY);
    let _ = opened.and_then(|directory| directory.sync_all());
}

#[cfg(not(unix))]
pub(super) fn sync_directory(_dir: &Dir) {}
