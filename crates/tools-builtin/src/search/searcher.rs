//! Going from file to file until everything is searched, or enough is found.

use std::time::Instant;

use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::content::{self, Content};
use super::hits::Hits;
use super::lines;
use super::query::Query;
use super::search_code::SearchCodeOutput;
use crate::workspace::{File, Walk, WalkOptions, Workspace};

/// One search on its way.
pub(super) struct Searcher<'c> {
    query: Query,
    hits: Hits,
    deadline: Instant,
    cancellation: &'c CancellationToken,
    buffer: Vec<u8>,
    passed_over: PassedOver,
    files_searched: usize,
    ended_early: Option<Early>,
    /// Endings of names in small letters.
    skipped: Vec<String>,
}

/// What a search came to.
pub(super) struct Found {
    pub(super) output: SearchCodeOutput,
    pub(super) warnings: Vec<String>,
}

/// Files and folders that nothing was found in because nobody looked.
#[derive(Debug, Default)]
struct PassedOver {
    unreadable: usize,
    too_large: usize,
}

/// Why a search ended before its end, other than by what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Early {
    Deadline,
    TooManyEntries,
}

impl<'c> Searcher<'c> {
    pub(super) fn new(
        query: Query,
        hits: Hits,
        deadline: Instant,
        cancellation: &'c CancellationToken,
    ) -> Self {
        Self {
            query,
            hits,
            deadline,
            cancellation,
            buffer: Vec::new(),
            passed_over: PassedOver::default(),
            files_searched: 0,
            ended_early: None,
            skipped: Vec::new(),
        }
    }

    /// Passes over files whose names end so, in capital or small letters.
    pub(super) fn skipping(mut self, endings: &[String]) -> Self {
        self.skipped = endings
            .iter()
            .map(|ending| ending.to_ascii_lowercase())
            .collect();
        self
    }

    fn is_skipped(&self, name: &str) -> bool {
        if self.skipped.is_empty() {
            return false;
        }
        let name = name.to_ascii_lowercase();
        self.skipped.iter().any(|ending| name.ends_with(ending))
    }

    /// Searches the folder at `path`, or the one file that is there.
    pub(super) fn run(
        &mut self,
        workspace: &Workspace,
        path: &str,
        options: &WalkOptions,
    ) -> Result<(), ToolError> {
        // Folders without a single file to search take time too.
        let options = options.clone().with_deadline(self.deadline);
        match workspace.walk("path", path, &options, self.cancellation) {
            Ok(walk) => self.folder(walk),
            Err(error) if *error.code() == ErrorCode::NotADirectory => {
                self.file(workspace.existing_file("path", path)?);
                self.note_deadline();
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// What was found. A search that was cancelled gives nothing.
    pub(super) fn finish(self) -> Result<Found, ToolError> {
        if self.cancellation.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let warnings = self.warnings();
        let output = SearchCodeOutput {
            total_matches: self.hits.total(),
            files_searched: self.files_searched,
            truncated: self.hits.overflowed() || self.ended_early.is_some(),
            matches: self.hits.into_matches(),
        };
        Ok(Found { output, warnings })
    }

    fn folder(&mut self, mut walk: Walk) {
        while !self.is_over() {
            let Some(entry) = walk.next() else {
                break;
            };
            if self.is_skipped(entry.name()) {
                continue;
            }
            match entry.open("path") {
                Ok(file) => self.file(file),
                // Most likely it was removed meanwhile; a search goes on.
                Err(_) => self.passed_over.unreadable += 1,
            }
        }
        self.passed_over.unreadable += walk.unreadable();
        if walk.truncated() && !self.is_over() {
            self.ended_early = Some(Early::TooManyEntries);
        }
    }

    fn file(&mut self, mut file: File) {
        let length = file.len();
        match content::read(&mut file, length, &mut self.buffer) {
            Ok(Content::Text(text)) => {
                self.files_searched += 1;
                let stop = || self.cancellation.is_cancelled() || Instant::now() >= self.deadline;
                let hits = &mut self.hits;
                // Whether it broke off is seen from the hits and the clock.
                let _ = lines::search(&self.query, &text, stop, |line| {
                    hits.take(file.path(), &text, &line)
                });
            }
            Ok(Content::Binary) => {}
            Ok(Content::TooLarge) => self.passed_over.too_large += 1,
            Err(_) => self.passed_over.unreadable += 1,
        }
        // A buffer that one huge file has stretched is not kept for the small ones behind it.
        self.buffer.shrink_to(1024 * 1024);
    }

    fn note_deadline(&mut self) {
        if Instant::now() >= self.deadline {
            self.ended_early = Some(Early::Deadline);
        }
    }

    fn is_over(&mut self) -> bool {
        self.note_deadline();
        self.hits.overflowed() || self.ended_early.is_some() || self.cancellation.is_cancelled()
    }

    fn warnings(&self) -> Vec<String> {
        let PassedOver {
            unreadable,
            too_large,
        } = self.passed_over;
        let early = self.ended_early.map(|early| match early {
            Early::Deadline => {
                "The time for searching ran out; narrow the folder or the pattern.".to_owned()
            }
            Early::TooManyEntries => {
                "Not every folder was looked into: there are too many entries, or they lie too deep; search further down."
                    .to_owned()
            }
        });
        let unreadable = (unreadable > 0).then(|| {
            format!("Files or folders that could not be read and were passed over: {unreadable}.")
        });
        let too_large = (too_large > 0)
            .then(|| format!("Files over 64 MB that were passed over: {too_large}."));
        early
            .into_iter()
            .chain(unreadable)
            .chain(too_large)
            .collect()
    }
}
