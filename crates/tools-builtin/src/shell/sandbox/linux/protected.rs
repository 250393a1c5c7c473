//! Names that no program may change.

/// What a program could change to have the host run something later, relative to a root of the workspace.
pub(super) const PROTECTED: [&str; 5] = [
    ".git/commondir",
    ".git/config",
    ".git/config.worktree",
    ".git/hooks",
    ".git/info/attributes",
];
