//! What the host says about its commands.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Places, is_below};
use super::verdict::{Rule, Verdict};

/// Where commands work, and what the host decided otherwise than the filter does by itself.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) places: Places,
    /// Roots that may only be read.
    pub(super) read_only: Vec<String>,
    pub(super) verdicts: BTreeMap<Rule, Verdict>,
    pub(super) allowed: BTreeSet<String>,
    pub(super) forbidden: BTreeSet<String>,
}

impl Settings {
    pub(super) fn of(places: Places) -> Self {
        Self {
            places,
            read_only: Vec::new(),
            verdicts: BTreeMap::new(),
            allowed: BTreeSet::new(),
            forbidden: BTreeSet::new(),
        }
    }

    /// Whether a folder is a root or below one.
    pub(super) fn may_start_in(&self, folder: &str) -> bool {
        let is_in = |root: &String| folder == root || is_below(folder, root);
        self.places.is_at_work(folder) || self.read_only.iter().any(is_in)
    }

    pub(super) fn verdict(&self, rule: Rule) -> Verdict {
        let changed = self.verdicts.get(&rule).copied();
        changed.unwrap_or_else(|| rule.verdict())
    }

    /// Whether the host trusts the program of this name. What it does not want goes above that.
    pub(super) fn trusts(&self, name: &str) -> bool {
        self.allowed.contains(name) && !self.forbidden.contains(name)
    }

    pub(super) fn is_unwanted(&self, name: &str) -> bool {
        self.forbidden.contains(name)
    }
}
