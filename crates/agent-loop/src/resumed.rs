//! Open calls of a resumed conversation.

use std::collections::HashSet;

use tool_core::{Registry, RiskLevel, ToolCall, ToolError, ToolResult};

use crate::ModelCall;

/// Returns the call, or the error `outcome_unknown` if it may have run and is not safe to repeat.
///
/// `started` contains the IDs of calls that started; `None` if unknown.
pub(crate) fn resumed(
    call: ToolCall,
    started: Option<&HashSet<String>>,
    tools: &Registry,
) -> ModelCall {
    let has_not_run = started.is_some_and(|ids| !ids.contains(&call.id));
    if has_not_run || is_repeatable(&call, tools) {
        return call.into();
    }
    let error =
        ToolError::outcome_unknown("The run stopped during this call, so its outcome is unknown")
            .suggest("Check whether the call took effect before you repeat it.");
    let refusal = ToolResult::refused(&call.id, &call.name, error);
    ModelCall::from(call).refused(refusal)
}

/// Returns whether repeating the call is harmless. Calls of unknown tools never run.
pub(crate) fn is_repeatable(call: &ToolCall, tools: &Registry) -> bool {
    tools.get(&call.name).is_none_or(|tool| {
        let definition = tool.definition();
        definition.risk() == RiskLevel::ReadOnly || definition.hints().idempotent
    })
}
