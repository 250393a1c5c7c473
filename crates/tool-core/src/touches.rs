//! Files and other resources that a call reads and writes.

use serde::{Deserialize, Serialize};

/// Files and other resources that a call reads and writes.
///
/// Reads of the same file overlap. A write waits for calls that touch the same file, or a directory above or below it.
/// Calls that touch different things overlap, and so do calls that touch nothing.
///
/// Paths are relative to the workspace, separated by `/`, and normalized when a [`CallPlan`](crate::CallPlan) names
/// them: `./a//b/../c` is `a/c`. The root of the workspace is `.`.
///
/// # Examples
/// ```
/// use tool_core::{CallPlan, RiskLevel};
///
/// let edit = CallPlan::of(RiskLevel::SafeWrite).writes("./src//main.rs");
/// assert_eq!(edit.touches.files_written(), ["src/main.rs"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
// In a box, because most calls touch nothing.
pub struct Touches(Option<Box<Touched>>);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Touched {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reads: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) writes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) may_write: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) uses: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) exclusive: bool,
}

impl Touches {
    pub(crate) fn touched(&mut self) -> &mut Touched {
        self.0.get_or_insert_default()
    }

    /// Returns `true` if the call touches nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the files and directories that are read.
    pub fn files_read(&self) -> &[String] {
        self.0.as_deref().map_or(&[], |touched| &touched.reads)
    }

    /// Returns the files and directories that are written.
    pub fn files_written(&self) -> &[String] {
        self.0.as_deref().map_or(&[], |touched| &touched.writes)
    }

    /// Returns the directories in which the call may write anything.
    pub fn directories_changed(&self) -> &[String] {
        self.0.as_deref().map_or(&[], |touched| &touched.may_write)
    }

    /// Returns the resources other than files.
    pub fn resources(&self) -> &[String] {
        self.0.as_deref().map_or(&[], |touched| &touched.uses)
    }

    /// Returns `true` if no other call may run at the same time.
    pub fn is_exclusive(&self) -> bool {
        self.0.as_deref().is_some_and(|touched| touched.exclusive)
    }

    /// Returns `true` if two calls must not run at the same time.
    pub(crate) fn conflicts_with(&self, other: &Self) -> bool {
        let (Some(own), Some(other)) = (self.0.as_deref(), other.0.as_deref()) else {
            return false;
        };
        // Two reads never conflict, and neither do a read and a command that may write anything: see `may_write`.
        meet(&own.writes, &other.writes)
            || meet(&own.writes, &other.reads)
            || meet(&own.reads, &other.writes)
            || meet(&own.may_write, &other.may_write)
            || meet(&own.may_write, &other.writes)
            || meet(&own.writes, &other.may_write)
            || own.uses.iter().any(|used| other.uses.contains(used))
    }

    /// Returns `true` if the call touches files, and each is at or below one of `paths`.
    pub(crate) fn are_in(&self, paths: &[String]) -> bool {
        let covered = |file: &String| {
            let mut paths = paths.iter();
            paths.any(|path| covers(&place(path), file))
        };
        self.files().next().is_some() && self.files().all(covered)
    }

    /// Returns `true` if the call touches a file at, above or below one of `paths`.
    pub(crate) fn meet(&self, paths: &[String]) -> bool {
        paths.iter().map(|path| place(path)).any(|path| {
            let mut files = self.files();
            files.any(|file| covers(&path, file) || covers(file, &path))
        })
    }

    fn files(&self) -> impl Iterator<Item = &String> {
        let changed = self.directories_changed().iter();
        let written = self.files_written().iter();
        self.files_read().iter().chain(written).chain(changed)
    }
}

/// Returns the file or directory of a rule, in which `docs/**` is `docs`.
fn place(path: &str) -> String {
    let directory = path.strip_suffix("/**").unwrap_or(path);
    normalized(if directory == "**" { "." } else { directory }.to_owned())
}

/// Returns `true` if a path of one list is at, above or below a path of the other.
fn meet(one: &[String], other: &[String]) -> bool {
    let related = |a: &String, b: &String| covers(a, b) || covers(b, a);
    one.iter().any(|a| other.iter().any(|b| related(a, b)))
}

