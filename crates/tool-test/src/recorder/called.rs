//! What a test says about the calls of one tool.

#![expect(
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "an assertion holds even when nothing more is said"
)]

use serde_json::Value;

use super::RecordedCall;
use super::call::short;
use super::log::but;

/// The calls of one tool, about which a test says more.
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

    /// Stops the test unless a call had exactly these arguments; goes on with those that had.
    ///
    /// # Panics
    /// With the list of the calls there were instead.
    #[track_caller]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the arguments are written in place"
    )]
    pub fn with(self, arguments: Value) -> Self {
        let what = format!("{} with {}", self.what, short(&arguments));
        self.narrowed(what, |call| call.arguments == arguments)
    }

    /// Stops the test unless the arguments of a call pass `fits`; goes on with those that do.
    ///
    /// # Panics
    /// With the list of the calls there were instead.
    #[track_caller]
    pub fn with_arguments(self, fits: impl Fn(&Value) -> bool) -> Self {
        let what = format!("{} with arguments that fit", self.what);
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
            but(&self.calls)
        );
        Self {
            what,
            calls: narrowed,
        }
    }

    /// Stops the test unless there were exactly so many calls.
    ///
    /// # Panics
    /// With the list of the calls.
    #[track_caller]
    pub fn times(self, count: usize) -> Self {
        assert!(
            self.calls.len() == count,
            "{} was called {} times and not {count}{}",
            self.what,
            self.calls.len(),
            but(&self.calls)
        );
        self
    }

    /// Stops the test unless there was exactly one call.
    ///
    /// # Panics
    /// With the list of the calls.
    #[track_caller]
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// The calls that were said more about.
    #[must_use]
    pub fn calls(&self) -> &[RecordedCall] {
        &self.calls
    }
}
