//! What is to be said of a run.

use serde_json::Value;
use tool_core::ToolContext;

/// Something to say of a run once it has ended.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "sandbox"),
    expect(dead_code, reason = "only a sandbox has something to say")
)]
pub(crate) enum Remark {
    /// For the metadata.
    Note(&'static str, Value),
    /// For the model.
    Warning(String),
}

impl Remark {
    /// Says it in the result of the call.
    pub(crate) fn say(self, cx: &ToolContext) {
        match self {
            Self::Note(key, value) => cx.note(key, value),
            Self::Warning(sentence) => cx.warn(sentence),
        }
    }
}
