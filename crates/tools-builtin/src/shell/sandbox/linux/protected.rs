//! Protected names of a workspace.

use crate::workspace::{Root, Workspace};

/// Nested repositories, which are too large to restore. Only
/// [`Sandbox::strict`](crate::shell::Sandbox::strict) protects them.
const REPOSITORIES: [&str; 2] = [".git/modules", ".git/worktrees"];

/// Characters of a glob pattern.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// Returns the protected names directly below each root, as paths.
pub(super) fn names(workspace: &Workspace) -> impl Iterator<Item = &str> {
    workspace
        .protected_names()
        .map(|name| name.trim_matches('/'))
        .filter(|name| !name.contains(WILDCARDS))
}

/// Returns [`names`] without those that are too large to restore.
pub(super) fn kept(workspace: &Workspace) -> impl Iterator<Item = &str> {
    names(workspace).filter(|name| !REPOSITORIES.contains(name))
}

/// Returns the roots that programs may write to.
pub(super) fn writable_roots(workspace: &Workspace) -> impl Iterator<Item = &Root> {
    workspace.roots().filter(|root| !root.is_read_only())
}
