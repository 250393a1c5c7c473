//! Messages about a run for its result.

use serde_json::Value;
use tool_core::ToolContext;

/// Message about a run that has finished.
#[derive(Debug)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "only the sandbox creates notices")
)]
pub(crate) enum RunNotice {
    /// Entry for the metadata.
    Note(&'static str, Value),
    /// Warning for the model.
    Warning(String),
}

impl RunNotice {
    /// Adds the message to the result of the call.
    pub(crate) fn report(self, cx: &ToolContext) {
        match self {
            Self::Note(key, value) => cx.note(key, value),
            Self::Warning(sentence) => cx.warn(sentence),
        }
    }
}
