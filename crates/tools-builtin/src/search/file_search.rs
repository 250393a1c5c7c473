//! Search in one file, and the parameters that all files share.

use std::io::{self, Read};

use super::hits::{Capacity, Hits};
use super::lines::{self, FileWindow, Lines, MatchingLine};
use super::query::Query;
use super::stop::StopConditions;
use crate::files::decode::{Encoding, from_any, from_utf16, unmarked};
use crate::files::magic::office_kind;
use crate::workspace::Entry;

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

/// Searches files sequentially with the same buffers.
#[derive(Debug)]
pub(super) struct FileSearch<'t> {
    task: &'t Task<'t>,
    // Cloned, because threads contend for the caches of a shared one.
    query: Query,
    window: FileWindow,
}

impl<'t> FileSearch<'t> {
    pub(super) fn new(task: &'t Task<'t>) -> Self {
        Self {
            task,
            query: task.query.clone(),
            window: FileWindow::default(),
        }
    }

    /// Searches a file of a directory.
    pub(super) fn search_entry(&mut self, entry: &Entry, capacity: Capacity) -> Outcome {
        if self.task.skips(entry.name()) {
            return Outcome::Skipped;
        }
        match entry.open("path") {
            Ok(mut file) => {
                let size = file.len();
                self.search(entry.path(), &mut file, size, capacity)
            }
            // The file was probably removed during the search.
            Err(_) => Outcome::Unreadable,
        }
    }

    /// Searches a file of `size` bytes, and returns no more than the capacity allows.
    pub(super) fn search(
        &mut self,
        path: &str,
        file: &mut impl Read,
        size: u64,
        capacity: Capacity,
    ) -> Outcome {
        self.try_search(path, file, size, capacity)
            .unwrap_or(Outcome::Unreadable)
    }

    fn try_search(
        &mut self,
        path: &str,
        file: &mut impl Read,
        size: u64,
        capacity: Capacity,
    ) -> io::Result<Outcome> {
        self.window.open(file, size)?;
        let (encoding, mark) = Encoding::of_beginning(self.window.bytes());
        if mark > 0 {
            self.window.discard(mark);
        }
        let hits = Hits::new(capacity, self.task.context_lines);
        match encoding {
            Encoding::Binary => match unmarked(self.window.bytes(), encoding) {
                Encoding::Binary if is_document(self.window.bytes()) => {
                    Ok(Outcome::Document(path.to_owned()))
                }
                Encoding::Binary => Ok(Outcome::Skipped),
                encoding => self.search_decoded(path, file, encoding, hits),
            },
            Encoding::Utf16Le | Encoding::Utf16Be => {
                self.search_decoded(path, file, encoding, hits)
            }
            // A match may span any part of the file.
            _ if self.query.is_multiline() => self.search_decoded(path, file, encoding, hits),
            // Encodings share ASCII, so only other characters require decoding.
            _ if !self.task.is_ascii && !is_utf8(&self.window) => {
                self.search_decoded(path, file, encoding, hits)
            }
            _ => self.search_windows(path, file, hits),
        }
    }

    fn search_windows(
        &mut self,
        path: &str,
        file: &mut impl Read,
        mut hits: Hits,
    ) -> io::Result<Outcome> {
        let mut lines = Lines::until(0);
        loop {
            let end = self.window.end_of_lines(self.task.context_lines);
            lines.end = end.max(lines.at);
            let text = self.window.bytes();
            let flow = lines::search(&self.query, text, &mut lines, &self.task.stop, |line| {
                hits.take(path, text, line)
            });
            if flow.is_break() || self.window.is_at_end() {
                return Ok(Outcome::Searched(hits));
            }
            let kept_from = self
                .window
                .start_of_lines(lines.at, self.task.context_lines);
            lines.move_up(text, kept_from);
            self.window.discard(kept_from);
            if !self.window.read_on(file)? {
                return Ok(Outcome::TooLong(hits));
            }
        }
    }

    /// Decodes the file as a whole, because other encodings than UTF-8 are rare.
    fn search_decoded(
        &mut self,
        path: &str,
        file: &mut impl Read,
        encoding: Encoding,
        mut hits: Hits,
    ) -> io::Result<Outcome> {
        while !self.window.is_at_end() {
            if !self.window.read_on(file)? {
                return Ok(Outcome::TooLong(hits));
            }
        }
        let bytes = self.window.bytes();
        let text = match encoding {
            Encoding::Utf16Le | Encoding::Utf16Be => from_utf16(bytes, encoding),
            _ => from_any(bytes.to_vec(), false).0,
        };
        let text = text.into_bytes();
        if self.query.is_multiline() {
            // As below, the hits and the clock show whether it stopped early.
            let take = |line: &MatchingLine| hits.take(path, &text, line);
            let _ = lines::search_across(&self.query, &text, &self.task.stop, take);
            return Ok(Outcome::Searched(hits));
        }
        let mut lines = Lines::until(text.len());
        // The hits and the clock show whether it stopped early.
        let _ = lines::search(&self.query, &text, &mut lines, &self.task.stop, |line| {
            hits.take(path, &text, line)
        });
        Ok(Outcome::Searched(hits))
    }
}

