//! Programs in their cgroups.

use std::sync::Arc;

use crate::cgroup::Lease;
use crate::descendants::{self, Marks};

/// Cgroup of a tree.
#[derive(Debug)]
pub(crate) struct Contained {
    lease: Arc<Lease>,
    is_complete: bool,
}

impl Contained {
    /// Moves a program that has just started, and its descendants, to a cgroup.
    ///
    /// A busy system may run the program for a while before it continues this process. Processes
    /// that the program has started and abandoned in this time are added only if a search finds
    /// them.
    pub(crate) fn new(lease: Arc<Lease>, leader: u32, marks: &Marks) -> Self {
        descendants::stop(leader);
        let contain = |id| lease.add(id).is_ok();
        let is_complete = contain(leader)
            && (descendants::is_youngest(leader) || descendants::contain_family(leader, contain));
        if !is_complete {
            for found in descendants::find(marks, leader, None, &[]) {
                // An error means that the process has exited.
                let _ = lease.add(found.id());
            }
        }
        descendants::resume(leader);
        Self { lease, is_complete }
    }

    /// Returns `true` if the cgroup certainly contains all processes of the tree.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    pub(crate) fn is_populated(&self) -> bool {
        self.lease.is_populated()
    }

    pub(crate) fn processes(&self) -> Vec<u32> {
        self.lease.processes()
    }

    pub(crate) fn kill(&self) {
        self.lease.kill();
    }
}
