//! Reader of archives, which are tar files packed with gzip.

use std::collections::HashMap;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;

const BLOCK: usize = 512;
/// Maximum unpacked size in bytes.
const MAX_UNPACKED: u64 = 400 * 1024 * 1024;
/// Maximum ratio of the unpacked and the packed size.
const MAX_RATIO: u64 = 200;
/// Unpacked size below which any ratio is allowed.
const FREE: u64 = 1024 * 1024;
const MAX_ENTRIES: usize = 100_000;
const MAX_NAME: u64 = 64 * 1024;
const TIME: Duration = Duration::from_secs(45);

/// Calls `found` with the path and content of each regular file that `is_wanted` selects by path and
/// size. Paths are relative to the first directory of the archive.
pub(super) fn files(
    packed: &[u8],
    is_wanted: impl Fn(&str, u64) -> bool,
    mut found: impl FnMut(&str, Vec<u8>),
) -> io::Result<()> {
    let allowed = (packed.len() as u64)
        .saturating_mul(MAX_RATIO)
        .clamp(FREE, MAX_UNPACKED);
    let mut reader = GzDecoder::new(packed).take(allowed.saturating_add(1));
    let end = Instant::now() + TIME;
    let mut long = Long::default();
    for _ in 0..MAX_ENTRIES {
        if Instant::now() > end || reader.limit() == 0 {
            return Err(invalid("the archive is too large"));
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

#[cfg(test)]
pub(super) mod testing {
    use std::io::Write as _;

    use super::BLOCK;

    /// Packs files under the directory `repo-1`, with pax headers for long paths.
    pub(in crate::github) fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut tar = Vec::new();
        for (path, content) in files {
            let path = format!("repo-1/{path}");
            if path.len() > 100 {
                let record = format!(" path={path}\n");
                let length = record.len() + 3;
                add(
                    &mut tar,
                    "pax",
                    b'x',
                    format!("{length}{record}").as_bytes(),
                );
            }
            add(&mut tar, &path, b'0', content);
        }
        tar.extend([0; 2 * BLOCK]);
        gzip(&tar)
    }

    pub(in crate::github) fn add(tar: &mut Vec<u8>, path: &str, kind: u8, content: &[u8]) {
        let mut header = [0; BLOCK];
        let name = &path.as_bytes()[..path.len().min(100)];
        header[..name.len()].copy_from_slice(name);
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = kind;
        header[257..262].copy_from_slice(b"ustar");
        tar.extend(header);
        tar.extend(content);
        tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    }

    pub(in crate::github) fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::testing::{add, gzip, packed};
    use super::*;

    fn all(packed: &[u8]) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut read = Vec::new();
        files(
            packed,
            |_, _| true,
            |path, content| read.push((path.to_owned(), content)),
        )?;
        Ok(read)
    }

    #[test]
    fn reads_files_with_long_paths() {
        let long = format!("{}/b.txt", "a".repeat(120));
        let archive = packed(&[("a.txt", b"one"), (&long, &[b'x'; 600]), ("c", b"")]);

        let read = all(&archive).unwrap();

        let names: Vec<&str> = read.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(names, ["a.txt", &long, "c"]);
        assert_eq!((read[0].1.as_slice(), read[1].1.len()), (&b"one"[..], 600));
    }

    #[test]
    fn omits_links_and_unsafe_paths() {
        let mut tar = Vec::new();
        for (path, kind) in [
            ("r/../../etc/x", b'0'),
            ("r/link", b'2'),
            ("r/dir/", b'5'),
            ("/abs", b'0'),
            ("r/ok", b'0'),
        ] {
            add(&mut tar, path, kind, b"x");
        }
        tar.extend([0; BLOCK]);

        let read = all(&gzip(&tar)).unwrap();

        let names: Vec<&str> = read.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(names, ["abs", "ok"]);
    }

    #[test]
    fn rejects_bombs_and_incomplete_archives() {
        let mut tar = Vec::new();
        add(&mut tar, "r/zeros", b'0', &vec![0; 32 * 1024 * 1024]);
        assert!(all(&gzip(&tar)).is_err());

        let whole = packed(&[("a", &[7; 5000])]);
        assert!(all(&whole[..whole.len() / 2]).is_err());
        assert!(all(b"not gzip").is_err());
    }

    proptest! {
        #[test]
        fn never_panics(bytes: Vec<u8>, at in 0_usize..1500, value: u8) {
            let mut tar = Vec::new();
            add(&mut tar, "r/a", b'x', b"12 path=a/b\n");
            add(&mut tar, "r/b", b'0', &bytes);
            if let Some(byte) = tar.get_mut(at) {
                *byte = value;
            }
            let _ = all(&gzip(&tar));
        }
    }
}
