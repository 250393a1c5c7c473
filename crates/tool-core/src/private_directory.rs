//! Files in a directory that belongs to the process only.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Runs file operations on a thread that may block.
pub(crate) async fn blocking<T, E>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<io::Error> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(lost) => Err(io::Error::other(lost).into()),
    }
}

/// Opens a directory, which is created if it is missing. Returns `None` if the path is a link, not a
/// directory, or writable by other users.
pub(crate) fn open(path: &Path) -> io::Result<Option<PathBuf>> {
    match create_directory(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() || others_can_write(&metadata) {
        return Ok(None);
    }
    fs::canonicalize(path).map(Some)
}

/// Creates a new file, readable only by its owner. Does not follow a link.
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Opens a regular file for reading. Returns `None` if the path is a link or another kind of file.
pub(crate) fn open_file(path: &Path) -> io::Result<Option<File>> {
    // Check before opening: opening a pipe waits for a writer.
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(None);
    }
    let file = File::open(path)?;
    // Check again: a link may have replaced the file.
    let (opened, named) = (file.metadata()?, fs::symlink_metadata(path)?);
    Ok((named.is_file() && is_same(&opened, &named)).then_some(file))
}

#[cfg(unix)]
fn create_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_directory(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

#[cfg(unix)]
fn others_can_write(directory: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    directory.mode() & 0o022 != 0
}

#[cfg(not(unix))]
fn others_can_write(_directory: &fs::Metadata) -> bool {
    false
}

/// Returns `true` if both are one file without further hard links.
#[cfg(unix)]
fn is_same(opened: &fs::Metadata, named: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    opened.dev() == named.dev() && opened.ino() == named.ino() && opened.nlink() == 1
}

#[cfg(not(unix))]
fn is_same(opened: &fs::Metadata, named: &fs::Metadata) -> bool {
    opened.len() == named.len()
}
