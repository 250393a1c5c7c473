//! What a model may have meant by a path that does not work.

use std::path::Path;

use similar::get_close_matches;
use tool_core::CancellationToken;

use super::path::{join, shown};
use super::roots::Located;
use super::{EntryKind, Root, Walk, WalkOptions, Workspace};

/// How many entries are looked at for a nearest name.
const MAX_ENTRIES: usize = 2000;
const MAX_NAME_BYTES: usize = 100;
const MAX_PARTS: usize = 64;

/// Where the file may be that is not at `relative`: a like name in the same folder, or the same name elsewhere.
pub(super) fn for_missing(workspace: &Workspace, located: &Located<'_, '_>) -> Option<String> {
    let path = shown(&located.relative);
    let parts: Vec<&str> = path.split('/').take(MAX_PARTS).collect();
    let (folder, missing) = (0..parts.len()).rev().find_map(|end| {
        let folder = parts.get(..end)?.join("/");
        let folder = if folder.is_empty() { "." } else { &folder };
        let opened = located.root.folder_quietly(folder)?;
        Some((opened, *parts.get(end)?))
    })?;
    let (entries, _) = folder.list(1, MAX_ENTRIES).ok()?;
    let names: Vec<&str> = entries.iter().map(super::Entry::name).collect();
    // What is there under this very name is a link that leads nowhere.
    if names.contains(&missing) {
        return None;
    }
    let found = match nearest(missing, &names) {
        Some(name) => join(folder.path(), name),
        None => same_name_elsewhere(workspace, located.root, parts.last()?)?,
    };
    Some(format!("Did you mean `{found}`?"))
}

fn nearest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    names
        .iter()
        .copied()
        .find(|candidate| candidate.eq_ignore_ascii_case(name))
        .or_else(|| get_close_matches(name, names, 1, 0.6).pop())
}

fn same_name_elsewhere(workspace: &Workspace, root: &Root, name: &str) -> Option<String> {
    let options =
        WalkOptions::kinds([EntryKind::File, EntryKind::Directory]).with_max_entries(MAX_ENTRIES);
    let folder = root.folder_quietly(".")?;
    Walk::new(
        workspace,
        "path",
        &folder,
        options,
        CancellationToken::new(),
    )
    .ok()?
    .find(|entry| entry.name() == name)
    .map(|entry| entry.path().to_owned())
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
