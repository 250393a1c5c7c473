//! Bounded reading of files and standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::failure::Failure;

/// Maximum bytes read from a file or standard input.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Reads text from standard input.
pub(crate) fn standard_input() -> Result<String, Failure> {
    whole(io::stdin().lock()).map_err(|error| Failure::input("standard input", error))
}

/// Reads bytes from standard input.
pub(crate) fn standard_input_bytes() -> Result<Vec<u8>, Failure> {
    bytes(io::stdin().lock()).map_err(|error| Failure::input("standard input", error))
}

/// Reads a text file.
pub(crate) fn file(path: &Path) -> Result<String, Failure> {
    File::open(path)
        .and_then(whole)
        .map_err(|error| Failure::input(path.display(), error))
}

/// Reads the bytes of a file.
#[cfg(feature = "full")]
pub(crate) fn file_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    File::open(path)
        .and_then(bytes)
        .map_err(|error| Failure::input(path.display(), error))
}

fn whole(source: impl Read) -> io::Result<String> {
    String::from_utf8(bytes(source)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

fn bytes(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|read| read <= MAX_BYTES) {
        return Ok(bytes);
    }
    let limit = MAX_BYTES / (1024 * 1024);
    Err(io::Error::other(format!("more than {limit} MB")))
}
