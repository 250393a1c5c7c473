//! Mechanisms that find the processes of a tree.

use std::fmt;

/// Mechanism by which the processes of a tree are found and terminated, from weak to strong.
///
/// # Examples
/// ```
/// use process_tree::Mechanism;
///
/// assert!(Mechanism::Cookie < Mechanism::Cgroup);
/// assert_eq!(Mechanism::Cgroup.to_string(), "cgroup");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Mechanism {
    /// Only the program itself. Used on Windows.
    Program,
    /// The process group of the program. Used on Unix systems other than Linux.
    ProcessGroup,
    /// The process group, parents, an environment variable and inherited output pipes. Always
    /// available on Linux.
    Cookie,
    /// Like [`Cookie`](Self::Cookie); in addition, orphaned processes become children of this
    /// process. Enabled by [`ProcessTrees::adopt_orphans`](crate::ProcessTrees::adopt_orphans).
    Subreaper,
    /// Like [`Cookie`](Self::Cookie); in addition, each program runs in its own control group.
    /// Requires cgroup v2 with `cgroup.kill` (Linux 5.14) and write access to the cgroup of this
    /// process.
    Cgroup,
}

impl Mechanism {
    /// Returns the name for logs and metadata, such as `cgroup`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::ProcessGroup => "process_group",
            Self::Cookie => "cookie",
            Self::Subreaper => "subreaper",
            Self::Cgroup => "cgroup",
        }
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
