//! Names of hidden and ignored entries in a glob.

use globset::{GlobBuilder, GlobMatcher};

/// Maximum number of components of a glob. Longer ones name no entries.
const MAX_COMPONENTS: usize = 32;

/// Components of a glob that name hidden or ignored entries.
///
/// As in a shell, `*` and `**` do not name them: a hidden entry requires a component that starts with
/// a dot, an ignored entry a component without wildcards.
#[derive(Debug, Clone, Default)]
pub(super) struct Naming {
    beginnings: Vec<Beginning>,
}

/// Glob up to a component that names entries.
#[derive(Debug, Clone)]
struct Beginning {
    glob: GlobMatcher,
    is_literal: bool,
    /// Whether this is the complete glob.
    is_whole: bool,
}

impl Naming {
    /// Parses a valid glob for paths below the walked directory, or for names if `whole_path` is
    /// not set.
    pub(super) fn parse(glob: &str, whole_path: bool) -> Self {
        let any_depth = (!whole_path).then_some("**");
        let components = glob.split('/').filter(|part| !matches!(*part, "" | "."));
        let components: Vec<&str> = any_depth.into_iter().chain(components).collect();
        if components.len() > MAX_COMPONENTS {
            return Self::default();
        }
        let beginnings = (1..=components.len()).filter_map(|count| {
            let (last, above) = components.get(..count)?.split_last()?;
            if !is_literal(last) && !is_dotted(last) {
                return None;
            }
            // A brace that is cut open here makes an invalid glob, which names nothing.
            let glob = GlobBuilder::new(&[above, &[*last]].concat().join("/"))
                .literal_separator(true)
                .backslash_escape(true)
                .build();
            Some(Beginning {
                glob: glob.ok()?.compile_matcher(),
                is_literal: is_literal(last),
                is_whole: count == components.len(),
            })
        });
        Self {
            beginnings: beginnings.collect(),
        }
    }

    /// Returns whether the glob names the last component of `path`: a directory above a match if
    /// `is_directory` is set, otherwise a match.
    pub(super) fn names(&self, path: &str, is_directory: bool, is_ignored: bool) -> bool {
        self.beginnings.iter().any(|beginning| {
            beginning.is_whole != is_directory
                && (beginning.is_literal || !is_ignored)
                && beginning.glob.is_match(path)
        })
    }
}

pub(super) fn is_literal(component: &str) -> bool {
    !component.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// Returns whether a component or an alternative in it starts with a dot.
fn is_dotted(component: &str) -> bool {
    component.starts_with('.') || component.contains("{.") || component.contains(",.")
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
            ("{src,a/.github}/*.yml", "a/.github", directory, true),
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
    fn long_globs_name_nothing() {
        let deep = format!("{}.git/config", "a/".repeat(100));

        assert!(Naming::parse(&deep, true).beginnings.is_empty());
    }
}
