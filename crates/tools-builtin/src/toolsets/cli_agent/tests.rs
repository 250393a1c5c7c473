//! Schemas, responses, warnings and errors printed in the source document of the toolset.

mod approval;
mod errors;
mod files;
mod schemas;
mod search;
mod terminal;
#[cfg(feature = "web")]
mod web;

use crate::toolsets::CliAgentResult;
use serde_json::{Value, json};
use tool_core::ToolResult;
use tool_test::Scratch;

use crate::toolsets::ToolsetName::CliAgent;
use crate::toolsets::testing;

async fn call(scratch: &Scratch, tool: &str, arguments: Value) -> ToolResult {
    testing::call(CliAgent, scratch, tool, arguments).await
}

/// Returns the response in the printed format, without the duration.
async fn response(scratch: &Scratch, tool: &str, arguments: Value) -> Value {
    let mut form = json!(CliAgentResult::of(&call(scratch, tool, arguments).await));
    form.as_object_mut().unwrap().remove("execution_time_ms");
    form
}

/// Asserts the text and code of the error of each call.
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
