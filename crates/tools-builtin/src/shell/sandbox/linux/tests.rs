//! Sandbox tests, most of which run the same program unconfined and confined.

mod calls;
mod endings;
mod exact_grants;
mod figures;
mod files;
mod grants;
mod network;
mod new_repositories;
mod policies;
mod processes;
mod protection;
mod repositories;
mod tokens;
mod tools;
mod workspace;

use serde_json::json;
use tool_core::{ToolContext, ToolError, ToolOutput, TypedTool};
use tool_test::Scratch;

use crate::shell::{Bash, CommandOutput, Sandbox};
use crate::workspace::Workspace;

/// Creates a workspace `root` and a directory `outside` that programs must not change.
fn fixture() -> Scratch {
    Scratch::new()
        .file("root/a.txt", "one\n")
        .file("outside/b.txt", "two\n")
}

fn tool(scratch: &Scratch) -> Bash {
    Bash::new(Workspace::open(scratch.path().join("root")).unwrap()).without_filter()
}

fn confined(scratch: &Scratch) -> Bash {
    tool(scratch).with_sandbox(Sandbox::standard())
}

async fn run(tool: &Bash, script: &str) -> Result<CommandOutput, ToolError> {
    run_in(tool, &ToolContext::test(), script).await
}

async fn run_in(tool: &Bash, cx: &ToolContext, script: &str) -> Result<CommandOutput, ToolError> {
    let input = json!({"command": script, "timeout_seconds": 20});
    let input = serde_json::from_value(input).unwrap();
    tool.run(cx, input).await
}

/// Asserts that `script` succeeds unconfined and fails confined, each in a new scratch directory.
async fn assert_rejected(script: &str) {
    let free = fixture();
    let output = run(&tool(&free), script).await.unwrap();
    assert_eq!(
        output.exit_code,
        Some(0),
        "unconfined: {script}: {output:?}"
    );

    let bound = fixture();
    let output = run(&confined(&bound), script).await.unwrap();
    assert_ne!(output.exit_code, Some(0), "confined: {script}: {output:?}");
    assert_eq!(bound.read("outside/b.txt"), "two\n", "{script}");
}

/// Asserts that `script` succeeds confined, and returns its output.
async fn assert_allowed(script: &str) -> String {
    let scratch = fixture();
    let output = run(&confined(&scratch), script).await.unwrap();
    assert_eq!(output.exit_code, Some(0), "{script}: {output:?}");
    output.stdout
}

/// Returns the warnings and metadata of running `script`.
async fn report(tool: &Bash, script: &str) -> ToolOutput {
    let cx = ToolContext::test();
    run_in(tool, &cx, script).await.unwrap();
    let mut report = ToolOutput::default();
    cx.move_additions_to(&mut report);
    report
}
