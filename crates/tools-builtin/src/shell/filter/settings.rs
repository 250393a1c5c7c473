//! What the host says about its commands.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Places, is_at_or_below};
use super::verdict::{Rule, Verdict};

/// Where commands work, and what the host decided otherwise than the filter does by itself.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) places: Places,
    /// Folders that commands may start in, besides the roots.
    pub(super) granted: Vec<String>,
    pub(super) verdicts: BTreeMap<Rule, Verdict>,
    pub(super) allowed: BTreeSet<String>,
    pub(super) forbidden: BTreeSet<String>,
}

impl Settings {
    pub(super) fn of(places: Places) -> Self {
        Self {
            places,
            granted: Vec::new(),
            verdicts: BTreeMap::new(),
            allowed: BTreeSet::new(),
            forbidden: BTreeSet::new(),
        }
    }

    /// Whether commands may start in a folder.
    pub(super) fn grants(&self, folder: &str) -> bool {
        let below = |root: &String| is_at_or_below(folder, root);
        self.granted.iter().chain(&self.places.roots).any(below)
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
