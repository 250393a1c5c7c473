//! Searching one file.

use std::io::{self, Read};
use std::ops::ControlFlow;

use super::hits::{Hits, Room};
use super::lines::{self, Lines};
use super::pace::Pace;
use super::query::Query;
use super::task::Task;
use super::window::Window;
use crate::files::decode::{Encoding, from_utf16};
use crate::workspace::Entry;

/// What came of one file.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It is text, and this is what was found in it.
    Searched(Hits),
    /// It has a line, or is in an encoding, that would have to be in memory whole and is too large; this is what was
    /// found before.
    TooLong(Hits),
    /// It is no text, or of a kind that is not searched.
    PassedOver,
    /// It cannot be read.
    Unreadable,
}

/// Searches one file after the other with the same buffers.
#[derive(Debug)]
pub(super) struct FileSearch<'t> {
    task: &'t Task<'t>,
    /// Its own, since threads that share one wait for each other.
    query: Query,
    window: Window,
    pace: Pace,
}

impl<'t> FileSearch<'t> {
    pub(super) fn new(task: &'t Task<'t>) -> Self {
        Self {
            task,
            query: task.query.clone(),
            window: Window::default(),
            pace: Pace::default(),
        }
    }

    /// Searches a file of a folder.
    pub(super) fn search_entry(&mut self, entry: &Entry, room: Room) -> Outcome {
        if self.task.passes_over(entry.name()) {
            return Outcome::PassedOver;
        }
        match entry.open_quickly() {
            Ok((mut file, size)) => self.search(entry.path(), &mut file, size, room),
            // Most likely it was removed meanwhile; a search goes on.
            Err(_) => Outcome::Unreadable,
        }
    }

    /// Searches a file of `size` bytes, and takes no more than there is room for.
    pub(super) fn search(
        &mut self,
        path: &str,
        file: &mut impl Read,
        size: u64,
        room: Room,
    ) -> Outcome {
        self.try_search(path, file, size, room)
            .unwrap_or(Outcome::Unreadable)
    }

    fn try_search(
        &mut self,
        path: &str,
        file: &mut impl Read,
        size: u64,
        room: Room,
    ) -> io::Result<Outcome> {
        self.window.open(file, size)?;
        let (encoding, mark) = Encoding::of_beginning(self.window.bytes());
        if mark > 0 {
            self.window.discard(mark);
        }
        let hits = Hits::new(room, self.task.context_lines);
        match encoding {
            Encoding::Binary => Ok(Outcome::PassedOver),
            Encoding::Utf16Le | Encoding::Utf16Be => self.search_utf16(path, file, encoding, hits),
            // Of bytes in other encodings, what looks like UTF-8 is found.
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
            let flow = lines::search(
                &self.query,
                text,
                &mut lines,
                &mut self.pace,
                &self.task.stop,
                |line| hits.take(path, text, line),
            );
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

    /// UTF-16 is rare, so it is read and turned into UTF-8 at once.
    fn search_utf16(
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
        let text = from_utf16(self.window.bytes(), encoding).into_bytes();
        let mut lines = Lines::until(text.len());
        let take = |line: &_| -> ControlFlow<()> { hits.take(path, &text, line) };
        // Whether it broke off is seen from the hits and the clock.
        let _ = lines::search(
            &self.query,
            &text,
            &mut lines,
            &mut self.pace,
            &self.task.stop,
            take,
        );
        Ok(Outcome::Searched(hits))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;
    use tool_core::CancellationToken;

    use super::*;
    use crate::search::SearchMatch;
    use crate::search::stop::Stop;

    const ROOM: Room = Room {
        matches: 1000,
        bytes: 100_000,
    };

    /// What is found with a window that begins with so many bytes.
    fn search(text: &[u8], query: &str, context_lines: usize, first_bytes: usize) -> Outcome {
        let none = CancellationToken::new();
        let task = Task {
            query: Query::parse("query", query, true, true).unwrap(),
            context_lines,
            room: ROOM,
            passed_over: Vec::new(),
            stop: Stop::new(Instant::now() + Duration::from_mins(1), &none),
        };
        let mut search = FileSearch::new(&task);
        search.window = Window::of(first_bytes);
        // Without a size the end is where the disk says so.
        search.search("a", &mut &*text, 0, ROOM)
    }

    fn matches(outcome: Outcome) -> Vec<SearchMatch> {
        match outcome {
            Outcome::Searched(hits) => hits.into_matches(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_found_does_not_depend_on_what_is_in_memory_at_once() {
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
    fn what_a_file_is_follows_from_its_bytes() {
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
                Outcome::Searched(hits) => Some(hits.into_matches().len()),
                _ => None,
            };

            assert_eq!(count, found, "{:?}", bytes.get(..8));
        }
    }

    #[test]
    fn a_mark_at_the_beginning_is_no_part_of_the_first_line() {
        let found = matches(search(b"\xef\xbb\xbfone\ntwo", "^one|two", 1, 16));

        let told: Vec<_> = found
            .iter()
            .map(|hit| (hit.column, &*hit.text, &hit.before))
            .collect();
        assert_eq!(
            told,
            [(1, "one", &vec![]), (1, "two", &vec!["one".to_owned()])]
        );
    }
}
