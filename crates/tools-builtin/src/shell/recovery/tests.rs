use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{Registry, ToolResult};
use tool_test::Scratch;

use crate::shell::Sandbox;
use crate::workspace::WorkspaceBuilder;
use crate::{Kit, Workspace, toolsets};

/// Registry over a workspace, and its parts.
struct Layout {
    scratch: Scratch,
    workspace: Workspace,
    kit: Kit,
    _state: Scratch,
}

impl Layout {
    fn new(scratch: Scratch, set: fn(WorkspaceBuilder) -> WorkspaceBuilder) -> Self {
        let state = Scratch::new();
        let builder = Workspace::builder().root(scratch.path());
        let builder = set(builder.checkpoints_in(state.path().join("state")));
        let workspace = builder.build().unwrap();
        Self {
            kit: Kit::new(workspace.clone()).unconfined(),
            workspace,
            scratch,
            _state: state,
        }
    }

    fn registry(&self) -> Registry {
        Registry::builder()
            .policy(Policy::allow_all())
            .approver(approver_fn(|_| Answer::Approve))
            .toolset(&toolsets::standard(&self.kit).unwrap())
            .unwrap()
            .build()
    }

    async fn bash(&self, arguments: Value) -> ToolResult {
        self.registry().execute("bash", arguments).await
    }
}

fn files() -> Scratch {
    Scratch::new()
        .file("src/a", "1")
        .file("b", "1")
        .file("c", "1")
}

const LOSS: &str = "mv src gone && rm -rf gone; echo 2 > b";

#[tokio::test]
async fn commands_state_what_changed_and_can_be_undone() {
    let layout = Layout::new(files(), |builder| builder);

    let result = layout.bash(json!({"command": LOSS})).await;

    assert_eq!(result.files_affected, ["b", "src", "src/a"], "{result}");
    assert_eq!(result.metadata.extra["checkpoint"], json!({"changed": 3}));
    let undone = layout.workspace.undo(&result.id).unwrap();
    assert_eq!(undone.restored, ["b", "src", "src/a"]);
    assert_eq!(layout.scratch.read("src/a"), "1");
}

#[tokio::test]
async fn allowed_commands_and_unchanged_files_have_no_note() {
    let layout = Layout::new(files(), |builder| builder);
    for command in ["cat b", "true; bash -c 'cat b'"] {
        let result = layout.bash(json!({"command": command})).await;

        assert!(result.success, "{result}");
        assert!(result.files_affected.is_empty());
        assert!(
            !result.metadata.extra.contains_key("checkpoint"),
            "{result}"
        );
    }
}

#[tokio::test]
async fn command_that_times_out_can_be_undone() {
    let layout = Layout::new(files(), |builder| builder);
    let arguments = json!({"command": "rm -r src; sleep 60", "timeout_seconds": 1});

    let result = layout.bash(arguments).await;

    assert!(!result.success);
    assert_eq!(result.files_affected, ["src", "src/a"], "{result}");
    layout.workspace.undo(&result.id).unwrap();
    assert_eq!(layout.scratch.read("src/a"), "1");
}

