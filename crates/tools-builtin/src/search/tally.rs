//! Results of all files so far.

use std::ops::ControlFlow;

use tool_core::ToolError;

use super::file_search::{Outcome, Task};
use super::hits::{Capacity, Hits};
use super::output::SearchCodeOutput;
use crate::workspace::{FEW_HITS, Skipped, on_one_line};

/// Results of all files so far. Files are added in the order of their paths.
#[derive(Debug)]
pub(super) struct Tally {
    hits: Hits,
    /// Number of files and directories that could not be read.
    pub(super) unreadable: usize,
    too_long: usize,
    files_searched: usize,
    /// Warning of an incomplete search.
    ended_early: Option<&'static str>,
    /// Hidden and ignored files.
    pub(super) skipped: Option<Skipped>,
    /// Paths of documents, which are not searched.
    documents: Vec<String>,
}

pub(super) const TIMED_OUT: &str = "The search timed out; narrow the directory or the pattern.";
pub(super) const TOO_MANY_ENTRIES: &str = "Some directories were not searched: there are too many entries or levels; search a subdirectory.";

impl Tally {
    pub(super) fn new(task: &Task<'_>) -> Self {
        Self {
            hits: Hits::new(task.capacity, task.context_lines),
            unreadable: 0,
            too_long: 0,
            files_searched: 0,
            ended_early: None,
            skipped: None,
            documents: Vec::new(),
        }
    }

    pub(super) fn capacity(&self) -> Capacity {
        self.hits.capacity
    }

    /// Adds the result of the next file. Breaks if the capacity is exhausted.
    pub(super) fn add(&mut self, outcome: Outcome) -> ControlFlow<()> {
        match outcome {
            Outcome::Searched(hits) => {
                self.files_searched += 1;
                self.hits.append(hits)
            }
            Outcome::TooLong(hits) => {
                self.too_long += 1;
                self.add(Outcome::Searched(hits))
            }
            Outcome::Skipped => ControlFlow::Continue(()),
            Outcome::Document(path) => {
                self.documents.push(path);
                ControlFlow::Continue(())
            }
            Outcome::Unreadable => {
                self.unreadable += 1;
                ControlFlow::Continue(())
            }
        }
    }

    /// Adds the results of the next files. Breaks if the capacity is exhausted.
    pub(super) fn add_all(
        &mut self,
        outcomes: impl IntoIterator<Item = Outcome>,
    ) -> ControlFlow<()> {
        outcomes
            .into_iter()
            .try_for_each(|outcome| self.add(outcome))
    }

    /// Returns whether skipped files may explain the number of matches.
    pub(super) fn has_few_matches(&self) -> bool {
        !self.hits.overflowed && self.hits.total() < FEW_HITS
    }

    /// Records an incomplete search, unless enough matches were found.
    pub(super) fn end_early(&mut self, why: &'static str) {
        if !self.hits.overflowed {
            self.ended_early.get_or_insert(why);
        }
    }

    /// Returns the result, or an error if the call was cancelled.
    pub(super) fn finish(
        self,
        task: &Task<'_>,
    ) -> Result<(SearchCodeOutput, Vec<String>), ToolError> {
        if task.stop.cancellation.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let warnings = self.warnings(task);
        let output = SearchCodeOutput {
            total_matches: self.hits.total(),
            files_searched: self.files_searched,
            truncated: self.hits.overflowed || self.ended_early.is_some(),
            matches: self.hits.matches,
        };
        Ok((output, warnings))
    }

    fn warnings(&self, task: &Task<'_>) -> Vec<String> {
        // They may explain why few matches were found.
        let names_documents = task.names_documents && self.has_few_matches();
        let documents = self.documents.first().filter(|_| names_documents);
        let counted = |count: usize, what: &str| (count > 0).then(|| format!("{what}: {count}."));
        [
            self.ended_early.map(str::to_owned),
            counted(
                self.unreadable,
                "Files or directories skipped because they could not be read",
            ),
            counted(
                self.too_long,
                "Files searched only in part, because a line or a file in another encoding than UTF-8 exceeds 16 MB",
            ),
            self.skipped
                .as_ref()
                .map(|skipped| skipped.warning("pattern")),
            documents.map(|first| documents_warning(first, self.documents.len())),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

fn documents_warning(first: &str, count: usize) -> String {
    let first = on_one_line(first);
    match count {
        1 => format!("The document `{first}` was not searched; read it for its text."),
        more => format!(
            "{more} documents, such as `{first}`, were not searched; read them for their text."
        ),
    }
}
