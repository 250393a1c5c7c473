//! Our registry as users set it up: default policy, timeout, permits, validation, span.

use std::hint::black_box;

use benches::measure::{Case, at_once};
use serde_json::Value;
use tool_core::{RegisterError, Registry, RiskLevel, ToolResult, tool_fn};

use crate::{Add, ReadFile, Todo, Workload};

/// A call with the arguments as a value.
pub(super) fn value<W: Workload>(text: &str, expected: &Value) -> Case<'static> {
    let tools = registry();
    let arguments: Value = serde_json::from_str(text).expect("the text is JSON");
    let call = move || at_once(tools.execute(W::NAME, black_box(&arguments).clone()));
    Case::checked("value", expected, call, answer)
}

/// A call with the arguments as the model sent them.
pub(super) fn text<W: Workload>(text: &'static str, expected: &Value) -> Case<'static> {
    let tools = registry();
    let call = move || at_once(tools.execute_text(W::NAME, black_box(text)));
    Case::checked("text", expected, call, answer)
}

fn registry() -> Registry {
    let tools = Registry::new();
    register::<Add>(&tools)
        .and_then(|()| register::<ReadFile>(&tools))
        .and_then(|()| register::<Todo>(&tools))
        .expect("the names differ");
    tools
}

fn register<W: Workload>(tools: &Registry) -> Result<(), RegisterError> {
    let tool = tool_fn(W::NAME, W::DESCRIPTION, |_, input: W| async move {
        Ok(input.answer())
    });
    tools.register(tool.risk(RiskLevel::ReadOnly))
}

fn answer(result: ToolResult) -> Value {
    result.data.unwrap_or_default()
}
