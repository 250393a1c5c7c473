//! What does a confined `bash true` cost compared with `bash -c true`?
//!
//! cargo bench -p benches --bench spawn -- [--quick]

use std::process::Command;

use benches::bar::{self, Bar};
use benches::contest::Contest;
use benches::measure::Effort;
use benches::options::Options;
use serde_json::json;
use tokio::runtime::Runtime;
use tool_core::{ToolContext, TypedTool};
use tool_test::Scratch;
use tools_builtin::Workspace;
use tools_builtin::shell::{Bash, Sandbox};

fn main() {
    let rounds = match Options::from_command_line().effort {
        Effort::Full => 600,
        Effort::Quick => 5,
    };
    let sandbox = Sandbox::workspace();
    if let Err(error) = sandbox.check() {
        println!("skipped: {error}");
        return;
    }
    let scratch = Scratch::new();
    let workspace = Workspace::open(scratch.path()).expect("the directory exists");
    let bash = Bash::new(workspace).with_sandbox(sandbox);
    let runtime = Runtime::new().expect("the system has threads");
    let contest = Contest::run(rounds, || confined(&bash, &runtime), bare);
    println!("{contest:?}");
    bar::print(&[Bar::ceiling(
        "bash true, confined / bash -c true",
        contest.wall,
        1.5,
    )]);
}

fn confined(bash: &Bash, runtime: &Runtime) {
    let input = serde_json::from_value(json!({"command": "true"})).expect("the input is valid");
    let context = ToolContext::test();
    let output = runtime.block_on(bash.run(&context, input));
    assert_eq!(output.expect("the command runs").exit_code, Some(0));
}

fn bare() {
    let status = Command::new("bash").args(["-c", "true"]).status();
    assert!(status.expect("bash starts").success());
}
