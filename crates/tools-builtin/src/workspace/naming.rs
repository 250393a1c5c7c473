//! Names of hidden and ignored entries in a glob.

use globset::{GlobBuilder, GlobMatcher};

/// Maximum number of alternatives in braces. Globs with more name no entries.
const MAX_ALTERNATIVES: usize = 32;

/// Maximum number of components of an alternative, each of which is one bit of [`Positions`].
const MAX_PARTS: usize = 32;

/// Positions before the components of an alternative.
type Positions = u64;

/// Components of a glob that name hidden or ignored entries.
///
/// As in a shell, `*` and `**` do not name them: a hidden entry requires a component that starts with
/// a dot, an ignored entry a component without wildcards.
#[derive(Debug, Clone, Default)]
pub(super) struct Naming {
    alternatives: Vec<Alternative>,
}

impl Naming {
    /// Parses a valid glob for paths below the walked directory, or for names if `whole_path` is
    /// not set.
    pub(super) fn parse(glob: &str, whole_path: bool) -> Self {
        let alternatives = alternatives(glob).into_iter();
        Self {
            alternatives: alternatives
                .filter_map(|glob| Alternative::parse(&glob, whole_path))
                .collect(),
        }
    }

    /// Returns whether the glob names the last component of `path`: a directory above a match if
    /// `is_directory` is set, otherwise a match.
    pub(super) fn names(&self, path: &str, is_directory: bool, is_ignored: bool) -> bool {
        let mut alternatives = self.alternatives.iter();
        alternatives.any(|alternative| alternative.names(path, is_directory, is_ignored))
    }
}

/// Glob without braces, up to the last component that may name an entry.
#[derive(Debug, Clone)]
struct Alternative {
    parts: Vec<Part>,
    /// Whether the last part is the last component of the glob.
    is_whole: bool,
}

#[derive(Debug, Clone)]
enum Part {
    /// `**`.
    AnyDepth,
    Literal(String),
    Glob {
        matcher: Box<GlobMatcher>,
        is_dotted: bool,
    },
}

impl Alternative {
    fn parse(glob: &str, whole_path: bool) -> Option<Self> {
        let any_depth = (!whole_path).then_some("**");
        let components = glob.split('/').filter(|part| !matches!(*part, "" | "."));
        let components: Vec<&str> = any_depth.into_iter().chain(components).collect();
        let names = |part: &&str| is_literal(part) || part.starts_with('.');
        let count = components.iter().rposition(names)? + 1;
        if count > MAX_PARTS {
            return None;
        }
        let parts = components.iter().take(count).map(|part| Part::parse(part));
        Some(Self {
            parts: parts.collect::<Option<_>>()?,
            is_whole: count == components.len(),
        })
    }

    fn names(&self, path: &str, is_directory: bool, is_ignored: bool) -> bool {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut before = self.with_empty_depths(1);
        for component in directory.split('/').filter(|part| !part.is_empty()) {
            before = self.with_empty_depths(self.after(before, component));
        }
        let mut parts = self.parts_at(before);
        parts.any(|(index, part)| {
            let is_last = self.is_whole && index + 1 == self.parts.len();
            is_last != is_directory && part.names(is_ignored) && part.matches(name)
        })
    }

    fn parts_at(&self, positions: Positions) -> impl Iterator<Item = (usize, &Part)> {
        let parts = self.parts.iter().enumerate();
        parts.filter(move |(index, _)| positions & (1 << index) != 0)
    }

    /// Returns the positions after one component of a path.
    fn after(&self, before: Positions, component: &str) -> Positions {
        let parts = self.parts_at(before);
        parts.fold(0, |after, (index, part)| match part {
            Part::AnyDepth => after | 1 << index,
            part if part.matches(component) => after | 1 << (index + 1),
            _ => after,
        })
    }

    /// Adds the positions after each `**`, which also matches no component.
    fn with_empty_depths(&self, positions: Positions) -> Positions {
        let parts = self.parts.iter().enumerate();
        parts.fold(positions, |positions, (index, part)| {
            let is_before = positions & (1 << index) != 0;
            let skips = is_before && matches!(part, Part::AnyDepth);
            positions | Positions::from(skips) << (index + 1)
        })
    }
}

impl Part {
    fn parse(component: &str) -> Option<Self> {
        if component == "**" {
            return Some(Self::AnyDepth);
        }
        if is_literal(component) {
            return Some(Self::Literal(component.to_owned()));
        }
        // `compile_matcher` panics for deeply nested braces, but none are left: `alternatives` has expanded them.
        let glob = GlobBuilder::new(component).backslash_escape(true).build();
        Some(Self::Glob {
            matcher: Box::new(glob.ok()?.compile_matcher()),
            is_dotted: component.starts_with('.'),
        })
    }

