//! Hits of a search.

use std::collections::BTreeMap;

use tools_builtin::repository::RepositoryHit;

/// Hits in files that are searched in any order. The hits of the first paths are kept.
pub(super) struct Found {
    limit: usize,
    files: BTreeMap<String, Vec<RepositoryHit>>,
    count: usize,
}

impl Found {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            files: BTreeMap::new(),
            count: 0,
        }
    }

    /// Adds the hits in one file.
    pub(super) fn add(&mut self, hits: Vec<RepositoryHit>) {
        let Some(first) = hits.first() else {
            return;
        };
        self.count += hits.len();
        self.files.insert(first.path.clone(), hits);
        while let Some(last) = self.files.last_entry()
            && self.count - last.get().len() >= self.limit
        {
            self.count -= last.remove().len();
        }
    }

    /// Adds the hits in other files.
    pub(super) fn merge(&mut self, other: Self) {
        for hits in other.files.into_values() {
            self.add(hits);
        }
    }

    /// Returns the hits, sorted by path and line.
    pub(super) fn into_hits(self) -> Vec<RepositoryHit> {
        let hits = self.files.into_values().flatten();
        hits.take(self.limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(path: &str, count: usize) -> Vec<RepositoryHit> {
        let hit = |line| RepositoryHit {
            path: path.to_owned(),
            line,
            text: String::new(),
        };
        (1..=count).map(hit).collect()
    }

    #[test]
    fn keeps_first_paths_in_any_order() {
        let files = [("a", 2), ("b", 0), ("c", 3), ("d", 4), ("e", 1)];
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]] {
            let mut found = Found::new(4);
            for index in order {
                let (path, count) = files[index];
                found.add(hits(path, count));
            }
            assert!(found.count < 4 + 4);

            let kept = found.into_hits();

            let kept: Vec<(&str, usize)> = kept
                .iter()
                .map(|hit| (hit.path.as_str(), hit.line))
                .collect();
            assert_eq!(kept, [("a", 1), ("a", 2), ("c", 1), ("c", 2)]);
        }
    }
}