#[tokio::test]
async fn dropped_call_is_recorded() {
    let layout = Layout::new(files(), |builder| builder);
    let registry = layout.registry();
    let call = registry.execute("bash", json!({"command": "rm -r src; sleep 60"}));

    let _ = tokio::time::timeout(Duration::from_millis(1500), call).await;

    drop(registry);
    assert!(!layout.scratch.has("src"));
    let mut restored = false;
    for _ in 0..100 {
        // A new call sees the loss only if it was not recorded, so ask the store.
        let calls = layout.workspace.recorded_commands();
        if let [call] = &*calls {
            restored = layout.workspace.undo(call).is_ok();
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(restored);
    assert_eq!(layout.scratch.read("src/a"), "1");
}

#[tokio::test]
async fn checkpoint_of_background_command_ends_with_it() {
    let layout = Layout::new(files(), |builder| builder);
    let registry = layout.registry();
    let command = json!({"command": "sleep 1; rm -r src", "background": true});
    let background = registry.execute("bash", command).await;
    assert!(background.success, "{background}");

    let other = layout.bash(json!({"command": "rm c"})).await;

    assert_eq!(other.files_affected, ["c"]);
    for _ in 0..100 {
        if !layout.workspace.changes(&background.id).is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(
        layout.workspace.undo(&background.id).unwrap().restored,
        ["src", "src/a"]
    );
    assert!(!layout.scratch.has("c"));
    assert_eq!(layout.workspace.undo(&other.id).unwrap().restored, ["c"]);
}

#[tokio::test]
async fn one_setting_disables_checkpoints() {
    let layout = Layout::new(files(), WorkspaceBuilder::without_checkpoints);

    let result = layout.bash(json!({"command": LOSS})).await;

    assert!(result.success && result.files_affected.is_empty());
    assert!(!result.metadata.extra.contains_key("checkpoint"));
    let error = layout.workspace.undo(&result.id).unwrap_err();
    assert_eq!(error.code().to_string(), "not_recorded");
}

/// Runs `command` in a sandbox, and returns the result and whether approval was requested.
async fn run_confined(layout: &Layout, command: &str) -> (ToolResult, bool) {
    let asked = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&asked);
    let registry = Registry::builder()
        .policy(Policy::default())
        .approver(approver_fn(move |_| {
            seen.store(true, Ordering::Relaxed);
            Answer::Deny { reason: None }
        }))
        .toolset(
            &toolsets::standard(&layout.kit.clone().with_sandbox(Sandbox::workspace())).unwrap(),
        )
        .unwrap()
        .build();
    let result = registry.execute("bash", json!({"command": command})).await;
    (result, asked.load(Ordering::Relaxed))
}

#[tokio::test]
async fn covered_losses_need_no_approval() {
    for command in ["rm -rf src", "rm -rf *", "git clean -fd; rm -rf src"] {
        let layout = Layout::new(files(), |builder| builder);
        let (result, asked) = run_confined(&layout, command).await;
        assert!(result.success && !asked, "{command}: {result}");
        layout.workspace.undo(&result.id).unwrap();
        assert!(layout.scratch.has("src/a") && layout.scratch.has("b"));

        let disabled = Layout::new(files(), WorkspaceBuilder::without_checkpoints);
        let (_, asked) = run_confined(&disabled, command).await;
        assert!(asked, "{command}");
        assert!(disabled.scratch.has("src/a") && disabled.scratch.has("b"));
    }
}

#[tokio::test]
async fn losses_without_complete_checkpoint_need_approval() {
    let large = "x".repeat(1024 * 1024 + 1);
    let scratch = files().file(".ignore", "*.data\n").file("a.data", &large);
    let layout = Layout::new(scratch, |builder| builder);

    // The plan cannot know of the gap yet, so the command does not run.
    let (result, asked) = run_confined(&layout, "rm -rf src").await;
    assert!(!result.success && !asked, "{result}");
    assert!(
        result.text().contains("ignored and larger than 1 MiB"),
        "{result}"
    );
    let (_, asked) = run_confined(&layout, "rm -rf src").await;
    assert!(asked && layout.scratch.has("src/a"));

    // Other commands run as before.
    let (result, asked) = run_confined(&layout, "echo 2 > b").await;
    assert!(result.success && !asked, "{result}");
}

#[tokio::test]
async fn command_without_checkpoint_says_why() {
    let scratch = files();
    let workspace = Workspace::builder()
        .root(scratch.path())
        .checkpoints_in(scratch.path().join("state"))
        .build()
        .unwrap();
    let layout = Layout {
        kit: Kit::new(workspace.clone()).unconfined(),
        workspace,
        scratch,
        _state: Scratch::new(),
    };

    let result = layout.bash(json!({"command": "rm -r src"})).await;

    assert!(result.success, "{result}");
    let reason = "the state directory is in the workspace; set another with `checkpoints_in`";
    assert_eq!(
        result.metadata.extra["checkpoint"],
        json!({"skipped": reason})
    );
}
