//! What the document of the set prints: schemas, responses, warnings and errors.

mod approval;
mod files;
mod mapped;
mod schemas;
mod search;
mod terminal;
#[cfg(feature = "web")]
mod web;

use serde_json::{Value, json};
use tool_core::ToolResult;
use tool_core::forms::CliAgentResult;
use tool_test::Scratch;

use crate::contracts::ContractSet::CliAgent;
use crate::contracts::testing;

async fn call(scratch: &Scratch, tool: &str, arguments: Value) -> ToolResult {
    testing::call(CliAgent, scratch, tool, arguments).await
}

/// The response as the document prints it, without the time that it took.
async fn response(scratch: &Scratch, tool: &str, arguments: Value) -> Value {
    let mut form = json!(CliAgentResult::of(&call(scratch, tool, arguments).await));
    form.as_object_mut().unwrap().remove("execution_time_ms");
    form
}

/// Each call fails with exactly this text and this code.
async fn assert_errors(scratch: &Scratch, cases: &[(&str, Value, &str, &str)]) {
    for (tool, arguments, text, code) in cases {
        let result = call(scratch, tool, arguments.clone()).await;

        let found = result.error.as_ref().map(|error| error.code.as_str());
        assert_eq!(
            (result.text().as_str(), found),
            (*text, Some(*code)),
            "{tool} {arguments}"
        );
    }
}
