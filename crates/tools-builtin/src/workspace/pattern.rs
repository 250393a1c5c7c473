//! Globs for paths, and the hidden or ignored entries that a glob names.

use globset::{ErrorKind, Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use tool_core::{ErrorCode, ToolError};

use super::path::{folded, on_one_line};

const MAX_BYTES: usize = 1024;
// globset panics or fails on deeply nested braces, and 250 levels are only 501 bytes.
const MAX_NESTING: usize = 10;

/// Glob with `*`, `?`, `**`, `[a-z]` and `{a,b}`.
///
/// A glob without `/` matches the last component of a path, at any depth. A glob with `/` matches
/// the complete path below the walked directory; a leading `/` or `./` refers to that directory. Brackets and braces also
/// match themselves, so that `app/[id]/page.tsx` finds the file of that name.
///
/// In a [`Walk`](super::Walk), a component that starts with a dot also matches hidden entries, and a
/// component without wildcards also matches ignored entries: `.github/**` and `target/debug/a.d`
/// find files that `**` does not.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::Pattern;
///
/// let pattern = Pattern::parse("pattern", "src/**/*.{rs,md}")?;
/// assert!(pattern.matches("src/a/b.rs"));
/// assert!(!pattern.matches("tests/a.rs"));
/// assert!(Pattern::parse("pattern", "*.rs")?.matches("src/a/b.rs"));
/// # Ok::<_, tool_core::ToolError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pattern {
    set: GlobSet,
    whole_path: bool,
    /// Leading directories without wildcards of a glob for complete paths.
    directories: String,
    /// What its directories name, and what its last component names.
    above: Naming,
    last: Naming,
}

impl Pattern {
    /// Parses a glob. `parameter` is the parameter that contains it.
    ///
    /// # Errors
    /// Returns [`ErrorCode::InvalidPattern`] with the position if the glob is invalid.
    pub fn parse(parameter: &str, pattern: &str) -> Result<Self, ToolError> {
        let invalid = |reason: &str, at: usize| {
            let sentence = format!("is not a valid glob: {reason} at character {at}");
            ToolError::about(ErrorCode::InvalidPattern, parameter, sentence)
                .suggest("Use a glob such as `*.rs` or `src/**/*.{js,ts}`.")
        };
        check_size(pattern).map_err(|(reason, at)| invalid(reason, at))?;
        let anchored = pattern
            .strip_prefix("./")
            .or_else(|| pattern.strip_prefix('/'));
        let below = anchored.unwrap_or(pattern);
        let parsed = glob(below).map_err(|error| {
            let (reason, at) = explain(error.kind(), pattern);
            invalid(reason, at)
        })?;
        // Building a set returns an error in cases where building a single glob panics.
        let mut set = GlobSetBuilder::new();
        set.add(parsed);
        for literal in with_literals(below) {
            if let Ok(literal) = glob(&literal) {
                set.add(literal);
            }
        }
        let set = set.build().map_err(|_| invalid("it is too complex", 1))?;
        let whole_path = anchored.is_some() || below.contains('/');
        let components: Vec<&str> = below.split('/').collect();
        let (above, last) = components.split_at(components.len() - 1);
        Ok(Self {
            set,
            whole_path,
            directories: literal_directories(below),
            above: Naming::of(above),
            last: Naming::of(last),
        })
    }

