//! Systems on which only the process group is known.

use crate::shell::cookie::Cookie;

/// A process of the call; here none is ever found.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Survivor {}

impl Survivor {
    /// Asks the process to end.
    pub(crate) fn terminate(self) {
        match self {}
    }

    /// Makes the process end.
    pub(crate) fn kill(self) {
        match self {}
    }

    /// Whether it has not ended since it was found.
    #[cfg(unix)]
    pub(crate) fn runs(self) -> bool {
        match self {}
    }
}

/// When a running process was started; here nobody tells.
pub(crate) fn started(_id: u32) -> Option<u64> {
    None
}

/// Every running process of the call that is known.
pub(crate) fn find(_cookie: &Cookie, _leader: u32, _since: Option<u64>) -> Vec<Survivor> {
    Vec::new()
}

/// Whether nothing of the call can run any more.
pub(crate) fn are_excluded(_cookie: &Cookie, _leader: u32) -> bool {
    false
}
