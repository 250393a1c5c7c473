//! What a confined program can do and what it cannot: each with the same program unconfined.

mod calls;
mod endings;
mod engines;
mod files;
mod network;
mod policies;
mod processes;
mod protection;

use serde_json::json;
use tool_core::{Engine, Limits, ToolContext, ToolError, ToolOutput};
use tool_test::Scratch;

use crate::shell::{CommandOutput, RunCommand, Sandbox};
use crate::workspace::Workspace;

/// A workspace `root`, and beside it what programs must not touch.
fn place() -> Scratch {
    Scratch::new()
        .file("root/a.txt", "one\n")
        .file("outside/b.txt", "two\n")
}

fn engine(scratch: &Scratch) -> RunCommand {
    RunCommand::new(Workspace::open(scratch.path().join("root")).unwrap()).without_filter()
}

fn confined(scratch: &Scratch) -> RunCommand {
    engine(scratch).with_sandbox(Sandbox::standard())
}

async fn run(engine: &RunCommand, script: &str) -> Result<CommandOutput, ToolError> {
    run_in(engine, &ToolContext::test(), script).await
}

async fn run_in(
    engine: &RunCommand,
    cx: &ToolContext,
    script: &str,
) -> Result<CommandOutput, ToolError> {
    let input = json!({"command": "bash", "arguments": ["-c", script], "timeout_seconds": 20});
    let input = serde_json::from_value(input).unwrap();
    engine.run(cx, input, &Limits::default()).await
}

/// Runs `script` unconfined, where it has to succeed, and confined, where it has to fail. Each time the place is new.
async fn refused(script: &str) {
    let free = place();
    let output = run(&engine(&free), script).await.unwrap();
    assert_eq!(
        output.exit_code,
        Some(0),
        "unconfined: {script}: {output:?}"
    );

    let bound = place();
    let output = run(&confined(&bound), script).await.unwrap();
    assert_ne!(output.exit_code, Some(0), "confined: {script}: {output:?}");
    assert_eq!(bound.read("outside/b.txt"), "two\n", "{script}");
}

/// Runs `script` confined, where it has to succeed.
async fn allowed(script: &str) -> String {
    let scratch = place();
    let output = run(&confined(&scratch), script).await.unwrap();
    assert_eq!(output.exit_code, Some(0), "{script}: {output:?}");
    output.stdout
}

/// What a run of `script` says beside its output.
async fn said(engine: &RunCommand, script: &str) -> ToolOutput {
    let cx = ToolContext::test();
    run_in(engine, &cx, script).await.unwrap();
    let mut said = ToolOutput::default();
    cx.say_in(&mut said);
    said
}
