//! What a model may have meant by a path that does not work.

use std::path::Path;

use similar::get_close_matches;
use tool_core::CancellationToken;

use super::path::{join, on_one_line, shown};
use super::roots::Located;
use super::{EntryKind, Root, Walk, WalkOptions, Workspace};

/// How many entries are looked at for a nearest name.
const MAX_ENTRIES: usize = 2000;
const MAX_NAME_BYTES: usize = 100;
const MAX_PARTS: usize = 64;
/// How many like names, and how many files of the same name, are told; and how many in all.
const MAX_NEAR: usize = 2;
const MAX_TOLD: usize = 3;
/// From how much on names are alike, of 1.
const LIKENESS: f32 = 0.6;
/// Names of so few letters are not told apart.
const MAX_SHORT: usize = 2;

/// Where the file may be that is not at `relative`: like names in the same folder, or the same name elsewhere.
pub(super) fn for_missing(workspace: &Workspace, located: &Located<'_, '_>) -> Option<String> {
    if let Some(slashed) = with_slashes(located) {
        return Some(slashed);
    }
    let path = shown(&located.relative);
    let parts: Vec<&str> = path.split('/').take(MAX_PARTS).collect();
    let (folder, at) = (0..parts.len()).rev().find_map(|end| {
        let folder = parts.get(..end)?.join("/");
        let folder = if folder.is_empty() { "." } else { &folder };
        Some((located.root.folder_quietly(folder)?, end))
    })?;
    let (missing, behind) = parts.get(at..)?.split_first()?;
    let (entries, _) = folder.list(1, MAX_ENTRIES).ok()?;
    let names: Vec<&str> = entries.iter().map(super::Entry::name).collect();
    if names.contains(missing) {
        return Some("It is a link that leads nowhere: give another path.".to_owned());
    }
    let near = nearest(missing, &names).into_iter();
    let near = near.map(|name| with_rest(workspace, join(folder.path(), name), behind));
    let mut found: Vec<String> = near.collect();
    for path in same_name_elsewhere(workspace, located.root, parts.last()?) {
        if found.len() < MAX_TOLD && !found.contains(&path) {
            found.push(path);
        }
    }
    question(&found)
}

/// What a path with the separators of Windows leads to, where that is there.
fn with_slashes(located: &Located<'_, '_>) -> Option<String> {
    let slashed = located
        .relative
        .contains('\\')
        .then(|| located.relative.replace('\\', "/"))?;
    located.root.dir.metadata(Path::new(&slashed)).ok()?;
    let path = located.root.shown(&slashed);
    Some(format!(
        "Folders are told apart by `/`: use `{}`.",
        on_one_line(&path)
    ))
}

fn question(found: &[String]) -> Option<String> {
    let told: Vec<String> = found
        .iter()
        .map(|path| format!("`{}`", on_one_line(path)))
        .collect();
    let (last, others) = told.split_last()?;
    Some(match others {
        [] => format!("Did you mean {last}?"),
        others => format!("Did you mean {} or {last}?", others.join(", ")),
    })
}

/// At most two names that come near, the nearest first; one alone where only the size of letters differs.
fn nearest<'n>(name: &str, names: &[&'n str]) -> Vec<&'n str> {
    if name.len() > MAX_NAME_BYTES {
        return Vec::new();
    }
    match names.iter().find(|other| other.eq_ignore_ascii_case(name)) {
        Some(same) => vec![*same],
        None => get_close_matches(name, names, MAX_NEAR, LIKENESS)
            .into_iter()
            .filter(|other| is_like_without_ending(name, other))
            .collect(),
    }
}

/// Whether names are alike apart from the extension that both have, which alone makes short names look alike.
fn is_like_without_ending(name: &str, other: &str) -> bool {
    match (name.rsplit_once('.'), other.rsplit_once('.')) {
        (Some((one, ending)), Some((two, same))) if ending == same && one.len() > MAX_SHORT => {
            !get_close_matches(one, &[two], 1, LIKENESS).is_empty()
        }
        _ => true,
    }
}

/// The path with the parts that stood behind it, if that is there.
fn with_rest(workspace: &Workspace, path: String, behind: &[&str]) -> String {
    if behind.is_empty() {
        return path;
    }
    let whole = join(&path, &behind.join("/"));
    let (root, relative) = workspace.beneath(&whole);
    if root.dir.metadata(relative).is_ok() {
        whole
    } else {
        path
    }
}

fn same_name_elsewhere(workspace: &Workspace, root: &Root, name: &str) -> Vec<String> {
    let options =
        WalkOptions::kinds([EntryKind::File, EntryKind::Directory]).with_max_entries(MAX_ENTRIES);
    let walk = root.folder_quietly(".").and_then(|folder| {
        let cancellation = CancellationToken::new();
        Walk::new(workspace, "path", &folder, options, cancellation).ok()
    });
    walk.into_iter()
        .flatten()
        .filter(|entry| entry.name() == name)
        .take(MAX_NEAR)
        .map(|entry| entry.path().to_owned())
        .collect()
}

/// A link with an absolute target is not followed even when it points inside; its target by a relative path is fine.
pub(super) fn for_absolute_link(root: &Root, relative: &str) -> Option<String> {
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
            "`{link}` is a link with an absolute target, which is not followed; use `{direct}`."
        ))
    })
}
