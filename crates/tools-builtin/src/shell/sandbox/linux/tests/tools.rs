//! Sandboxing of every tool that runs commands.

use std::time::Duration;

use tool_core::{ErrorCode, Registry};

use super::*;
use crate::shell::BackgroundCommands;
use crate::{Kit, toolsets};

const EVIL: &str = "echo evil > ../outside/b.txt";

fn registry(scratch: &Scratch, sandbox: Sandbox) -> Registry {
    let workspace = Workspace::open(scratch.path().join("root")).unwrap();
    let kit = Kit::new(workspace).with_sandbox(sandbox);
    let toolset = toolsets::standard(&kit).unwrap();
    Registry::builder()
        .policy(tool_core::approval::Policy::allow_all())
        .toolset(&toolset)
        .unwrap()
        .build()
}

#[tokio::test]
async fn bash_is_confined() {
    let scratch = fixture();
    let workspace = Workspace::open(scratch.path().join("root")).unwrap();
    let free = Bash::new(workspace).without_filter();
    let bound = free.clone().with_sandbox(Sandbox::standard());
    let input = |line: &str| serde_json::from_value(json!({"command": line})).unwrap();
    let cx = ToolContext::test();

    let inside = bound
        .run(&cx, input("echo in >> a.txt; cat a.txt"))
        .await
        .unwrap();
    let outside = bound.run(&cx, input(EVIL)).await.unwrap();

    assert_eq!(inside.stdout, "one\nin\n");
    assert_eq!(
        (outside.exit_code, scratch.read("outside/b.txt").as_str()),
        (Some(1), "two\n")
    );
    let unbound = free.run(&cx, input(EVIL)).await.unwrap();
    assert_eq!(
        (unbound.exit_code, scratch.read("outside/b.txt").as_str()),
        (Some(0), "evil\n")
    );
}

#[tokio::test]
async fn commands_of_kit_are_confined() {
    let scratch = fixture();
    let registry = registry(&scratch, Sandbox::standard());

    let result = registry
        .execute("bash", json!({"command": "cat a.txt"}))
        .await;

    let result = serde_json::to_value(&result).unwrap();
    assert_eq!(result["metadata"]["sandbox"]["enforced"], true, "{result}");
    assert_eq!(result["data"]["stdout"], "one\n", "{result}");
}

#[tokio::test]
async fn unavailable_sandbox_is_tool_error() {
    let scratch = fixture();
    let registry = registry(&scratch, Sandbox::standard().write_below("/no/such/folder"));

    let result = registry
        .execute("bash", json!({"command": "touch ran"}))
        .await;

    let error = result.error.unwrap();
    assert_eq!(error.code, ErrorCode::from("sandbox_unavailable"));
    assert!(!scratch.has("root/ran"));
}

#[tokio::test]
async fn memory_limit_applies_in_sandbox() {
    let scratch = fixture();
    let tool = confined(&scratch).with_memory_limit(64 << 20);

    let output = run(&tool, "ulimit -v").await.unwrap();

    assert_eq!(output.stdout, "65536\n", "{output:?}");
}

#[tokio::test]
async fn background_command_is_confined_and_cleaned_up() {
    let scratch = fixture().file("root/.git/config", "kept\n");
    let workspace = Workspace::open(scratch.path().join("root")).unwrap();
    let commands = BackgroundCommands::default();
    let tool = Bash::new(workspace)
        .without_filter()
        .with_background(commands.clone())
        .with_sandbox(Sandbox::standard());
    let line = "echo evil > ../outside/b.txt; echo evil > .git/config; touch $TMPDIR/x; \
        echo $TMPDIR > folder; sleep 4032.25";
    let input = serde_json::from_value(json!({"command": line, "background": true})).unwrap();
    let cx = ToolContext::test();

    let started = tool.run(&cx, input).await.unwrap();
    let mut report = ToolOutput::default();
    cx.move_additions_to(&mut report);
    for _ in 0..1000 {
        if scratch.has("root/folder") && !scratch.read("root/folder").is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let folder = scratch.read("root/folder").trim_end().to_owned();
    assert!(std::fs::exists(&folder).unwrap());
    commands
        .stop(&started.background_id.unwrap())
        .await
        .unwrap();

    assert_eq!(report.metadata["sandbox"]["network"], "refused");
    assert!(!std::fs::exists(&folder).unwrap());
    assert_eq!(scratch.read("root/.git/config"), "kept\n");
    assert_eq!(scratch.read("outside/b.txt"), "two\n");
}
