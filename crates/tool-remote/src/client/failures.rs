//! Errors of calls that a worker did not run, or whose outcome did not arrive.

use std::error::Error;
use std::time::Duration;

use tool_core::{ErrorCode, SideEffects, ToolError};

type Source = Box<dyn Error + Send + Sync>;

/// Delay before a call that found a full queue is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

fn nothing_done(code: ErrorCode, sentence: &str) -> ToolError {
    ToolError::new(code, sentence).with_side_effects(SideEffects::None)
}

const LATER: &str = "Call the tool again later.";

fn unavailable(sentence: &str) -> ToolError {
    nothing_done(ErrorCode::Unavailable, sentence).suggest(LATER)
}

pub(super) fn full() -> ToolError {
    let sentence = "The queue of the workers is full, so the call did not run";
    let error = nothing_done(ErrorCode::RateLimited, sentence).suggest(LATER);
    error.with_retry_after(RETRY_AFTER)
}

pub(super) fn busy(retry_after: Duration) -> ToolError {
    let sentence = "All workers of the tool are busy, so the call did not run";
    let error = nothing_done(ErrorCode::RateLimited, sentence).suggest(LATER);
    error.with_retry_after(retry_after)
}

pub(super) fn no_worker() -> ToolError {
    let sentence = "No worker of the tool responds, so the call did not run";
    nothing_done(ErrorCode::Unavailable, sentence)
        .suggest("Call the tool again later, or find another way.")
}

pub(super) fn disconnected() -> ToolError {
    unavailable("The connection to the workers is lost, so the call did not run")
}

pub(super) fn rejected(source: impl Into<Source>) -> ToolError {
    unavailable("The queue of the workers did not accept the call, so it did not run")
        .caused_by(source)
}

pub(super) fn lost() -> ToolError {
    let sentence = "The call was lost before a worker ran it";
    nothing_done(ErrorCode::Unavailable, sentence).suggest("Call the tool again.")
}

pub(super) fn other_definition() -> ToolError {
    unavailable("The workers have another version of the tool, so the call did not run")
}

pub(super) fn too_large(source: impl Into<Source>) -> ToolError {
    let sentence = "The arguments are too large for the queue, or it could not store them";
    nothing_done(ErrorCode::ArgumentsTooLarge, sentence)
        .suggest("Send less data in one call.")
        .caused_by(source)
}

pub(super) fn unconfirmed(source: impl Into<Source>) -> ToolError {
    ToolError::outcome_unknown("The queue did not confirm the call, which may still run")
        .suggest("Check before you call it again.")
        .caused_by(source)
}

pub(super) fn damaged() -> ToolError {
    nothing_done(ErrorCode::Failed, "The workers sent damaged results")
        .suggest("Tell the user that the workers do not work.")
}
