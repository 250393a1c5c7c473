//! Detection of a model that repeats a failing call.

use tool_core::{ErrorCode, ToolResult};

use crate::{LoopError, ModelCall};

/// Last failing call and the number of its repetitions.
#[derive(Debug, Default)]
pub(crate) struct Repeated {
    call: Option<(String, String)>,
    count: u32,
}

impl Repeated {
    /// Counts a call. A successful call, another call, and a call that waits for approval reset the
    /// count.
    pub(crate) fn count(&mut self, call: (String, String), result: &ToolResult) {
        let error = result.error.as_ref();
        // A model that repeats a call while a person decides isn't stuck.
        let waits = error.is_some_and(|error| error.code == ErrorCode::ApprovalPending);
        if result.success || waits {
            *self = Self::default();
        } else if self.call.as_ref() == Some(&call) {
            self.count = self.count.saturating_add(1);
        } else {
            self.call = Some(call);
            self.count = 1;
        }
    }

    /// Returns the error of a run that repeats a failing call. A limit of 0 disables it.
    pub(crate) fn error(&self, limit: u32) -> Option<LoopError> {
        let (tool, _) = self.call.as_ref()?;
        (limit > 0 && self.count >= limit).then(|| LoopError::Stuck {
            tool: tool.clone(),
            calls: self.count,
        })
    }
}

/// Returns the parts of a call that identify a repetition.
pub(crate) fn key(call: &ModelCall) -> (String, String) {
    (call.call.name.clone(), call.call.arguments.to_text())
}
