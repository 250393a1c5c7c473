//! Settings of all trees of this process.

use std::io;

use crate::adoption;
use crate::containment::Containment;
use crate::cookie::Cookie;
use crate::host;
use crate::mechanism::Mechanism;
use crate::tree::mechanism;

/// All process trees of this process.
///
/// The mechanism is decided by the first program, or by [`start`](Self::start). On Linux, a small
/// shell is started at the same time. It waits for the end of this process, also by a signal, and
/// then terminates the programs that are still running. The library installs no signal handlers.
///
/// # Examples
/// ```
/// use process_tree::{Mechanism, ProcessTrees};
///
/// assert_eq!(ProcessTrees::start(Mechanism::Cookie), ProcessTrees::mechanism());
/// ```
#[derive(Debug)]
pub struct ProcessTrees(());

impl ProcessTrees {
    /// Decides the mechanism now, with at most `strongest`, and returns it. Has no effect on
    /// [`Mechanism::Subreaper`] and after the first program.
    ///
    /// Without this call, the strongest available mechanism is used.
    #[expect(
        clippy::must_use_candidate,
        reason = "the mechanism is also reported later"
    )]
    pub fn start(strongest: Mechanism) -> Mechanism {
        host::start(strongest);
        Self::mechanism()
    }

    /// Returns the mechanism in use. A program whose cgroup fails has a weaker one; see
    /// [`ProcessTree::mechanism`](crate::ProcessTree::mechanism).
    #[must_use]
    pub fn mechanism() -> Mechanism {
        mechanism(host::start(Mechanism::Cgroup).has_cgroups())
    }

    /// Makes this process the parent of orphaned descendants (`PR_SET_CHILD_SUBREAPER`), so that
    /// processes which left their group and hide from the other searches are found. Affects
    /// programs started after this call.
    ///
    /// Call it only in processes that do not start children in separate sessions or process
    /// groups in other ways: the library treats such children as descendants of its programs, kills
    /// them with the tree during which they were started, and reaps them.
    ///
    /// # Errors
    /// Returns an error if the system is not Linux or does not list the children of a process.
    pub fn adopt_orphans() -> io::Result<()> {
        adoption::enable()
    }

    /// Prepares the start of one program.
    ///
    /// Call it outside a sandbox that restricts the thread of the start: it opens the files of a
    /// cgroup.
    #[must_use]
    pub fn prepare() -> Containment {
        let lease = host::start(Mechanism::Cgroup).lease();
        Containment::new(Cookie::next(), lease)
    }
}
