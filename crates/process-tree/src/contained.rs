//! Programs in their cgroups.

use std::sync::Arc;

use crate::cgroup::Lease;
use crate::descendants::{self, Descendant};
use crate::marks::Marks;

/// Maximum number of searches, and the number of subsequent searches without a result after which
/// no process is outside.
const MAX_SEARCHES: usize = 12;
const LAST_SEARCHES: usize = 2;

/// Cgroup of a tree.
#[derive(Debug)]
pub(crate) struct Contained {
    pub(crate) lease: Arc<Lease>,
    /// Whether the cgroup certainly contains all processes of the tree.
    pub(crate) is_complete: bool,
}

impl Contained {
    /// Moves a program that has just started, and its descendants, to a cgroup.
    ///
    /// A busy system may run the program for a while before it continues this process. Processes
    /// that the program has started and abandoned in this time are added only if a search finds
    /// their marks.
    pub(crate) fn new(lease: Arc<Lease>, leader: u32, marks: &Marks) -> Self {
        descendants::stop(leader);
        let contain = |id| lease.add(id).is_ok();
        let is_complete = contain(leader)
            && (descendants::is_youngest(leader) || descendants::contain_family(leader, contain));
        if !is_complete {
            contain_marked(&lease, leader, marks);
        }
        descendants::resume(leader);
        Self { lease, is_complete }
    }
}

/// Moves the processes that a search finds. Repeats the search, because processes outside the cgroup
/// may start others and exit during it.
fn contain_marked(lease: &Lease, leader: u32, marks: &Marks) {
    let mut without_result = 0;
    for _ in 0..MAX_SEARCHES {
        let contained = lease.processes();
        let found = descendants::find(marks, leader, None, &contained);
        let outside = found.into_iter().map(Descendant::id);
        let mut outside = outside.filter(|id| !contained.contains(id)).peekable();
        without_result = if outside.peek().is_some() {
            0
        } else {
            without_result + 1
        };
        if without_result == LAST_SEARCHES {
            return;
        }
        for id in outside {
            // An error means that the process has exited.
            let _ = lease.add(id);
        }
    }
}
