//! Five tools, a policy, and approvals that arrive on a channel with a preview, as an interface of your own gets them.
//!
//! `cargo run --example secretary`

mod directory;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright::AdaptedTool;
use toolwright::agent::ScriptedModel;
use toolwright::approval::ChannelApprover;
use toolwright::builtin::{Kit, Workspace, toolsets};
use toolwright::prelude::*;
use toolwright::serde_json::json;

use directory::Directory;

#[derive(Default)]
struct Calendar(Mutex<BTreeMap<String, String>>);

#[tools]
impl Calendar {
    /// Adds an event to the calendar.
    #[tool(risk = safe_write)]
    fn add_event(
        &self,
        /// Start, such as `2026-11-30T12:00`.
        #[tool(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$")]
        start: String,
        /// Title.
        #[tool(max_length = 80)]
        title: String,
    ) {
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        events.insert(start, title);
    }

    /// Finds the events of a day, such as `2026-11-30`.
    #[tool(risk = read_only)]
    fn find_events(&self, day: String) -> Vec<String> {
        let events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = events.iter().filter(|(at, _)| at.starts_with(&day));
        found.map(|(at, what)| format!("{at} {what}")).collect()
    }
}

/// Converts euros to dollars.
#[tool(risk = read_only)]
fn convert_currency(#[tool(range = 0.0..)] euros: f64) -> f64 {
    euros * 1.16
}

/// Sends an invoice by mail.
#[tool(risk = dangerous, preview = invoice)]
fn send_invoice(to: String, euros: String) -> String {
    format!("Sent to {to}: {}", invoice(&to, &euros))
}

fn invoice(to: &str, euros: &str) -> String {
    format!("Dear {to}, please pay {euros} €.")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let notes = Directory::create("notes")?;
    fs::write(notes.path().join("ada.md"), "Ada pays 90 euros.\n")?;
    let kit = Kit::new(Workspace::open(notes.path())?);
    // The tool for files of the library, under a name of ours. It cannot leave the workspace.
    let files = toolsets::standard(&kit)?.only(["read"])?;
    let read = files.tools().first().ok_or("no tool `read`")?;
    let (approver, mut requests) = ChannelApprover::new();
    let tools = Registry::builder()
        .policy(Policy::from_json(r#"{"dangerous": "ask"}"#)?)
        .approver(approver.clone())
        .toolset(&Calendar::default().tools())?
        .tool(ConvertCurrency)?
        .tool(SendInvoice)?
        .tool(AdaptedTool::new(Arc::clone(read)).renamed("read_notes"))?
        .build();
    // The interface: shows each request with its preview, and answers it by its id.
    tokio::spawn(async move {
        while let Some(request) = requests.recv().await {
            println!("{}\nApproved by a click.\n", request.details());
            approver.answer(&request.id, Answer::Approve);
        }
    });
    let agent = AgentLoop::new(tools, script());
    let outcome = agent.run("Send Ada's invoice.").await;
    println!("{}", outcome.reply.ok_or("there is no answer")?);
    Ok(())
}

/// Plays the model, so that the program needs no key.
fn script() -> ScriptedModel {
    let call = |tool: &str, input| ModelReply::calls([ToolCall::new(tool, input)]);
    ScriptedModel::new([
        call("read_notes", json!({"path": "ada.md"})),
        call("send_invoice", json!({"to": "Ada", "euros": "90.00"})),
        ModelReply::text("The invoice is sent."),
    ])
}
