//! Our registry with default settings: policy, timeout, permits, validation, span.

use std::hint::black_box;

use benches::measure::{Case, at_once};
use benches::tools::registry;
use serde_json::Value;
use tool_core::ToolResult;

use crate::Workload;

/// Calls with the arguments as a value.
pub(super) fn value<W: Workload>(text: &str, expected: &Value) -> Case<'static> {
    let tools = registry();
    let arguments: Value = serde_json::from_str(text).expect("the text is JSON");
    let call = move || at_once(tools.execute(W::NAME, black_box(&arguments).clone()));
    Case::checked("value", expected, call, answer)
}

/// Calls with the arguments as text.
pub(super) fn text<W: Workload>(text: &'static str, expected: &Value) -> Case<'static> {
    let tools = registry();
    let call = move || at_once(tools.execute(W::NAME, black_box(text)));
    Case::checked("text", expected, call, answer)
}

fn answer(result: ToolResult) -> Value {
    result.data.unwrap_or_default()
}