/// Returns `true` if `path` is at or below `directory`.
pub(crate) fn covers(directory: &str, path: &str) -> bool {
    if matches!(directory.rsplit('/').next(), Some("." | "..")) {
        // The workspace or a directory above it. Nothing relates an absolute path to the workspace, so none is below.
        return !path.starts_with('/') && levels_up(path) <= levels_up(directory);
    }
    let rest = path.strip_prefix(directory);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || directory == "/")
}

/// Returns how far above the workspace a normalized path begins.
fn levels_up(path: &str) -> usize {
    path.split('/').take_while(|part| *part == "..").count()
}

/// Resolves `.`, `..` and repeated separators without looking at the disk. `..` at the root stays, so that a path outside
/// the workspace never becomes one inside.
pub(crate) fn normalized(path: String) -> String {
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    if path.split('/').all(is_plain) {
        return path;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    match parts.join("/") {
        rest if rest.is_empty() && root.is_empty() => ".".to_owned(),
        rest => format!("{root}{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallPlan, RiskLevel};

    #[test]
    fn paths_are_normalized_without_leaving_their_root() {
        for (path, expected) in [
            ("src/main.rs", "src/main.rs"),
            ("./src//x/../main.rs", "src/main.rs"),
            ("src/", "src"),
            ("", "."),
            (".", "."),
            ("a/..", "."),
            ("../a", "../a"),
            ("a/../../b", "../b"),
            ("/etc/./passwd", "/etc/passwd"),
            ("/", "/"),
        ] {
            assert_eq!(normalized(path.to_owned()), expected, "{path}");
        }
    }

    #[test]
    fn directories_cover_what_is_below_them() {
        for (directory, path, covered) in [
            ("src", "src", true),
            ("src", "src/a/b", true),
            ("src", "src2", false),
            ("src/a", "src", false),
            (".", "src/a", true),
            (".", "/etc/passwd", false),
            (".", "../a", false),
            ("..", "a", true),
            ("..", "../a", true),
            ("..", "../../a", false),
            ("..", "/etc/passwd", false),
            ("../a", "../a/b", true),
            ("../a", "a", false),
            ("a..", "a../b", true),
            ("a..", "b", false),
            ("/", "/etc/passwd", true),
            ("/etc", "/etc/passwd", true),
            ("/etc", "/etcetera", false),
        ] {
            assert_eq!(covers(directory, path), covered, "{directory} {path}");
        }
    }

    #[test]
    fn writes_conflict_and_reads_overlap() {
        let none = || CallPlan::of(RiskLevel::ReadOnly);
        for (one, other, conflicts) in [
            (none(), none(), false),
            (none().writes("a"), none(), false),
            (none().reads("a"), none().reads("a"), false),
            (none().reads("a"), none().writes("a"), true),
            (none().writes("a"), none().writes("./a"), true),
            (none().writes("a"), none().writes("b"), false),
            (none().writes("."), none().reads("b/c"), true),
            (none().may_write("."), none().reads("b"), false),
            (none().may_write("."), none().writes("b"), true),
            (none().may_write("."), none().may_write("b"), true),
            (none().uses("mailbox"), none().uses("mailbox"), true),
            (none().uses("mailbox"), none().uses("calendar"), false),
            (none().uses("a"), none().writes("a"), false),
        ] {
            let (one, other) = (one.touches, other.touches);
            assert_eq!(one.conflicts_with(&other), conflicts, "{one:?} {other:?}");
            assert_eq!(other.conflicts_with(&one), conflicts, "{other:?} {one:?}");
        }
    }

    #[test]
    fn touches_survive_json() {
        let plan = CallPlan::of(RiskLevel::ReadOnly)
            .reads("a")
            .writes("b")
            .uses("c")
            .exclusive();
        let touches = plan.touches;

        let json = serde_json::to_string(&touches).unwrap();

        assert_eq!(
            json,
            r#"{"reads":["a"],"writes":["b"],"uses":["c"],"exclusive":true}"#
        );
        assert_eq!(serde_json::from_str::<Touches>(&json).unwrap(), touches);
    }
}
