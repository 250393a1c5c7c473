//! Archive of a commit, unpacked into a temporary directory.

use std::error::Error;
use std::fs;
use std::io::{self, ErrorKind, Read as _};

use flate2::read::GzDecoder;
use tar::{Archive, EntryType};
use tempfile::TempDir;
use tools_builtin::Workspace;
use tools_builtin::repository::LocalRepository;

use crate::door::{Deadline, Problem};

/// Maximum size of the unpacked files in bytes, so that a small archive cannot fill the disk.
const MAX_UNPACKED: usize = 400 * 1024 * 1024;
const MAX_ENTRIES: usize = 100_000;

/// Unpacks an archive into a directory, which is removed when it is dropped. Without an archive, the
/// repository has no files.
pub(super) fn unpacked(
    packed: Option<&[u8]>,
    deadline: Deadline,
) -> Result<(TempDir, LocalRepository), Problem> {
    let invalid = |error: &(dyn Error + 'static)| {
        tracing::warn!(error, "the archive of the repository cannot be unpacked");
        Problem::InvalidResponse
    };
    let directory = tempfile::tempdir().map_err(|error| invalid(&error))?;
    if let Some(packed) = packed {
        unpack(packed, &directory, deadline).map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge => Problem::TooLarge(MAX_UNPACKED),
            _ => invalid(&error),
        })?;
    }
    // All files are in one directory, which has the name of the repository and the commit. A link
    // in its place could lead anywhere.
    let entries = fs::read_dir(&directory).map_err(|error| invalid(&error))?;
    let mut directories = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let top = directories.next().map(|entry| entry.path());
    let root = top.unwrap_or_else(|| directory.path().to_owned());
    let workspace = Workspace::open(root).map_err(|error| invalid(&error))?;
    Ok((directory, LocalRepository::new(workspace)))
}

/// Writes files, directories and symbolic links. Links may have any target, because the workspace
/// follows none to the outside, and [`tar::Entry::unpack_in`] writes through none.
fn unpack(packed: &[u8], directory: &TempDir, deadline: Deadline) -> io::Result<()> {
    let mut archive = Archive::new(GzDecoder::new(packed).take(MAX_UNPACKED as u64));
    archive.set_preserve_mtime(false);
    let mut outcome = Ok(());
    for (count, entry) in archive.entries()?.enumerate() {
        if count >= MAX_ENTRIES || deadline.remaining().is_zero() {
            return Err(ErrorKind::FileTooLarge.into());
        }
        outcome = entry.and_then(|mut entry| match entry.header().entry_type() {
            EntryType::Regular | EntryType::Directory | EntryType::Symlink => {
                entry.unpack_in(directory).map(drop)
            }
            _ => Ok(()),
        });
        if outcome.is_err() {
            break;
        }
    }
    if archive.into_inner().limit() == 0 {
        return Err(ErrorKind::FileTooLarge.into());
    }
    outcome
}
