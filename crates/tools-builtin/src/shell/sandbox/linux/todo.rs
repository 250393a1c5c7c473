//! Lines of an unfinished rebase that run programs. Git runs them as the user when the rebase continues, outside
//! the sandbox.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{FileType, Mode, fstat};

use super::content::Content;
use super::entries::{kind, open_accessible, open_directory, open_file, remove};

const DIRECTORY: &CStr = c"rebase-merge";
const FILE: &CStr = c"git-rebase-todo";

/// Maximum bytes of the file.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Lines that run programs.
pub(super) type Programs = BTreeSet<Vec<u8>>;

/// Returns the lines that run programs in the unfinished rebase of a repository.
pub(super) fn programs(repository: BorrowedFd<'_>) -> io::Result<Programs> {
    if kind(repository, DIRECTORY)? != Some(FileType::Directory) {
        return Ok(Programs::new());
    }
    let directory = open_directory(repository, DIRECTORY)?;
    let Some((text, _)) = read(directory.as_fd())? else {
        return Ok(Programs::new());
    };
    let lines = text.split(|byte| *byte == b'\n');
    Ok(lines
        .filter(|line| runs(line))
        .map(<[u8]>::to_vec)
        .collect())
}

/// Removes the lines that run programs, except `allowed` ones. Returns whether there were some.
pub(super) fn clean(repository: BorrowedFd<'_>, allowed: &Programs) -> io::Result<bool> {
    match kind(repository, DIRECTORY)? {
        None => return Ok(false),
        Some(FileType::Directory) => {}
        // Git creates a directory.
        Some(_) => return remove(repository, DIRECTORY).map(|()| true),
    }
    let directory = open_accessible(repository, DIRECTORY)?;
    let directory = directory.as_fd();
    let (text, mode) = match read(directory) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(false),
        Err(_) => return Content::Missing.restore(directory, FILE),
    };
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let is_kept =
        |line: &&[u8]| !runs(line) || allowed.contains(line.strip_suffix(b"\n").unwrap_or(line));
    let content: Vec<u8> = lines.filter(is_kept).flatten().copied().collect();
    if content.len() == text.len() {
        return Ok(false);
    }
    Content::File { mode, content }.restore(directory, FILE)
}

/// Returns the content and mode of the file; `None` if it is missing.
fn read(directory: BorrowedFd<'_>) -> io::Result<Option<(Vec<u8>, Mode)>> {
    match kind(directory, FILE)? {
        None => return Ok(None),
        Some(FileType::RegularFile) => {}
        Some(_) => return Err(io::ErrorKind::InvalidData.into()),
    }
    let file = open_file(directory, FILE)?;
    let mode = Mode::from_raw_mode(fstat(&file)?.st_mode);
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Some((text, mode)))
}

/// Returns whether Git runs a line as a command. Whitespace may precede its first word.
fn runs(line: &[u8]) -> bool {
    let mut words = line.split(|byte| byte.is_ascii_whitespace() || *byte == 0);
    let first = words.find(|word| !word.is_empty());
    first.is_some_and(|word| [&b"exec"[..], b"x"].contains(&word))
}
