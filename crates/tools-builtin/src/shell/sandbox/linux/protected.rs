//! Which names of a workspace are kept from programs.

use crate::workspace::{Root, Workspace};

/// Whole repositories of their own: too much to be put back. Only [`Sandbox::strict`](crate::shell::Sandbox::strict)
/// keeps programs from them.
const REPOSITORIES: [&str; 2] = [".git/modules", ".git/worktrees"];

/// What one name with wildcards is known by.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// The protected names directly below each root, as paths.
pub(super) fn names(workspace: &Workspace) -> impl Iterator<Item = &str> {
    workspace
        .protected_names()
        .map(|name| name.trim_matches('/'))
        .filter(|name| !name.contains(WILDCARDS))
}

/// The same, without what is too much to be put back.
pub(super) fn kept(workspace: &Workspace) -> impl Iterator<Item = &str> {
    names(workspace).filter(|name| !REPOSITORIES.contains(name))
}

/// The roots that programs may write.
pub(super) fn writable_roots(workspace: &Workspace) -> impl Iterator<Item = &Root> {
    workspace.roots().filter(|root| !root.is_read_only())
}