/// Returns whether a binary file starts like a PDF or an office document.
fn is_document(beginning: &[u8]) -> bool {
    beginning.starts_with(b"%PDF-") || office_kind(beginning).is_some()
}

/// Returns whether the first window may be UTF-8. A partial character at its end is accepted.
fn is_utf8(window: &FileWindow) -> bool {
    match std::str::from_utf8(window.bytes()) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && !window.is_at_end(),
    }
}

/// Parameters of a search, shared by its threads.
#[derive(Debug)]
pub(super) struct Task<'c> {
    pub(super) query: Query,
    /// Whether the query contains only ASCII.
    pub(super) is_ascii: bool,
    pub(super) context_lines: usize,
    /// Capacity for the matches of the search.
    pub(super) capacity: Capacity,
    /// Extensions of files to skip, without the dot.
    pub(super) skipped_extensions: Vec<String>,
    /// Whether skipped files are counted after any number of matches.
    pub(super) counts_all_skipped: bool,
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

    use proptest::prelude::*;
    use tool_core::CancellationToken;

    use super::*;
    use crate::search::SearchMatch;
    use crate::search::stop::StopConditions;

    const CAPACITY: Capacity = Capacity {
        matches: 1000,
        bytes: 100_000,
    };

    /// Searches with a window of `first_bytes` bytes.
    fn search(text: &[u8], query: &str, context_lines: usize, first_bytes: usize) -> Outcome {
        let none = CancellationToken::new();
        let task = Task {
            query: Query::parse("query", query, true, true).unwrap(),
            is_ascii: query.is_ascii(),
            context_lines,
            capacity: CAPACITY,
            skipped_extensions: Vec::new(),
            counts_all_skipped: false,
            names_documents: false,
            stop: StopConditions::new(Instant::now() + Duration::from_mins(1), &none),
        };
        let mut search = FileSearch::new(&task);
        search.window = FileWindow::of(first_bytes);
        // With size 0, the end is detected by reading.
        search.search("a", &mut &*text, 0, CAPACITY)
    }

    fn matches(outcome: Outcome) -> Vec<SearchMatch> {
        match outcome {
            Outcome::Searched(hits) => hits.matches,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn result_is_independent_of_window_size() {
        proptest!(|(
            text in "[ab\\n]{0,200}",
            query in prop::sample::select(&["a", "b", "ab", "^a", "b$", r"\Aa", r"\bb", "a*", "a[^b]*b"][..]),
            context_lines in 0_usize..4,
            first_bytes in 1_usize..40,
        )| {
            let whole = matches(search(text.as_bytes(), query, context_lines, 4096));

            let in_parts = matches(search(text.as_bytes(), query, context_lines, first_bytes));

            prop_assert_eq!(in_parts, whole);
        });
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
            let count = match search(bytes, "late", 0, 16 * 1024) {
                Outcome::Searched(hits) => Some(hits.matches.len()),
                _ => None,
            };

            assert_eq!(count, found, "{:?}", bytes.get(..8));
        }
    }

    #[test]
    fn decodes_other_encodings() {
        let latin = b"Fa\xe7ade\nCaf\xe9 au lait, s'il vous pla\xeet\n".repeat(20);
        let unmarked: Vec<u8> = "one\nCafé in UTF-16\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for (bytes, first) in [
            (&latin[..], "Café au lait, s'il vous plaît"),
            (&unmarked, "Café in UTF-16"),
            ("Café".as_bytes(), "Café"),
            (
                b"Caf\xC3\xA9 and one damaged byte \xFF",
                "Café and one damaged byte \u{fffd}",
            ),
        ] {
            // Also for a query in ASCII, for which the bytes are searched unchanged.
            for query in ["café|Café", "[Cc]af|Caf"] {
                let found = matches(search(bytes, query, 0, 16 * 1024));

                let text = found.first().map(|hit| &*hit.text);
                assert_eq!(text, Some(first), "{query}");
            }
        }
    }

    #[test]
    fn byte_order_mark_is_not_part_of_first_line() {
        let found = matches(search(b"\xef\xbb\xbfone\ntwo", "^one|two", 1, 16));

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
