//! The steps of a run as lines.

use std::time::Duration;

use agent_loop::{Event, EventSink, ModelReply, Outcome};
use serde_json::Value;
use tool_core::{RiskLevel, ToolCall, ToolResult};

use super::{Bar, one_line};

/// Characters of arguments and of results that are shown.
const MAX_SHOWN: usize = 100;

/// Prints the steps of a run.
#[derive(Debug)]
pub struct Steps {
    bar: Bar,
}

impl Steps {
    /// Creates a printer that shows `bar` while something runs.
    #[must_use]
    pub fn new(bar: Bar) -> Self {
        Self { bar }
    }

    fn replied(&self, turn: u32, reply: &ModelReply, elapsed: Duration) {
        self.bar.hide();
        if reply.calls.is_empty() {
            return;
        }
        let words = one_line(&reply.text, MAX_SHOWN);
        self.bar
            .say(format!("Turn {turn} ({}) {words}", short(elapsed)).trim_end());
    }

    fn started(&self, call: &ToolCall, risk: Option<RiskLevel>) {
        let risk = risk.map_or("unknown tool", RiskLevel::as_str);
        let arguments = one_line(&call.arguments.to_text(), MAX_SHOWN);
        let name = one_line(&call.name, 64);
        self.bar.say(&format!("  → {name} [{risk}] {arguments}"));
        self.bar.start(&name);
    }

    fn finished(&self, result: &ToolResult) {
        self.bar.hide();
        let mark = if result.success { '✓' } else { '✗' };
        let name = one_line(&result.name, 64);
        let time = short(result.metadata.total_time);
        let gist = one_line(&gist(result), MAX_SHOWN);
        self.bar.say(&format!("  {mark} {name} ({time}) {gist}"));
    }
}

impl EventSink for Steps {
    fn event(&self, event: &Event<'_>) {
        match *event {
            Event::TurnStarted { .. } => self.bar.start("the model thinks"),
            Event::ModelReplied {
                turn,
                reply,
                elapsed,
            } => self.replied(turn, reply, elapsed),
            Event::CallStarted { call, risk } => self.started(call, risk),
            Event::CallProgress { progress, .. } => self.bar.progress(progress),
            Event::CallFinished { result } => self.finished(result),
            _ => self.bar.hide(),
        }
    }
}

/// A result in a few words: what its data counts, or its first words.
fn gist(result: &ToolResult) -> String {
    let data = result.data.as_ref();
    let number = |key: &str| data?.get(key)?.as_u64();
    let length = |key: &str| Some(data?.get(key)?.as_array()?.len() as u64);
    let counts = [
        (length("files"), "files"),
        (number("total_matches"), "lines match"),
        (number("lines_returned"), "lines"),
        (number("bytes_written"), "bytes written"),
    ];
    let count = counts
        .into_iter()
        .find_map(|(count, noun)| Some(format!("{} {noun}", count?)));
    match (result.success, count) {
        (true, Some(count)) => count,
        (true, None) => done_steps(data).unwrap_or_else(|| result.text()),
        (false, _) => result.text(),
    }
}

fn done_steps(data: Option<&Value>) -> Option<String> {
    let items = data?.get("items")?.as_array()?;
    let done = items
        .iter()
        .filter(|item| item["status"] == "completed")
        .count();
    let current = data?
        .pointer("/currentItem/activeForm")
        .and_then(Value::as_str);
    let now = current.map_or_else(String::new, |active| format!(", now: {active}"));
    Some(format!("{done} of {} steps done{now}", items.len()))
}

/// How the run ended and what it used, in one line.
#[must_use]
pub fn summary(
    outcome: &Outcome,
    max_turns: u32,
    max_tokens: Option<u64>,
    elapsed: Duration,
) -> String {
    let usage = &outcome.usage;
    let estimated = if usage.estimated { ", estimated" } else { "" };
    let most = max_tokens.map_or_else(String::new, |most| format!(" of {most}"));
    format!(
        "{}: {} of {max_turns} turns, {} calls, {}{most} tokens ({} read, {} written{estimated}), {}",
        outcome.status,
        usage.turns,
        usage.calls,
        usage.total_tokens(),
        usage.input_tokens,
        usage.output_tokens,
        short(elapsed),
    )
}

fn short(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}
