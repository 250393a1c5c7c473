//! Assertions about the calls of one tool.

#![expect(
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "assertions can end a chain"
)]

use serde_json::Value;

use super::RecordedCall;
use super::call::{listed, short};

/// Calls of one tool, for further assertions.
///
/// # Examples
/// See [`Recorder`](crate::Recorder).
#[derive(Debug, Clone)]
pub struct Called {
    what: String,
    calls: Vec<RecordedCall>,
}

impl Called {
    pub(super) fn new(tool: &str, calls: Vec<RecordedCall>) -> Self {
        Self {
            what: format!("`{tool}`"),
            calls,
        }
    }

    /// Asserts that at least one call had exactly these arguments, and keeps only such calls.
    ///
    /// # Panics
    /// Panics with a list of the calls if no call matches.
    #[track_caller]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the arguments are written in place"
    )]
    pub fn with(self, arguments: Value) -> Self {
        let what = format!("{} with {}", self.what, short(&arguments));
        self.narrowed(what, |call| call.arguments == arguments)
    }

    /// Asserts that `fits` returns `true` for the arguments of at least one call, and keeps only such
    /// calls.
    ///
    /// # Panics
    /// Panics with a list of the calls if no call matches.
    #[track_caller]
    pub fn with_arguments(self, fits: impl Fn(&Value) -> bool) -> Self {
        let what = format!("{} with matching arguments", self.what);
        self.narrowed(what, |call| fits(&call.arguments))
    }

    #[track_caller]
    fn narrowed(self, what: String, fits: impl Fn(&RecordedCall) -> bool) -> Self {
        let narrowed: Vec<RecordedCall> = self
            .calls
            .iter()
            .filter(|call| fits(call))
            .cloned()
            .collect();
        assert!(
            !narrowed.is_empty(),
            "{what} was not called{}",
            listed(&self.calls)
        );
        Self {
            what,
            calls: narrowed,
        }
    }

    /// Asserts that there were exactly `count` calls.
    ///
    /// # Panics
    /// Panics with a list of the calls if their number differs.
    #[track_caller]
    pub fn times(self, count: usize) -> Self {
        assert!(
            self.calls.len() == count,
            "{} was called {} times instead of {count}{}",
            self.what,
            self.calls.len(),
            listed(&self.calls)
        );
        self
    }

    /// Asserts that there was exactly one call.
    ///
    /// # Panics
    /// Panics with a list of the calls if their number differs.
    #[track_caller]
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// Returns the calls that match all assertions so far.
    #[must_use]
    pub fn calls(&self) -> &[RecordedCall] {
        &self.calls
    }
}
