//! Parameters of a search.

use super::hits::Capacity;
use super::query::Query;
use super::stop::StopConditions;

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