    fn names(&self, is_ignored: bool) -> bool {
        match self {
            Self::AnyDepth => false,
            Self::Literal(_) => true,
            Self::Glob { is_dotted, .. } => *is_dotted && !is_ignored,
        }
    }

    fn matches(&self, component: &str) -> bool {
        match self {
            Self::AnyDepth => true,
            Self::Literal(name) => name == component,
            Self::Glob { matcher, .. } => matcher.is_match(component),
        }
    }
}

pub(super) fn is_literal(component: &str) -> bool {
    !component.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// Expands the braces of a glob. Returns nothing if there are too many alternatives.
fn alternatives(glob: &str) -> Vec<String> {
    let (mut pending, mut plain) = (vec![glob.to_owned()], Vec::new());
    while let Some(next) = pending.pop() {
        match expanded(&next) {
            Some(globs) => pending.extend(globs),
            None => plain.push(next),
        }
        if pending.len() + plain.len() > MAX_ALTERNATIVES {
            return Vec::new();
        }
    }
    plain
}

/// Returns the glob once for each option in its first pair of braces; `None` if it has no braces.
fn expanded(glob: &str) -> Option<Vec<String>> {
    let (mut start, mut option, mut depth) = (0, 0, 0_usize);
    let mut options = Vec::new();
    for (at, character) in special(glob) {
        match (character, depth) {
            ('{', 0) => (start, option, depth) = (at, at + 1, 1),
            ('{', _) => depth += 1,
            (',', 1) => {
                options.push(glob.get(option..at)?);
                option = at + 1;
            }
            ('}', 1) => {
                options.push(glob.get(option..at)?);
                let (before, after) = (glob.get(..start)?, glob.get(at + 1..)?);
                let options = options.iter();
                let globs = options.map(|option| format!("{before}{option}{after}"));
                return Some(globs.collect());
            }
            ('}', _) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Returns the braces and commas outside classes and escapes.
fn special(glob: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut is_escaped, mut class_start) = (false, None);
    glob.char_indices().filter(move |(at, character)| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        match (character, class_start) {
            ('\\', None) => is_escaped = true,
            ('[', None) => class_start = Some(*at),
            // A bracket at the start of a class belongs to the class.
            (']', Some(start)) if *at > start + 1 => class_start = None,
            _ => {}
        }
        class_start.is_none() && matches!(character, '{' | ',' | '}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(glob: &str, path: &str, is_directory: bool, is_ignored: bool) -> bool {
        Naming::parse(glob, glob.contains('/')).names(path, is_directory, is_ignored)
    }

    #[test]
    fn hidden_entry_requires_dot_in_glob() {
        let (file, directory) = (false, true);
        for (glob, path, kind, named) in [
            (".github/workflows/ci.yml", ".github", directory, true),
            (".github/**", ".github", directory, true),
            (".github/**", ".github/.cache", directory, false),
            ("**/.github/*.yml", "a/b/.github", directory, true),
            (".*/*.yml", ".github", directory, true),
            ("*/*.yml", ".github", directory, false),
            ("**/*.yml", ".github", directory, false),
            (".env", ".env", file, true),
            (".env", "a/.env", file, true),
            (".env*", "a/.env.local", file, true),
            (".env", ".env", directory, false),
            (".github/**", ".github", file, false),
            ("*", ".env", file, false),
            ("{src,.github}/*.yml", ".github", directory, true),
            ("{src,{a,.github/b}}/*.yml", ".github", directory, true),
            ("[{].github/*", ".github", directory, false),
            (r"\{.github,a}/*", ".github", directory, false),
            ("a/*/.b/c", "a/x/.b", directory, true),
            ("a/*/.b/c", "a/.x", directory, false),
        ] {
            assert_eq!(names(glob, path, kind, false), named, "{glob} {path}");
        }
    }

    #[test]
    fn ignored_entry_requires_literal_name() {
        let (file, directory) = (false, true);
        for (glob, path, kind, named) in [
            ("target/debug/*.d", "target", directory, true),
            (
                "**/node_modules/a/index.js",
                "x/node_modules",
                directory,
                true,
            ),
            ("**/a.log", "a.log", file, true),
            ("a.log", "x/a.log", file, true),
            ("*.log", "a.log", file, false),
            ("t*/a.log", "target", directory, false),
            (".v*/a", ".venv", directory, false),
            (".venv/a", ".venv", directory, true),
            ("target", "target", directory, false),
        ] {
            assert_eq!(names(glob, path, kind, true), named, "{glob} {path}");
        }
    }

    #[test]
    fn excessive_globs_name_nothing() {
        let many = "{a,b}".repeat(100);
        let deep = format!("{}.git/config", "a/".repeat(100));

        for glob in [many.as_str(), deep.as_str()] {
            let naming = Naming::parse(glob, true);

            assert!(naming.alternatives.is_empty(), "{glob}");
        }
    }
}
