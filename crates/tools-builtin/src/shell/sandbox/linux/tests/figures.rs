//! What confined commands cost.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::*;
use crate::shell::Bash;

/// Returns the median time of `work`.
fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..300)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

/// `cargo test --release -p tools-builtin --all-features --lib cost_of_confined_commands -- --ignored --nocapture`
#[test]
#[ignore = "prints figures"]
fn cost_of_confined_commands() {
    let scratch = fixture();
    let root = scratch.path().join("root");
    let mut init = Command::new("git");
    let init = init.args(["init", "-q"]).current_dir(&root);
    assert!(init.status().unwrap().success());
    let workspace = || Workspace::builder().root(&root);
    let without = workspace().without_checkpoints().build().unwrap();
    let with = workspace()
        .checkpoints_in(scratch.path().join("state"))
        .build()
        .unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let tool = |workspace: Workspace, command: &str| {
        let bash = Bash::new(workspace).with_sandbox(Sandbox::workspace());
        let input = || serde_json::from_value(json!({"command": command})).unwrap();
        median(|| {
            let output = runtime.block_on(bash.run(&ToolContext::test(), input()));
            assert_eq!(output.unwrap().exit_code, Some(0));
        })
    };
    let plain = median(|| {
        let mut command = Command::new("bash");
        let command = command.args(["-c", "true"]).stdin(Stdio::null());
        assert!(command.status().unwrap().success());
    });
    println!("bash -c true, by std: {plain:?}");
    println!("true, allowed: {:?}", tool(with.clone(), "true"));
    println!(
        "FOO=1 true, confined, restored, no record: {:?}",
        tool(without, "FOO=1 true")
    );
    println!(
        "FOO=1 true, confined, restored, recorded, with checkpoint: {:?}",
        tool(with, "FOO=1 true")
    );
}
