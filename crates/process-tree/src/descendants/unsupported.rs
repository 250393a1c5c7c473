//! Stub for systems where only the process group is known.

use std::time::Instant;

use crate::marks::Marks;

/// Process of a tree; never constructed on these systems.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Descendant {}

impl Descendant {
    pub(crate) fn id(self) -> u32 {
        match self {}
    }

    pub(crate) fn terminate(self) {
        match self {}
    }

    pub(crate) fn kill(self) {
        match self {}
    }

    /// Returns `true` if the process is still running.
    #[cfg(unix)]
    pub(crate) fn runs(self) -> bool {
        match self {}
    }
}

pub(crate) fn started(_id: u32) -> Option<u64> {
    None
}

pub(crate) fn stop(_id: u32) {}

pub(crate) fn resume(_id: u32) {}

pub(crate) fn is_youngest(_id: u32) -> bool {
    false
}

pub(crate) fn contain_family(_leader: u32, _contain: impl Fn(u32) -> bool) -> bool {
    false
}

pub(crate) fn find(
    _marks: &Marks,
    _leader: u32,
    _since: Option<u64>,
    _known: &[u32],
) -> Vec<Descendant> {
    Vec::new()
}

pub(crate) fn are_excluded(_marks: &Marks, _leader: u32, _started: Instant) -> bool {
    false
}