    /// Returns whether the glob may match an entry in or below `directory`.
    pub(super) fn may_match_in(&self, directory: &str) -> bool {
        let is_in = |outer: &str, inner: &str| {
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        is_in(&self.directories, directory) || is_in(directory, &self.directories)
    }

    /// Returns whether the glob names a hidden or ignored entry, which other globs do not match.
    pub(super) fn names(&self, name: &str, is_directory: bool, is_ignored: bool) -> bool {
        let naming = if is_directory {
            &self.above
        } else {
            &self.last
        };
        naming.names(name, is_ignored)
    }

    /// Returns a warning if the glob starts with the directory that `directory_parameter` already
    /// contains, so that it cannot match anything.
    pub(crate) fn repeats(
        &self,
        parameter: &str,
        directory_parameter: &str,
        directory: &str,
    ) -> Option<String> {
        let directory = folded(directory);
        let rest = self.directories.strip_prefix(&directory)?;
        let is_repeated = !directory.is_empty() && (rest.is_empty() || rest.starts_with('/'));
        is_repeated.then(|| {
            let directory = on_one_line(&directory);
            format!(
                "Nothing was searched: `{parameter}` applies to paths below `{directory_parameter}`. Remove `{directory}/` from `{parameter}`."
            )
        })
    }

    /// Returns whether the glob matches `path`, which is relative to the walked directory.
    pub fn matches(&self, path: &str) -> bool {
        let part = if self.whole_path {
            path
        } else {
            path.rsplit('/').next().unwrap_or(path)
        };
        self.set.is_match(part)
    }
}

/// Returns the glob with literal brackets, and with literal braces too, if it has any.
fn with_literals(glob: &str) -> Vec<String> {
    let literal = |special: &[char]| {
        let mut escaped = String::with_capacity(glob.len() + 8);
        let mut is_escaped = false;
        for character in glob.chars() {
            if !is_escaped && special.contains(&character) {
                escaped.push('\\');
            }
            is_escaped = !is_escaped && character == '\\';
            escaped.push(character);
        }
        (escaped != glob).then_some(escaped)
    };
    let variants = [literal(&['[', ']']), literal(&['[', ']', '{', '}'])];
    let mut variants: Vec<String> = variants.into_iter().flatten().collect();
    variants.dedup();
    variants
}

/// Returns the directories before the first wildcard.
fn literal_directories(pattern: &str) -> String {
    let (directories, _) = pattern.rsplit_once('/').unwrap_or_default();
    let plain = directories.split('/').take_while(|part| is_literal(part));
    let plain: Vec<&str> = plain.collect();
    plain.join("/")
}

fn check_size(pattern: &str) -> Result<(), (&'static str, usize)> {
    if pattern.is_empty() {
        return Err(("it is empty", 1));
    }
    if pattern.len() > MAX_BYTES {
        return Err(("it is too long", MAX_BYTES + 1));
    }
    let mut nesting: usize = 0;
    for (index, character) in pattern.chars().enumerate() {
        match character {
            '{' => nesting += 1,
            '}' => nesting = nesting.saturating_sub(1),
            _ => {}
        }
        if nesting > MAX_NESTING {
            return Err(("too many nested braces", index + 1));
        }
    }
    Ok(())
}

/// Returns the reason, and the position as a character number counted from 1.
fn explain(kind: &ErrorKind, pattern: &str) -> (&'static str, usize) {
    let characters = |bytes: Option<usize>| {
        bytes
            .and_then(|end| pattern.get(..end))
            .map_or(1, |before| before.chars().count() + 1)
    };
    match kind {
        ErrorKind::UnclosedClass => ("`[` without `]`", characters(pattern.rfind('['))),
        ErrorKind::UnclosedAlternates => ("`{` without `}`", characters(pattern.rfind('{'))),
        ErrorKind::UnopenedAlternates => ("`}` without `{`", characters(pattern.find('}'))),
        ErrorKind::DanglingEscape => (r"`\` with nothing after it", pattern.chars().count()),
        ErrorKind::InvalidRange(first, last) => {
            let range = format!("{first}-{last}");
            ("a reversed range", characters(pattern.find(&range)))
        }
        _ => ("it is invalid", 1),
    }
}

/// Components of a glob that name hidden or ignored entries, wherever they are.
///
/// As in a shell, `*` and `**` do not name them: a hidden entry requires a component that starts with
/// a dot, an ignored entry a component without wildcards.
#[derive(Debug, Clone)]
struct Naming {
    literal: Vec<String>,
    dotted: GlobSet,
}

impl Naming {
    fn of(components: &[&str]) -> Self {
        let (literal, others): (Vec<&str>, Vec<&str>) = components
            .iter()
            .partition(|component| is_literal(component));
        let mut dotted = GlobSetBuilder::new();
        for component in others.into_iter().filter(|component| is_dotted(component)) {
            // A component with a part of a group in braces is invalid, and names nothing.
            if let Ok(glob) = glob(component) {
                dotted.add(glob);
            }
        }
        Self {
            literal: literal.into_iter().map(str::to_owned).collect(),
            dotted: dotted.build().unwrap_or_default(),
        }
    }

