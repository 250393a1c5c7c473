//! Opening of log files.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::audit::AuditError;

/// Opens a file for appending, readable only by its owner.
pub(super) fn file(path: &Path) -> Result<File, AuditError> {
    // Check before opening: opening a pipe waits for a reader.
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => return Err(AuditError::NotAFile),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let file = options().open(path)?;
    // Check again: a link may have replaced the file.
    let (opened, named) = (file.metadata()?, fs::symlink_metadata(path)?);
    if !named.is_file() || !is_same(&opened, &named) {
        return Err(AuditError::NotAFile);
    }
    keep_private(&file, &opened)?;
    Ok(file)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(unix)]
fn is_same(opened: &fs::Metadata, named: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    opened.dev() == named.dev() && opened.ino() == named.ino()
}

#[cfg(not(unix))]
fn is_same(opened: &fs::Metadata, named: &fs::Metadata) -> bool {
    opened.len() == named.len()
}

#[cfg(unix)]
fn keep_private(file: &File, metadata: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    if metadata.permissions().mode() & 0o777 == 0o600 {
        return Ok(());
    }
    file.set_permissions(fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "may fail on Unix")]
fn keep_private(_file: &File, _metadata: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Returns `true` if the last line is incomplete, as after a crash.
pub(super) fn is_torn(path: &Path) -> Result<bool, AuditError> {
    use std::io::{Read, Seek, SeekFrom};

    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
