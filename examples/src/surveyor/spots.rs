//! Which hits are worth a closer look.

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

/// One spot in each of the files with the most hits, at the file's most telling hit.
pub(super) fn best_spots(searches: &[Hits]) -> Vec<Spot> {
    let mut files: HashMap<&str, (usize, &Hit)> = HashMap::new();
    // The searches come with the most telling first, so the first hit of a file stays.
    for hit in searches.iter().flat_map(|hits| &hits.matches) {
        files.entry(&hit.path).or_insert((0, hit)).0 += 1;
    }
    let mut ranked: Vec<(usize, &Hit)> = files.into_values().collect();
    ranked.sort_by_key(|(count, hit)| (std::cmp::Reverse(*count), &hit.path));
    ranked
        .into_iter()
        .take(MAX_SPOTS)
        .map(|(_, hit)| Spot {
            path: hit.path.clone(),
            first_line: hit.line.saturating_sub(AROUND).max(1),
            last_line: hit.line.saturating_add(AROUND),
        })
        .collect()
}
