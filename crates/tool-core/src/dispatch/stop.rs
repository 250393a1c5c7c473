//! A call that did not end by itself: why, and what the model is told about it.

use std::any::Any;
use std::time::Duration;

use super::record::Record;
use crate::{ErrorCode, Hints, ToolContext, ToolError};

/// Why a call was stopped from outside of its tool.
pub(super) enum Stop {
    TimedOut(Duration),
    Silent(Duration),
    Cancelled,
    Panicked(Box<dyn Any + Send>),
}

impl Stop {
    /// The error of a call whose tool was run `attempts` times; it tells what to expect of a second call.
    pub(super) fn into_error(self, attempts: u32, hints: Hints) -> ToolError {
        let (error, harmless) = match self {
            Self::TimedOut(after) => (
                ToolError::timeout(after),
                "Nothing was changed; ask for less, or try again later.",
            ),
            Self::Silent(after) => (
                ToolError::silent(after),
                "Nothing was changed; ask for less, or try again later.",
            ),
            Self::Cancelled => (ToolError::cancelled(), ""),
            Self::Panicked(payload) => return after_panic(payload.as_ref(), attempts, hints),
        };
        match effects(attempts, hints).unwrap_or(harmless) {
            "" => error,
            advice => error.suggest(advice),
        }
    }
}

/// What may have happened to the world, for a call that may have done something.
fn effects(attempts: u32, hints: Hints) -> Option<&'static str> {
    if attempts == 0 || hints.read_only {
        None
    } else if hints.idempotent {
        Some("It may have changed something already; calling it again does no further harm.")
    } else {
        Some("It may have changed something already: look before you call it again.")
    }
}

fn after_panic(payload: &(dyn Any + Send), attempts: u32, hints: Hints) -> ToolError {
    let error = panicked(payload);
    if effects(attempts, hints).is_none() {
        return error;
    }
    error.suggest(
        "The same call will fail again. It may have changed something already: look before you try another way.",
    )
}

/// The panic's own words may hold anything, so only the log gets them.
pub(super) fn panicked(payload: &(dyn Any + Send)) -> ToolError {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a text".to_owned());
    ToolError::new(
        ErrorCode::Panic,
        "The tool stopped because of a fault of its own",
    )
    .suggest("The same call will fail again; try another way.")
    .caused_by(text)
}

/// The error of a call that was cancelled before its turn.
pub(super) fn cancelled_in_the_queue() -> ToolError {
    ToolError::new(
        ErrorCode::Cancelled,
        "The call was cancelled before it began, so nothing was done",
    )
}

/// Puts the pieces of output that were reached behind an error that has none of its own.
pub(super) fn with_pieces(
    error: ToolError,
    cx: &ToolContext,
    record: &mut Record<'_, '_>,
) -> ToolError {
    if error.output().is_some() {
        return error;
    }
    let Some(pieces) = cx.take_pieces() else {
        return error;
    };
    record.dropped(pieces.bytes_left_out);
    let follows = "What it had found by then follows.";
    let suggestion = match error.suggestion() {
        Some(suggestion) => format!("{suggestion} {follows}"),
        None => follows.to_owned(),
    };
    error.suggest(suggestion).with_output(pieces.into_output())
}
