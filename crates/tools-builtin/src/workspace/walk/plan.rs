//! Selection of the entries of a walk.

use super::options::WalkOptions;
use super::skipped::Exclusion;
use crate::workspace::EntryKind;
use crate::workspace::listing::Name;
use crate::workspace::rules::Rules;

/// Options of a walk, shared by its threads.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) options: WalkOptions,
    /// Number of bytes of a path before the part below the walked directory.
    pub(super) prefix: usize,
    pub(super) refuses_hard_links: bool,
}

impl Plan {
    /// Returns the path relative to the walked directory.
    fn below<'p>(&self, path: &'p str) -> &'p str {
        path.get(self.prefix..).unwrap_or_default()
    }

    /// Returns the reason for skipping an entry, unless the glob names it.
    pub(super) fn exclusion(
        &self,
        path: &str,
        name: Name<'_>,
        rules: Option<&Rules>,
    ) -> Option<Exclusion> {
        let verdict = rules.and_then(|rules| rules.ignores(path, name.kind));
        let exclusion = Exclusion {
            hidden: !self.options.hidden && name.text.starts_with('.'),
            ignored: verdict == Some(true) || self.skips_as_git(name),
        };
        let is_excluded = verdict != Some(false) && exclusion != Exclusion::default();
        (is_excluded && !self.names(path, name, exclusion)).then_some(exclusion)
    }

    fn skips_as_git(&self, name: Name<'_>) -> bool {
        self.options.skips_git && name.kind == EntryKind::Directory && name.text == ".git"
    }

    fn names(&self, path: &str, name: Name<'_>, exclusion: Exclusion) -> bool {
        let is_directory = name.kind == EntryKind::Directory;
        self.options
            .pattern
            .as_ref()
            .is_some_and(|pattern| pattern.names(self.below(path), is_directory, exclusion.ignored))
    }

    /// Returns `true` if an excluded directory is listed, without its entries.
    pub(super) fn lists(&self, name: Name<'_>, exclusion: Exclusion) -> bool {
        let is_directory = name.kind == EntryKind::Directory;
        self.options.lists_ignored && is_directory && !exclusion.hidden
    }

    /// Returns `true` if the walk returns an entry.
    pub(super) fn selects(&self, path: &str, kind: EntryKind) -> bool {
        let pattern = self.options.pattern.as_ref();
        self.options.kinds.contains(&kind)
            && pattern.is_none_or(|pattern| pattern.matches(self.below(path)))
    }

    /// Returns `true` if the glob may match entries below `directory`.
    pub(super) fn may_contain_matches(&self, directory: &str) -> bool {
        let pattern = self.options.pattern.as_ref();
        pattern.is_none_or(|pattern| pattern.may_match_in(self.below(directory)))
    }
}
