//! Outcomes of calls that write.

use tool_core::ledger::Verified;
use tool_core::{Hints, SideEffects, ToolContext, ToolError, ToolOutput, TypedTool};

/// Certainty about the effect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    NotDone,
    Unknown,
}

impl Outcome {
    /// Adds the outcome to the metadata of the result.
    pub(crate) fn note(self, cx: &ToolContext) {
        let outcome = match self {
            Self::Done => "done",
            Self::NotDone => "not_done",
            Self::Unknown => "unknown",
        };
        cx.note("outcome", outcome);
    }

    /// Notes the outcome and states the side effects in the error.
    pub(crate) fn state(self, cx: &ToolContext, error: ToolError) -> ToolError {
        self.note(cx);
        match self {
            Self::NotDone => error.with_side_effects(SideEffects::None),
            Self::Unknown => error.with_side_effects(SideEffects::Possible),
            Self::Done => error,
        }
    }
}

/// Returns the hints of a tool that sends mail or creates events.
pub(crate) fn hints_of_writing() -> Hints {
    Hints {
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: true,
    }
}

/// Returns the state of a call whose effect was found later.
pub(crate) fn happened<T: TypedTool>(output: &T::Output) -> Verified {
    let text = T::render(output);
    match serde_json::to_value(output) {
        Ok(data) => Verified::Happened(ToolOutput::text(text).with_data(data)),
        Err(_) => Verified::Unknown,
    }
}
