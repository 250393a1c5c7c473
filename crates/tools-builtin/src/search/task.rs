//! What a search is to do.

use super::hits::Room;
use super::query::Query;
use super::stop::Stop;

/// What a search is to do, for all its threads.
#[derive(Debug)]
pub(super) struct Task<'c> {
    pub(super) query: Query,
    /// Whether the query as it was written has ASCII alone.
    pub(super) is_ascii: bool,
    pub(super) context_lines: usize,
    /// How much the whole search may give.
    pub(super) room: Room,
    /// Endings of the names of files that are passed over, in small letters.
    pub(super) passed_over: Vec<String>,
    pub(super) stop: Stop<'c>,
}

impl Task<'_> {
    /// Whether a file of this name is passed over whatever is in it.
    pub(super) fn passes_over(&self, name: &str) -> bool {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| {
            let same = |passed_over: &String| passed_over.eq_ignore_ascii_case(ending);
            self.passed_over.iter().any(same)
        })
    }
}
