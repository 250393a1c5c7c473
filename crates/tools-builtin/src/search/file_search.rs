//! Search in one file, and the parameters that all files share.

use std::io::{self, Read};

use memchr::memrchr;

use super::hits::{Capacity, Hits};
use super::lines::{self, MatchingLine};
use super::query::Query;
use super::stop::StopConditions;
use crate::files::decode::{Encoding, from_any, from_utf16};
use crate::files::magic::office_kind;
use crate::newlines::count_newlines;
use crate::workspace::Entry;

/// Bytes of a file that are read first, which are all of most files.
const FIRST_BYTES: usize = 128 * 1024;
/// Maximum bytes of a file in memory: the size of a file that is decoded, and the length of a line.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Result of one file.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Text file with its matches.
    Searched(Hits),
    /// File with a line, or in an encoding, that must be in memory as a whole and is too large,
    /// with the matches before that point.
    TooLong(Hits),
    /// Not a text file, or excluded by its extension.
    Skipped,
    /// Document with this path, whose text only reading it shows.
    Document(String),
    /// Cannot be read.
    Unreadable,
}

/// Searches files sequentially with the same buffer.
#[derive(Debug)]
pub(super) struct FileSearch<'t> {
    task: &'t Task<'t>,
    // Cloned, because threads contend for the caches of a shared one.
    query: Query,
    /// Part of the file that is in memory.
    text: Vec<u8>,
}

impl<'t> FileSearch<'t> {
    pub(super) fn new(task: &'t Task<'t>) -> Self {
        Self {
            task,
            query: task.query.clone(),
            text: Vec::new(),
        }
    }

    /// Searches a file of a directory.
    pub(super) fn search_entry(&mut self, entry: &Entry, capacity: Capacity) -> Outcome {
        if self.task.skips(entry.name()) {
            return Outcome::Skipped;
        }
        match entry.open("path") {
            Ok(mut file) => self.search(entry.path(), &mut file, capacity),
            // The file was probably removed during the search.
            Err(_) => Outcome::Unreadable,
        }
    }

    /// Searches a file, and returns no more than the capacity allows.
    pub(super) fn search(
        &mut self,
        path: &str,
        file: &mut impl Read,
        capacity: Capacity,
    ) -> Outcome {
        self.try_search(path, file, capacity)
            .unwrap_or(Outcome::Unreadable)
    }

    fn try_search(
        &mut self,
        path: &str,
        file: &mut impl Read,
        capacity: Capacity,
    ) -> io::Result<Outcome> {
        self.text.clear();
        self.read_on(file, FIRST_BYTES)?;
        let (encoding, mark) = Encoding::of_beginning(&self.text);
        if encoding == Encoding::Binary {
            return Ok(if is_document(&self.text) {
                Outcome::Document(path.to_owned())
            } else {
                Outcome::Skipped
            });
        }
        let may_be_utf8 = is_utf8(&self.text);
        self.text.drain(..mark);
        self.read_on(file, MAX_BYTES)?;
        // UTF-16 and a match across lines need the whole file. The bytes of a large file in another encoding are searched.
        let is_decoded = encoding != Encoding::Utf8
            || self.query.is_multiline()
            || !may_be_utf8 && self.text.len() < MAX_BYTES;
        let hits = Hits::new(capacity, self.task.context_lines);
        if is_decoded {
            Ok(self.search_decoded(path, encoding, hits))
        } else {
            self.search_parts(path, file, hits)
        }
    }

    /// Reads until so many bytes are in memory.
    fn read_on(&mut self, file: &mut impl Read, bytes: usize) -> io::Result<()> {
        let room = bytes.saturating_sub(self.text.len());
        file.take(room as u64).read_to_end(&mut self.text)?;
        Ok(())
    }

    /// Searches a file part by part. The lines around a match are those of its part.
    fn search_parts(
        &mut self,
        path: &str,
        file: &mut impl Read,
        mut hits: Hits,
    ) -> io::Result<Outcome> {
        let mut first = 1;
        loop {
            let is_last = self.text.len() < MAX_BYTES;
            let end = match memrchr(b'\n', &self.text) {
                _ if is_last => self.text.len(),
                Some(newline) => newline + 1,
                None => return Ok(Outcome::TooLong(hits)),
            };
            let part = self.text.get(..end).unwrap_or_default();
            let take = |line: &MatchingLine| hits.take(path, part, line);
            let flow = lines::search(&self.query, part, first, &self.task.stop, take);
            if flow.is_break() || is_last {
                return Ok(Outcome::Searched(hits));
            }
            first += count_newlines(part);
            self.text.drain(..end);
            self.read_on(file, MAX_BYTES)?;
        }
    }

    /// Decodes the file as a whole, because other encodings than UTF-8 are rare.
    fn search_decoded(&self, path: &str, encoding: Encoding, mut hits: Hits) -> Outcome {
        if self.text.len() >= MAX_BYTES {
            return Outcome::TooLong(hits);
        }
        let text = match encoding {
            Encoding::Utf16Le | Encoding::Utf16Be => from_utf16(&self.text, encoding),
            _ => from_any(self.text.clone(), false).0,
        };
        // The hits and the clock show whether it stopped early.
        let (query, stop) = (&self.query, &self.task.stop);
        let _ = if query.is_multiline() {
            // A model doesn't see the carriage returns.
            let text = text.replace("\r\n", "\n").into_bytes();
            lines::search_across(query, &text, stop, |line| hits.take(path, &text, line))
        } else {
            let text = text.into_bytes();
            lines::search(query, &text, 1, stop, |line| hits.take(path, &text, line))
        };
        Outcome::Searched(hits)
    }
}

