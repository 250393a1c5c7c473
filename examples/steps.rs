//! Prints the steps of a run in the colors and the width of the terminal, each result next to its call.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

// No colors if the output is no terminal, or `NO_COLOR` is set.
use console::{Term, style};
use toolwright::agent::{Event, EventKind, EventSink};
use toolwright::approval::ApprovalRequest;
use toolwright::serde_json::Value;
use toolwright::{CallArguments, ToolResult};

#[derive(Default)]
pub struct Steps {
    /// Arguments of the calls that run, by the id of the call.
    arguments: Mutex<HashMap<String, String>>,
}

impl EventSink for Steps {
    fn event(&self, event: &Event<'_>) {
        let mut arguments = self
            .arguments
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match event.kind {
            EventKind::ModelReplied { reply, .. } if !reply.calls.is_empty() => {
                let turn = format!("Turn {}", event.turn);
                println!("\n{}  {}", style(turn).bold(), reply.text);
            }
            EventKind::CallStarted { call, .. } => {
                arguments.insert(call.id.clone(), named(&call.arguments));
            }
            EventKind::CallFinished { result } => {
                finished(
                    result,
                    &arguments.remove(result.id.as_str()).unwrap_or_default(),
                );
            }
            _ => {}
        }
    }
}

fn finished(result: &ToolResult, arguments: &str) {
    let mark = if result.success {
        style('✓').green()
    } else {
        style('✗').red()
    };
    let items = result.data.as_ref().and_then(|data| data.get("items"));
    let plan = items.and_then(Value::as_array);
    // A plan is shown as a checklist below.
    let arguments = if plan.is_some() { "" } else { arguments };
    let line = shortened(&format!("{} {arguments}", result.name), width() - 4);
    println!("  {mark} {}", style(line).bold());
    for change in &result.metadata.changes {
        let parameter = change.pointer.trim_start_matches('/');
        let repaired = format!(
            "repaired: {parameter} was {} and is {}",
            change.from, change.to
        );
        println!("    {}", style(repaired).yellow());
    }
    match plan {
        Some(steps) => steps.iter().for_each(print_checked),
        None => print_wrapped(&result.to_string()),
    }
}

/// Prints a step of a plan as an item of a checklist.
fn print_checked(step: &Value) {
    let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default();
    let content = text("content");
    match text("status") {
        "completed" => println!("    {} {}", style("[x]").green(), style(content).dim()),
        "in_progress" => println!("    {} {content}", style("[>]").yellow()),
        _ => println!("    [ ] {content}"),
    }
}

/// Shows a request with the change that it would make. A real application asks a person here.
pub fn approve(request: &ApprovalRequest) {
    let question = format!("? {} needs approval", request.tool);
    println!("  {}", style(question).yellow());
    for line in request.diff().unwrap_or_default().lines() {
        let line = match line.as_bytes().first() {
            Some(b'+') => style(line).green(),
            Some(b'-') => style(line).red(),
            _ => style(line).dim(),
        };
        println!("  {} {line}", style('│').yellow());
    }
    let note = style("(from the script; the example `chat` asks you)").dim();
    println!("  {} yes {note}", style('│').yellow());
}

/// Returns arguments as `name=value`, which is shorter to read than JSON.
fn named(arguments: &CallArguments) -> String {
    let CallArguments::Value(Value::Object(members)) = arguments else {
        return arguments.to_text();
    };
    let shown = members.iter().map(|(name, value)| match value {
        Value::Array(_) | Value::Object(_) => format!("{name}=…"),
        value => format!("{name}={value}"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn print_wrapped(text: &str) {
    for line in text.lines() {
        let mut shown = String::new();
        for word in line.split(' ') {
            if !shown.is_empty() && shown.chars().count() + word.chars().count() > width() - 6 {
                println!("    {}", style(&shown).dim());
                shown.clear();
            } else if !shown.is_empty() {
                shown.push(' ');
            }
            shown.push_str(word);
        }
        println!("    {}", style(shown).dim());
    }
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the columns of the terminal, or 80 without one.
fn width() -> usize {
    let (_, columns) = Term::stdout().size();
    usize::from(columns).max(40)
}
