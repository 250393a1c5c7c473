//! Protected names of a workspace.

use crate::workspace::{Root, Workspace};

/// Nested repositories, which are too large to restore. Only
/// [`Sandbox::strict`](crate::shell::Sandbox::strict) protects them.
const REPOSITORIES: [&str; 2] = [".git/modules", ".git/worktrees"];

/// Returns the protected paths that are not too large to restore.
pub(super) fn kept(workspace: &Workspace) -> impl Iterator<Item = &str> {
    let paths = workspace.protected().paths();
    paths.filter(|path| !REPOSITORIES.contains(path))
}

/// Returns the roots that programs may write to.
pub(super) fn writable_roots(workspace: &Workspace) -> impl Iterator<Item = &Root> {
    workspace.roots().filter(|root| !root.is_read_only())
}