/// Returns whether a binary file starts like a PDF or an office document.
fn is_document(beginning: &[u8]) -> bool {
    beginning.starts_with(b"%PDF-") || office_kind(beginning).is_some()
}

/// Returns whether the beginning of a file may be UTF-8. A partial character at its end is accepted.
fn is_utf8(beginning: &[u8]) -> bool {
    let read = std::str::from_utf8(beginning);
    read.map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Parameters of a search, shared by its threads.
#[derive(Debug)]
pub(super) struct Task<'c> {
    pub(super) query: Query,
    pub(super) context_lines: usize,
    /// Capacity for the matches of the search.
    pub(super) capacity: Capacity,
    /// Extensions of files to skip, without the dot.
    pub(super) skipped_extensions: Vec<String>,
    /// Whether to name documents, which are not searched.
    pub(super) names_documents: bool,
    pub(super) stop: StopConditions<'c>,
}

impl Task<'_> {
    /// Returns whether a file of this name is skipped.
    pub(super) fn skips(&self, name: &str) -> bool {
        name.rsplit_once('.').is_some_and(|(_, extension)| {
            let mut skipped = self.skipped_extensions.iter();
            skipped.any(|skipped| skipped.eq_ignore_ascii_case(extension))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use tool_core::CancellationToken;

    use super::*;
    use crate::search::SearchMatch;
    use crate::search::stop::StopConditions;

    const CAPACITY: Capacity = Capacity {
        matches: 1000,
        bytes: 100_000,
    };

    fn search(text: &[u8], query: &str, context_lines: usize) -> Outcome {
        let none = CancellationToken::new();
        let task = Task {
            query: Query::parse("query", query, true, true).unwrap(),
            context_lines,
            capacity: CAPACITY,
            skipped_extensions: Vec::new(),
            names_documents: false,
            stop: StopConditions::new(Instant::now() + Duration::from_mins(1), &none),
        };
        FileSearch::new(&task).search("a", &mut &*text, CAPACITY)
    }

    fn matches(outcome: Outcome) -> Vec<SearchMatch> {
        match outcome {
            Outcome::Searched(hits) => hits.matches,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn searches_all_parts_of_a_large_file() {
        let line = format!("{}\n", "x".repeat(1023));
        let text = format!("needle\n{}needle 2\nend", line.repeat(20_000));

        let found = matches(search(text.as_bytes(), "needle|end", 0));

        let lines: Vec<_> = found.iter().map(|hit| (hit.line, &*hit.text)).collect();
        assert_eq!(
            lines,
            [(1, "needle"), (20_002, "needle 2"), (20_003, "end")]
        );
    }

    #[test]
    fn classifies_files_by_content() {
        let late = [&[b'x'; 8192][..], b"\0late"].concat();
        let early = [&[b'x'; 8191][..], b"\0late"].concat();
        for (bytes, found) in [
            (&b"late"[..], Some(1)),
            (b"", Some(0)),
            (b"\xef\xbb\xbflate", Some(1)),
            (b"\xef\xbb\xbfla\0te\nlate", Some(1)),
            (b"caf\xe9 late", Some(1)),
            (b"\xff\xfel\0a\0t\0e\0", Some(1)),
            (b"\xfe\xff\0l\0a\0t\0e", Some(1)),
            (b"\xff\xfel\0a\0t\0e\0\0\xd8", Some(1)),
            (b"\x7fELF\0late", None),
            (&early, None),
            (&late, Some(1)),
        ] {
            let count = match search(bytes, "late", 0) {
                Outcome::Searched(hits) => Some(hits.matches.len()),
                _ => None,
            };

            assert_eq!(count, found, "{:?}", bytes.get(..8));
        }
    }

    #[test]
    fn decodes_other_encodings() {
        let latin = b"Fa\xe7ade\nCaf\xe9 au lait, s'il vous pla\xeet\n".repeat(20);
        let wide: Vec<u8> = "\u{feff}one\nCafé in UTF-16\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for (bytes, first) in [
            (&latin[..], "Café au lait, s'il vous plaît"),
            (&wide, "Café in UTF-16"),
            ("Café".as_bytes(), "Café"),
            (
                b"Caf\xC3\xA9 and one damaged byte \xFF",
                "Café and one damaged byte \u{fffd}",
            ),
        ] {
            // Also for a query in ASCII, for which the bytes are searched unchanged.
            for query in ["café|Café", "[Cc]af|Caf"] {
                let found = matches(search(bytes, query, 0));

                let text = found.first().map(|hit| &*hit.text);
                assert_eq!(text, Some(first), "{query}");
            }
        }
    }

    #[test]
    fn byte_order_mark_is_not_part_of_first_line() {
        let found = matches(search(b"\xef\xbb\xbfone\ntwo", "^one|two", 1));

        let reported: Vec<_> = found
            .iter()
            .map(|hit| (hit.column, &*hit.text, &hit.before))
            .collect();
        assert_eq!(
            reported,
            [(1, "one", &vec![]), (1, "two", &vec!["one".to_owned()])]
        );
    }
}
