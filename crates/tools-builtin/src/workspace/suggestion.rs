//! Suggestions for paths that do not work.

use std::io;
use std::path::Path;

use similar::get_close_matches;
use tool_core::{CancellationToken, ToolError};

use super::error::{disk_error, is_escape};
use super::path::{folded, join, on_one_line, shown};
use super::root::LocatedPath;
use super::{EntryKind, Root, Walk, WalkOptions, Workspace};

/// Maximum number of entries to compare.
const MAX_ENTRIES: usize = 2000;
const MAX_NAME_BYTES: usize = 100;
const MAX_PARTS: usize = 64;
/// Maximum number of similar names, and of files with the same name; maximum in total.
const MAX_NEAR: usize = 2;
const MAX_SUGGESTED: usize = 3;
/// Minimum similarity of names, from 0 to 1.
const LIKENESS: f32 = 0.6;
/// Names of at most this many bytes are not compared without extension.
const MAX_SHORT: usize = 2;

impl Workspace {
    /// Converts the I/O error of a path, with a suggestion if there is one.
    pub(super) fn path_error(
        &self,
        parameter: &str,
        located: &LocatedPath<'_, '_>,
        error: io::Error,
    ) -> ToolError {
        // A path with `..` at the start is outside the workspace even if one of its directories is
        // missing.
        if error.kind() == io::ErrorKind::NotFound
            && folded(&located.relative).split('/').next() == Some("..")
        {
            return ToolError::path_outside_workspace(parameter).caused_by(error);
        }
        let suggestion = if is_escape(&error) {
            for_absolute_link(located.root, &located.relative)
        } else if error.kind() == io::ErrorKind::NotFound {
            for_missing(self, located)
        } else {
            None
        };
        let error = disk_error(parameter, error);
        match suggestion {
            Some(suggestion) => error.suggest(suggestion),
            None => error,
        }
    }
}

/// Suggests paths for a missing file: similar names in the same directory, or the same name
/// elsewhere.
fn for_missing(workspace: &Workspace, located: &LocatedPath<'_, '_>) -> Option<String> {
    if let Some(slashed) = with_slashes(located) {
        return Some(slashed);
    }
    let path = shown(&located.relative);
    let parts: Vec<&str> = path.split('/').take(MAX_PARTS).collect();
    let (directory, at) = (0..parts.len()).rev().find_map(|end| {
        let directory = parts.get(..end)?.join("/");
        let directory = if directory.is_empty() {
            "."
        } else {
            &directory
        };
        Some((located.root.open_directory_if_allowed(directory)?, end))
    })?;
    let (missing, rest) = parts.get(at..)?.split_first()?;
    let (entries, _) = directory.entries("path", MAX_ENTRIES).ok()?;
    let names: Vec<&str> = entries.iter().map(super::Entry::name).collect();
    if names.contains(missing) {
        return Some("Use another path; this one is a dangling symlink.".to_owned());
    }
    let near = nearest(missing, &names).into_iter();
    let near = near.map(|name| with_rest(workspace, join(directory.path(), name), rest));
    let mut found: Vec<String> = near.collect();
    for path in same_name_elsewhere(workspace, located.root, parts.last()?) {
        if found.len() < MAX_SUGGESTED && !found.contains(&path) {
            found.push(path);
        }
    }
    question(&found)
}

/// Suggests the path with `/` instead of `\`, if that exists.
fn with_slashes(located: &LocatedPath<'_, '_>) -> Option<String> {
    let relative = &located.relative;
    let slashed = relative
        .contains('\\')
        .then(|| relative.replace('\\', "/"))?;
    located.root.dir.metadata(Path::new(&slashed)).ok()?;
    let path = located.root.shown(&slashed);
    let path = on_one_line(&path);
    Some(format!("Use `/` as the separator: `{path}`."))
}

fn question(found: &[String]) -> Option<String> {
    let quoted: Vec<String> = found
        .iter()
        .map(|path| format!("`{}`", on_one_line(path)))
        .collect();
    let (last, others) = quoted.split_last()?;
    Some(match others {
        [] => format!("Did you mean {last}?"),
        others => format!("Did you mean {} or {last}?", others.join(", ")),
    })
}

/// Returns at most two similar names, the most similar first; only one if it differs only in letter
/// case.
fn nearest<'n>(name: &str, names: &[&'n str]) -> Vec<&'n str> {
    if name.len() > MAX_NAME_BYTES {
        return Vec::new();
    }
    match names.iter().find(|other| other.eq_ignore_ascii_case(name)) {
        // A difference in case is almost certainly the mistake; other names would only distract.
        Some(same) => vec![*same],
        None => get_close_matches(name, names, MAX_NEAR, LIKENESS)
            .into_iter()
            .filter(|other| is_like_without_ending(name, other))
            .collect(),
    }
}

/// Returns whether names are similar without their common extension, which alone makes short names
/// similar.
fn is_like_without_ending(name: &str, other: &str) -> bool {
    match (name.rsplit_once('.'), other.rsplit_once('.')) {
        (Some((one, ending)), Some((two, same))) if ending == same && one.len() > MAX_SHORT => {
            !get_close_matches(one, &[two], 1, LIKENESS).is_empty()
        }
        _ => true,
    }
}

/// Returns the path with the remaining components, if that exists.
fn with_rest(workspace: &Workspace, path: String, rest: &[&str]) -> String {
    if rest.is_empty() {
        return path;
    }
    let whole = join(&path, &rest.join("/"));
    let (root, relative) = workspace.beneath(&whole);
    if root.dir.metadata(relative).is_ok() {
        whole
    } else {
        path
    }
}

fn same_name_elsewhere(workspace: &Workspace, root: &Root, name: &str) -> Vec<String> {
    let options = WalkOptions {
        max_entries: MAX_ENTRIES,
        ..WalkOptions::kinds([EntryKind::File, EntryKind::Directory])
    };
    let walk = root.open_directory_if_allowed(".").and_then(|directory| {
        let cancellation = CancellationToken::new();
        let prefix = directory.prefix_len();
        Walk::new(workspace, "path", &directory, options, cancellation, prefix).ok()
    });
    walk.into_iter()
        .flatten()
        .filter(|entry| entry.name() == name)
        .take(MAX_NEAR)
        .map(|entry| entry.path().to_owned())
        .collect()
}

/// Suggests the relative target of a symlink with an absolute target, which is never followed.
fn for_absolute_link(root: &Root, relative: &str) -> Option<String> {
    let path = shown(relative);
    let parts: Vec<&str> = path.split('/').take(MAX_PARTS).collect();
    (1..=parts.len()).find_map(|end| {
        let link = parts.get(..end)?.join("/");
        let target = root.dir.read_link_contents(Path::new(&link)).ok()?;
        let inside = root.names.strip(&target)?.to_str()?;
        let mut direct = vec![if inside.is_empty() { "." } else { inside }];
        direct.extend(parts.get(end..)?);
        let (link, direct) = (root.shown(&link), root.shown(&direct.join("/")));
        Some(format!(
            "Use `{direct}`: `{link}` is a symlink with an absolute target, which is not followed."
        ))
    })
}
