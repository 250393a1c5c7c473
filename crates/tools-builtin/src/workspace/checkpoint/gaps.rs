//! Contents that a checkpoint does not keep.

use std::collections::BTreeMap;
use std::path::Path;

use crate::workspace::on_one_line;

/// Reason for which a scan does not keep a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    TooLarge,
    Ignored,
    Full,
    Unstable,
    Unreadable,
    TooDeep,
}

/// Contents that a scan does not keep: for each reason their number and the first path.
#[derive(Debug, Default)]
pub(super) struct Gaps(BTreeMap<Gap, (usize, String)>);

impl Gaps {
    pub(super) fn add(&mut self, gap: Gap, path: &Path) {
        let first = || on_one_line(&path.to_string_lossy()).into_owned();
        let found = self.0.entry(gap).or_insert_with(|| (0, first()));
        found.0 += 1;
    }

    /// Returns one sentence for each reason.
    pub(super) fn notes(&self) -> Vec<String> {
        let note = |(gap, (count, first)): (&Gap, &(usize, String))| {
            let reason = match gap {
                Gap::TooLarge => "larger than 64 MiB",
                Gap::Ignored => "ignored and larger than 1 MiB",
                Gap::Full => "beyond the size limit of the store",
                Gap::Unstable => "changing while they are read",
                Gap::Unreadable => "not readable",
                Gap::TooDeep => "nested too deeply",
            };
            format!("Files that are {reason} are not kept: {count}, such as `{first}`.")
        };
        self.0.iter().map(note).collect()
    }
}
