//! Host settings.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::PathClassifier;
use super::verdict::{CommandRule, CommandVerdict};

/// What the host chose.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    pub(super) paths: PathClassifier,
    pub(super) read_only: Vec<String>,
    pub(super) verdicts: BTreeMap<CommandRule, CommandVerdict>,
    pub(super) allowed: BTreeSet<String>,
    pub(super) forbidden: BTreeSet<String>,
    pub(super) recovers: bool,
}

impl Settings {
    pub(super) fn may_start_in(&self, directory: &str) -> bool {
        self.paths.is_in_root(directory) || self.is_read_only(directory)
    }

    /// Returns `true` if `path` is in a read-only root.
    pub(super) fn is_read_only(&self, path: &str) -> bool {
        let path = format!("{path}/");
        let mut roots = self.read_only.iter();
        roots.any(|root| path.starts_with(&format!("{}/", root.trim_end_matches('/'))))
    }

    /// Returns the verdict of `rule`. `covered` is whether a checkpoint restores what is lost.
    pub(super) fn verdict(&self, rule: CommandRule, covered: bool) -> CommandVerdict {
        match self.verdicts.get(&rule) {
            Some(verdict) => *verdict,
            None if covered && self.recovers => rule.verdict().min(CommandVerdict::Confine),
            None => rule.verdict(),
        }
    }
}