    fn names(&self, name: &str, is_ignored: bool) -> bool {
        let is_literal = self.literal.iter().any(|literal| literal == name);
        let is_hidden_only = !is_ignored && name.starts_with('.');
        is_literal || is_hidden_only && self.dotted.is_match(name)
    }
}

/// Parses a glob as in a shell: `src/*.rs` must not match `src/a/b.rs`.
fn glob(text: &str) -> Result<Glob, globset::Error> {
    let mut glob = GlobBuilder::new(text);
    glob.literal_separator(true).backslash_escape(true).build()
}

fn is_literal(component: &str) -> bool {
    !component.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// Returns whether a component or an alternative in it starts with a dot.
fn is_dotted(component: &str) -> bool {
    component.starts_with('.') || component.contains("{.") || component.contains(",.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warns_about_repeated_directory() {
        let warning = |pattern: &str, directory: &str| {
            let pattern = Pattern::parse("pattern", pattern).unwrap();
            pattern.repeats("pattern", "path", directory)
        };

        assert_eq!(
            warning("src/**/*.rs", "./src/").unwrap(),
            "Nothing was searched: `pattern` applies to paths below `path`. Remove `src/` from `pattern`."
        );
        for (pattern, directory) in [
            ("src/*.rs", "."),
            ("*.rs", "src"),
            ("srcs/*", "src"),
            ("a/src/*", "src"),
        ] {
            assert_eq!(
                warning(pattern, directory),
                None,
                "{pattern} in {directory}"
            );
        }
        assert!(warning("a/b/c/*", "a/b").is_some());
    }

    #[test]
    fn matches_names_or_complete_paths() {
        for (pattern, path, covered) in [
            ("*.rs", "main.rs", true),
            ("*.rs", "src/a/main.rs", true),
            ("*.rs", "main.rst", false),
            ("**/*.md", "src/main.rs", false),
            ("**/*.rs", "main.rs", true),
            ("src/*.rs", "src/a/main.rs", false),
            ("src/**", "src/a/main.rs", true),
            ("./src/*.rs", "src/main.rs", true),
            ("./*.rs", "src/main.rs", false),
            ("/src/*.rs", "src/main.rs", true),
            ("/*.rs", "main.rs", true),
            ("/*.rs", "src/main.rs", false),
            ("*.{js,ts}", "a/b.ts", true),
            ("*.{js,{ts,tsx}}", "b.tsx", true),
            ("[a-c]?.txt", "b1.txt", true),
            ("app/[id]/page.tsx", "app/[id]/page.tsx", true),
            ("app/[id]/page.tsx", "app/i/page.tsx", true),
            ("app/[id]/page.tsx", "app/x/page.tsx", false),
            ("app/[...all]/*.{ts,tsx}", "app/[...all]/page.tsx", true),
            ("**/[[...all]]/*", "app/[[...all]]/page.tsx", true),
            ("{{name}}.txt", "{{name}}.txt", true),
            (r"\[id\].txt", "[id].txt", true),
            (r"\*.txt", "a.txt", false),
            (r"\*.txt", "*.txt", true),
        ] {
            let parsed = Pattern::parse("pattern", pattern).unwrap();

            assert_eq!(parsed.matches(path), covered, "{pattern} {path}");
        }
    }

    #[test]
    fn skips_directories_that_cannot_match() {
        for (pattern, directory, worth) in [
            ("*.rs", "any/where", true),
            ("src/**/*.rs", "src", true),
            ("src/**/*.rs", "src/a/b", true),
            ("src/**/*.rs", "src-2", false),
            ("src/**/*.rs", "tests", false),
            ("/a/b/*.rs", "a", true),
            ("./a/b/*.rs", "a/c", false),
            ("a/b/*.rs", "a/bc", false),
            ("**/a/*.rs", "b", true),
            ("{a,b/c}/d.rs", "b", true),
            ("a*/b.rs", "ab", true),
            (r"a\*/b.rs", "a*", true),
        ] {
            let parsed = Pattern::parse("pattern", pattern).unwrap();

            assert_eq!(
                parsed.may_match_in(directory),
                worth,
                "{pattern} {directory}"
            );
        }
    }

    #[test]
    fn error_states_position_in_glob() {
        let (long, nested) = ("a".repeat(MAX_BYTES + 1), "{".repeat(300));
        for (pattern, destination) in [
            ("", "empty at character 1"),
            ("src/[ab", "`[` without `]` at character 5"),
            ("ä{b,c", "`{` without `}` at character 2"),
            ("ab}", "`}` without `{` at character 3"),
            (r"ab\", r"`\` with nothing after it at character 3"),
            ("x[z-a]", "a reversed range at character 3"),
            (&long, "too long at character 1025"),
            (&nested, "nested braces at character 11"),
        ] {
            let error = Pattern::parse("pattern", pattern).unwrap_err();

            assert_eq!(error.code(), &ErrorCode::InvalidPattern, "{pattern}");
            assert!(error.message().contains(destination), "{pattern}: {error}");
        }
    }

    fn names(glob: &str, path: &str, is_directory: bool, is_ignored: bool) -> bool {
        let name = path.rsplit('/').next().unwrap();
        let glob = Pattern::parse("pattern", glob).unwrap();
        glob.names(name, is_directory, is_ignored)
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
            ("{src,a/.github}/*.yml", "a/.github", directory, false),
            ("[{].github/*", ".github", directory, false),
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
}
