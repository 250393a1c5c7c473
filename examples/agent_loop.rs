//! An agent at work, without a key or a network: the tools are real, and a script plays the model.
//!
//! `cargo run --example agent_loop`
//!
//! The model makes the mistakes that models make. It sends a number as text, which is repaired; it wants to delete
//! everything, which is refused; and it edits a file, which a person has to approve and can undo.

mod directory;
mod steps;

use std::error::Error;
use std::{env, fs};

use toolwright::agent::{RecordedRun, RunReport, ScriptedModel};
use toolwright::approval::{Rule, Verdict};
use toolwright::builtin::toolsets::{self, ToolGroup};
use toolwright::builtin::{Kit, Workspace};
use toolwright::prelude::*;
use toolwright::serde_json::{Value, json};

use directory::Directory;
use steps::Steps;

const TASK: &str = "The pear costs 0.95 now. Correct the price list.";
const PRICES: &str = "apple 1.20\npear 0.90\nplum 2.50\n";
/// Identifies the edit, so that it can be undone.
const EDIT: &str = "call_edit";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (shop, record) = (Directory::create("shop")?, Directory::create("record")?);
    let record = record.path().join("run.jsonl");
    let prices = shop.path().join("prices.txt");
    fs::write(&prices, PRICES)?;
    // The tools cannot leave the workspace, whatever the model asks for.
    let workspace = Workspace::open(shop.path())?;
    let kit = Kit::new(workspace.clone());
    // Changes need approval, but not those of the plan, which is the model's own.
    let policy = Policy::ask_before_changes();
    let tools = Registry::builder()
        .policy(policy.with_rule(Rule::new("plan", "plan", Verdict::Allow)))
        .toolset(&ToolGroup::Plan.add_to(toolsets::standard(&kit)?, &kit)?)?
        .approver(approver_fn(|request| {
            steps::approve(&request);
            Answer::Approve
        }))
        .build();

    println!("Task: {TASK}\nNo model runs: a script plays it, with the mistakes that models make.");
    let outcome = AgentLoop::new(tools, ScriptedModel::new(script()))
        .on_event(Steps::default())
        .record_to(&record)?
        .run(TASK)
        .await;
    println!("\nAnswer: {}", outcome.reply.ok_or("there is no answer")?);

    println!("\nThe file now:\n{}", fs::read_to_string(&prices)?);
    let undone = workspace.undo(EDIT)?.restored.join(", ");
    println!("Undone: {undone}\n{}", fs::read_to_string(&prices)?);

    // Next to this program, so that nothing is left elsewhere.
    let report = env::current_exe()?.with_file_name("agent_loop.html");
    fs::write(
        &report,
        RunReport::new([&RecordedRun::read(&record)?]).to_html(),
    )?;
    println!("Report: {}", report.display());
    println!("Next:   cargo run -p examples --example chat    talk to these tools yourself");
    println!("        examples/starter                        copy it, and write your own agent");
    Ok(())
}

/// What the model says, turn by turn.
fn script() -> [ModelReply; 6] {
    let reply = |text: &str, call| ModelReply::calls([call]).with_text(text);
    let search = json!({"pattern": "pear", "limit": "5"});
    let delete = json!({"command": "sudo rm -rf /"});
    let edits = json!([{"old": "pear 0.90", "new": "pear 0.95"}]);
    let edit = json!({"path": "prices.txt", "edits": edits});
    [
        reply("I make a plan.", plan("in_progress", "pending")),
        reply("Where is the pear?", ToolCall::new("search", search)),
        reply("An empty disk is easier.", ToolCall::new("bash", delete)),
        reply("Then I edit it.", ToolCall::new("edit", edit).with_id(EDIT)),
        reply("That was all.", plan("completed", "completed")),
        ModelReply::text("The pear costs 0.95 now."),
    ]
}

/// The model's plan, with the status of its two steps.
fn plan(find: &str, correct: &str) -> ToolCall {
    let step =
        |content: &str, status: &str| -> Value { json!({"content": content, "status": status}) };
    let items = [
        step("Find the pear", find),
        step("Correct its price", correct),
    ];
    ToolCall::new("plan", json!({"items": items}))
}
