//! Test helpers that call a tool.

use serde_json::Value;
use tool_core::{Arguments, ToolContext, ToolError, ToolInput, ToolOutput, TypedTool};
use tool_test::Scratch;

use super::SessionFiles;
use super::previewed::Previewed;
use super::seen::SeenFiles;
use crate::workspace::Workspace;

/// Result of one call, with its warnings and affected files.
pub(crate) struct Outcome<T> {
    pub(crate) result: Result<T, ToolError>,
    pub(crate) warnings: Vec<String>,
    pub(crate) affected: Vec<String>,
}

impl<T: std::fmt::Debug> Outcome<T> {
    pub(crate) fn output(self) -> T {
        self.result.unwrap()
    }

    pub(crate) fn error(self) -> ToolError {
        self.result.unwrap_err()
    }

    /// Returns the error code and the parameter that the error names.
    pub(crate) fn refusal(self) -> (String, Option<String>) {
        let error = self.error();
        (
            error.code().to_string(),
            error.parameter().map(str::to_owned),
        )
    }
}

pub(crate) fn open(scratch: &Scratch) -> Workspace {
    Workspace::open(scratch.path()).unwrap()
}

/// Returns the files of a session whose approver has seen nothing.
pub(super) fn session_files(workspace: Workspace, seen: SeenFiles) -> SessionFiles {
    SessionFiles {
        workspace,
        seen,
        previewed: Previewed::default(),
    }
}

pub(crate) async fn call<E: TypedTool>(tool: E, input: Value) -> Outcome<E::Output> {
    let cx = ToolContext::test();
    let input = E::Input::from_arguments(&Arguments::from_value(input)).unwrap();
    let result = tool.run(&cx, input).await;
    let mut said = ToolOutput::default();
    cx.move_additions_to(&mut said);
    Outcome {
        result,
        warnings: said.warnings,
        affected: said.files_affected,
    }
}
