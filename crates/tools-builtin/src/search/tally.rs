//! What was found in all files so far.

use std::ops::ControlFlow;

use tool_core::ToolError;

use super::file_search::Outcome;
use super::hits::{Hits, Room};
use super::search_code::SearchCodeOutput;
use super::task::Task;

/// What was found in all files so far. Files are added in the order of their paths.
#[derive(Debug)]
pub(super) struct Tally {
    hits: Hits,
    unreadable: usize,
    too_long: usize,
    files_searched: usize,
    ended_early: Option<Early>,
}

/// What a search came to.
pub(super) struct Found {
    pub(super) output: SearchCodeOutput,
    pub(super) warnings: Vec<String>,
}

/// Why a search ended before its end, other than by what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Early {
    Deadline,
    TooManyEntries,
}

impl Tally {
    pub(super) fn new(task: &Task<'_>) -> Self {
        Self {
            hits: Hits::new(task.room, task.context_lines),
            unreadable: 0,
            too_long: 0,
            files_searched: 0,
            ended_early: None,
        }
    }

    /// How much more may be taken.
    pub(super) fn room(&self) -> Room {
        self.hits.room()
    }

    /// Whether there may be room for no more when so many times as much is searched as was until now.
    pub(super) fn may_overflow_in(&self, times: usize, task: &Task<'_>) -> bool {
        let (whole, left) = (task.room, self.room());
        [(whole.matches, left.matches), (whole.bytes, left.bytes)]
            .into_iter()
            .any(|(whole, left)| (whole - left).saturating_mul(times) >= whole)
    }

    /// Adds what came of the next file; breaks when there is room for no more.
    pub(super) fn add(&mut self, outcome: Outcome) -> ControlFlow<()> {
        match outcome {
            Outcome::Searched(hits) => {
                self.files_searched += 1;
                self.hits.append(hits)
            }
            Outcome::TooLong(hits) => {
                self.too_long += 1;
                self.files_searched += 1;
                self.hits.append(hits)
            }
            Outcome::PassedOver => ControlFlow::Continue(()),
            Outcome::Unreadable => {
                self.unreadable += 1;
                ControlFlow::Continue(())
            }
        }
    }

    /// Adds folders that could not be read.
    pub(super) fn add_unreadable(&mut self, folders: usize) {
        self.unreadable += folders;
    }

    /// Notes that the search ended before its end. Where enough was found that is no news.
    pub(super) fn end_early(&mut self, why: Early) {
        if !self.hits.overflowed() {
            self.ended_early.get_or_insert(why);
        }
    }

    /// What was found. A search that was cancelled gives nothing.
    pub(super) fn finish(self, task: &Task<'_>) -> Result<Found, ToolError> {
        if task.stop.is_cancelled() {
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

    fn warnings(&self) -> Vec<String> {
        let early = self.ended_early.map(|early| match early {
            Early::Deadline => {
                "The time for searching ran out; narrow the folder or the pattern.".to_owned()
            }
            Early::TooManyEntries => {
                "Not every folder was looked into: there are too many entries, or they lie too deep; search further down."
                    .to_owned()
            }
        });
        let counted = |count: usize, what: &str| (count > 0).then(|| format!("{what}: {count}."));
        [
            early,
            counted(
                self.unreadable,
                "Files or folders that could not be read and were passed over",
            ),
            counted(
                self.too_long,
                "Files with a line, or in another encoding than UTF-8, over 16 MB, which were not searched to their end",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use tool_core::CancellationToken;

    use super::super::lines::MatchingLine;
    use super::super::query::Query;
    use super::super::stop::Stop;
    use super::*;

    #[test]
    fn whether_there_may_be_too_much_is_seen_from_what_was_found() {
        let none = CancellationToken::new();
        let room = Room {
            matches: 64,
            bytes: 6400,
        };
        let task = Task {
            query: Query::parse("query", "a", false, true).unwrap(),
            is_ascii: true,
            context_lines: 0,
            room,
            passed_over: Vec::new(),
            stop: Stop::new(Instant::now() + Duration::from_mins(1), &none),
        };
        for (lines, bytes, expected) in [
            (0, 1, false),
            (3, 1, false),
            (4, 1, true),
            (1, 398, false),
            (1, 399, true),
        ] {
            let mut tally = Tally::new(&task);
            let mut hits = Hits::new(room, 0);
            let line = MatchingLine {
                number: 1,
                range: 0..bytes,
                found: 0,
            };
            for _ in 0..lines {
                let _ = hits.take("p", &vec![b'a'; bytes], &line);
            }
            let _ = tally.add(Outcome::Searched(hits));

            assert_eq!(
                tally.may_overflow_in(16, &task),
                expected,
                "{lines} {bytes}"
            );
        }
    }
}
