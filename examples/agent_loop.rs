//! An agent at work, without a key or a network: the tools are real, and a script plays the model.
//!
//! `cargo run --example agent_loop`
//!
//! The model makes the mistakes that models make. It sends a number as text, which is repaired; it wants to delete
//! everything, which is refused; and it edits a file, which a person has to approve and can undo.

mod directory;

use std::error::Error;
use std::fs;

use toolwright::agent::{Event, EventKind, ScriptedModel};
use toolwright::approval::ApprovalRequest;
use toolwright::builtin::{Kit, Workspace, toolsets};
use toolwright::prelude::*;
use toolwright::serde_json::json;

use directory::Directory;

const TASK: &str = "The pear costs 0.95 now. Correct the price list.";
const PRICES: &str = "apple 1.20\npear 0.90\nplum 2.50\n";
/// Identifies the edit, so that it can be undone.
const EDIT: &str = "call_edit";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let directory = Directory::create()?;
    let prices = directory.path().join("prices.txt");
    fs::write(&prices, PRICES)?;
    // The tools cannot leave the workspace, whatever the model asks for.
    let workspace = Workspace::open(directory.path())?;
    let tools = Registry::builder()
        .toolset(&toolsets::standard(&Kit::new(workspace.clone()))?)?
        .approver(approver_fn(|request| approve(&request)))
        .build();

    println!("Task: {TASK}");
    let outcome = AgentLoop::new(tools, ScriptedModel::new(script()))
        .on_event(print_step)
        .run(TASK)
        .await;
    println!("\nAnswer: {}", outcome.reply.ok_or("there is no answer")?);

    print!("\nThe file now:\n{}", fs::read_to_string(&prices)?);
    let undone = workspace.undo(EDIT)?;
    print!(
        "\nUndone: {}\n{}",
        undone.restored.join(", "),
        fs::read_to_string(&prices)?
    );
    Ok(())
}

/// What the model says, turn by turn.
fn script() -> [ModelReply; 4] {
    let edits = json!([{"old": "pear 0.90", "new": "pear 0.95"}]);
    let edit = json!({"path": "prices.txt", "edits": edits});
    [
        ModelReply::calls([ToolCall::new(
            "search",
            json!({"pattern": "pear", "limit": "5"}),
        )])
        .with_text("Where is the pear?"),
        ModelReply::calls([ToolCall::new("bash", json!({"command": "sudo rm -rf /"}))])
            .with_text("It is easier to start with an empty disk."),
        ModelReply::calls([ToolCall::new("edit", edit).with_id(EDIT)])
            .with_text("Then I edit the line."),
        ModelReply::text("The pear costs 0.95 now."),
    ]
}

/// Approves everything. A real application shows the request to a person.
fn approve(request: &ApprovalRequest) -> Answer {
    for line in request.to_string().lines() {
        println!("  │ {line}");
    }
    println!("  │ y");
    Answer::Approve
}

fn print_step(event: &Event<'_>) {
    match event.kind {
        EventKind::ModelReplied { reply, .. } if !reply.calls.is_empty() => {
            println!("\nTurn {}: {}", event.turn, reply.text);
        }
        EventKind::CallStarted { call, .. } => {
            println!("  → {} {}", call.name, call.arguments.to_text());
        }
        EventKind::CallFinished { result } => {
            for change in &result.metadata.changes {
                println!(
                    "  ~ {}: {} became {}",
                    change.pointer, change.from, change.to
                );
            }
            let mark = if result.success { '✓' } else { '✗' };
            println!("  {mark} {}", result.to_string().replace('\n', "\n    "));
        }
        _ => {}
    }
}
