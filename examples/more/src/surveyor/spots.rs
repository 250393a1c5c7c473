//! Selection of the hits to read in context.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::findings::{Hit, Hits};

/// Maximum number of spots.
const MAX_SPOTS: usize = 5;
/// Number of lines to read before and after a hit.
const AROUND: usize = 3;

/// Range of a file to read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) path: String,
    pub(super) first_line: usize,
    pub(super) last_line: usize,
}

/// Returns one spot for each of the best files, at its most important hit.
///
/// Files with a hit of a more important search come first, then files with more hits.
pub(super) fn best_spots(searches: &[Hits]) -> Vec<Spot> {
    let mut files: HashMap<&str, File<'_>> = HashMap::new();
    for (search, hits) in searches.iter().enumerate() {
        for hit in &hits.matches {
            let first = File {
                search,
                count: 0,
                hit,
            };
            files.entry(&hit.path).or_insert(first).count += 1;
        }
    }
    let mut ranked: Vec<File<'_>> = files.into_values().collect();
    ranked.sort_by_key(|file| (file.search, Reverse(file.count), &file.hit.path));
    let spot = |file: &File<'_>| Spot {
        path: file.hit.path.clone(),
        first_line: file.hit.line.saturating_sub(AROUND).max(1),
        last_line: file.hit.line.saturating_add(AROUND),
    };
    ranked.iter().take(MAX_SPOTS).map(spot).collect()
}

/// File with hits.
struct File<'h> {
    /// Most important search with a hit in the file.
    search: usize,
    count: usize,
    /// First hit of that search.
    hit: &'h Hit,
}
