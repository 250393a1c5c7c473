//! Stub for systems where only the process group is known.

use std::time::Instant;

use crate::shell::process_marker::ProcessMarker;

/// Process of the call; never constructed on these systems.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Descendant {}

impl Descendant {
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

pub(crate) fn find(_marker: &ProcessMarker, _leader: u32, _since: Option<u64>) -> Vec<Descendant> {
    Vec::new()
}

pub(crate) fn are_excluded(_marker: &ProcessMarker, _leader: u32, _started: Instant) -> bool {
    false
}
