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
use crate::workspace::{Entry, File};

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
        match entry.open("path") {
            Ok(mut file) => self.search(&mut file, room),
            // Most likely it was removed meanwhile; a search goes on.
            Err(_) => Outcome::Unreadable,
        }
    }

    /// Searches a file, and takes no more than there is room for.
    pub(super) fn search(&mut self, file: &mut File, room: Room) -> Outcome {
        let (path, size) = (file.path().to_owned(), file.len());
        self.try_search(&path, file, size, room)
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
            Encoding::Utf8 | Encoding::Unknown => self.search_windows(path, file, hits),
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
