//! Tests of the host's side of a kit.

use serde_json::json;
use tool_core::Registry;
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_test::Scratch;

use super::*;
use crate::checks::OutputType;
use crate::toolsets::{self, ToolGroup};

fn kit(scratch: &Scratch) -> Kit {
    Kit::new(Workspace::open(scratch.path()).unwrap())
}

fn registry(kit: &Kit) -> Registry {
    let toolset = toolsets::standard(kit).unwrap();
    let toolset = ToolGroup::Plan.add_to(toolset, kit).unwrap();
    let toolset = ToolGroup::ValidateOutput.add_to(toolset, kit).unwrap();
    Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .toolset(&toolset)
        .unwrap()
        .build()
}

#[cfg(unix)]
#[tokio::test]
async fn host_reads_history_and_stops_background_commands() {
    let scratch = Scratch::new();
    let kit = kit(&scratch);
    let registry = registry(&kit);
    for arguments in [
        json!({"command": "echo seen"}),
        json!({"command": "sleep 60", "background": true}),
    ] {
        assert!(registry.execute("bash", arguments).await.success);
    }

    let last = kit.terminal_history().last().unwrap();
    let running = kit.background_commands().list();
    kit.background_commands().stop(&running[0].id).await;

    assert_eq!(
        (last.command.as_str(), last.output.as_str()),
        ("echo seen", "seen\n")
    );
    assert_eq!(running.len(), 1);
    assert!(!kit.background_commands().list()[0].is_running());
}

#[tokio::test]
async fn custom_output_types_replace_built_in_types() {
    let title = OutputType::named("title").schema(json!({"type": "string", "maxLength": 5}));
    let scratch = Scratch::new();
    let kit = kit(&scratch).with_output_types(OutputTypes::empty().with(title.unwrap()));
    let registry = registry(&kit);
    for (output_type, data, text) in [
        ("title", "short", "Valid."),
        ("title", "too long", "Not valid.\nErrors:\n- "),
        ("domain_map", "{}", "Error: `output_type` "),
    ] {
        let arguments = json!({"output_type": output_type, "data": data});

        let result = registry.execute("validate_output", arguments).await;

        assert!(result.text().starts_with(text), "{output_type}: {result}");
    }
}

#[tokio::test]
async fn clones_share_session_and_separate_kits_do_not() {
    let scratch = Scratch::new();
    let (one, other) = (kit(&scratch), kit(&scratch));
    let plan =
        json!({"items": [{"content": "Test", "activeForm": "Testing", "status": "pending"}]});

    registry(&one.clone()).execute("plan", plan).await;

    assert_eq!(one.todo_store().plan().items.len(), 1);
    assert_eq!(other.todo_store().plan().items.len(), 0);
}

#[test]
fn debug_output_omits_file_content() {
    let scratch = Scratch::new().file("secret.txt", "the secret");
    let kit = kit(&scratch);

    let shown = format!("{kit:?}");

    assert!(shown.contains("Kit {"), "{shown}");
    assert!(!shown.contains("the secret"), "{shown}");
}
