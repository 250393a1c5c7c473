//! Reader of archives, which are tar files packed with gzip.

mod stream;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{self, Read};
use std::time::{Duration, Instant};

pub(super) use self::stream::Chunks;
use self::stream::Unpacked;

const BLOCK: usize = 512;
const MAX_ENTRIES: usize = 100_000;
const MAX_NAME: u64 = 64 * 1024;
const TIME: Duration = Duration::from_secs(45);

/// Calls `found` with the path and content of each regular file that `is_wanted` selects by path and
/// size. Paths are relative to the first directory of the archive.
///
/// The archive is not kept in memory: at most one selected file is.
pub(super) fn files(
    packed: impl Read,
    is_wanted: impl Fn(&str, u64) -> bool,
    mut found: impl FnMut(&str, Vec<u8>),
) -> io::Result<()> {
    let mut reader = Unpacked::new(packed);
    let end = Instant::now() + TIME;
    let mut long = Long::default();
    for _ in 0..MAX_ENTRIES {
        if Instant::now() > end {
            return Err(invalid("the archive takes too long"));
        }
        let Some(header) = header(&mut reader)? else {
            return Ok(());
        };
        let size = long.size.unwrap_or(octal(field(&header, 124, 12))?);
        match header.get(156).copied().unwrap_or_default() {
            b'x' => long.read_pax(&content(&mut reader, size.min(MAX_NAME))?),
            b'L' => long.name = Some(text(&content(&mut reader, size.min(MAX_NAME))?)),
            b'0' | 0 => {
                let path = std::mem::take(&mut long)
                    .name
                    .unwrap_or_else(|| name(&header));
                let path = path.split_once('/').map_or("", |(_, path)| path);
                if is_safe(path) && is_wanted(path, size) {
                    found(path, content(&mut reader, size)?);
                } else {
                    skip(&mut reader, size)?;
                }
                skip(&mut reader, padding(size))?;
                continue;
            }
            b'g' => skip(&mut reader, size)?,
            _ => {
                long = Long::default();
                skip(&mut reader, size)?;
            }
        }
        skip(&mut reader, padding(size))?;
    }
    Err(invalid("the archive has too many entries"))
}

/// Name and size from the entries before a file.
#[derive(Default)]
struct Long {
    name: Option<String>,
    size: Option<u64>,
}

impl Long {
    /// Reads records such as `30 path=a/b.txt\n`.
    fn read_pax(&mut self, records: &[u8]) {
        let mut values = HashMap::new();
        let mut rest = records;
        while let Some(space) = rest.iter().position(|byte| *byte == b' ') {
            let length = rest
                .get(..space)
                .map(text)
                .and_then(|length| length.parse::<usize>().ok());
            let Some(record) = length.and_then(|length| rest.get(space + 1..length)) else {
                break;
            };
            let record = text(record);
            if let Some((key, value)) = record.trim_end_matches('\n').split_once('=') {
                values.insert(key.to_owned(), value.to_owned());
            }
            rest = rest.get(length.unwrap_or(rest.len())..).unwrap_or_default();
        }
        self.name = values.remove("path");
        self.size = values.remove("size").and_then(|size| size.parse().ok());
    }
}

/// Returns the next header, or `None` at the end.
fn header(reader: &mut impl Read) -> io::Result<Option<[u8; BLOCK]>> {
    let mut block = [0; BLOCK];
    let mut read = 0;
    while let Some(rest) = block.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest)? {
            0 if read == 0 => return Ok(None),
            0 => return Err(invalid("the archive is incomplete")),
            more => read += more,
        }
    }
    Ok(block.iter().any(|byte| *byte != 0).then_some(block))
}

fn content(reader: &mut impl Read, size: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    reader.take(size).read_to_end(&mut content)?;
    if (content.len() as u64) < size {
        return Err(invalid("the archive is incomplete"));
    }
    Ok(content)
}

fn skip(reader: &mut impl Read, size: u64) -> io::Result<()> {
    let skipped = io::copy(&mut reader.take(size), &mut io::sink())?;
    if skipped < size {
        return Err(invalid("the archive is incomplete"));
    }
    Ok(())
}

fn padding(size: u64) -> u64 {
    (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64
}

fn name(header: &[u8]) -> String {
    let (name, prefix) = (text(field(header, 0, 100)), text(field(header, 345, 155)));
    let is_ustar = field(header, 257, 5) == b"ustar";
    if is_ustar && !prefix.is_empty() {
        format!("{prefix}/{name}")
    } else {
        name
    }
}

fn field(header: &[u8], at: usize, length: usize) -> &[u8] {
    header.get(at..at + length).unwrap_or_default()
}

/// Returns the text before the first NUL.
fn text(bytes: &[u8]) -> String {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}

fn octal(field: &[u8]) -> io::Result<u64> {
    let digits = text(field);
    u64::from_str_radix(digits.trim(), 8).map_err(|_| invalid("the archive has an invalid size"))
}

fn is_safe(path: &str) -> bool {
    !path.is_empty() && path.split('/').all(|name| !matches!(name, "" | "." | ".."))
}

fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
