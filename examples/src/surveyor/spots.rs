//! Which hits are worth a closer look.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::findings::{Hit, Hits};

/// Spots that are read at most.
const MAX_SPOTS: usize = 5;
/// Lines that are read before and after a hit.
const AROUND: usize = 3;

/// A piece of a file to read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) path: String,
    pub(super) first_line: usize,
    pub(super) last_line: usize,
}

/// One spot in each of the best files, at the file's most telling hit.
///
/// The best files are those with a hit of the most telling search, then those with the most hits.
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

/// A file with hits.
struct File<'h> {
    /// The most telling search that found something in it.
    search: usize,
    count: usize,
    /// The first hit of that search.
    hit: &'h Hit,
}
