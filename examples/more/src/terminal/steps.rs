//! Steps of a run as lines.

use std::time::Duration;

use agent_loop::{Event, EventKind, EventSink, ModelError, ModelReply, ReplyPiece, RunOutcome};
use serde_json::Value;
use tool_core::{RiskLevel, ToolCall, ToolResult};

use super::{Bar, Words, one_line};

/// Maximum characters shown of arguments and results.
const MAX_SHOWN: usize = 100;

/// Prints the steps of a run.
#[derive(Debug)]
pub struct Steps {
    bar: Bar,
    words: Words,
}

impl Steps {
    /// Creates a printer that shows `bar` while a task runs and prints `words` as they arrive.
    #[must_use]
    pub fn new(bar: Bar, words: Words) -> Self {
        Self { bar, words }
    }

    fn requested(&self) {
        self.words.begin();
        self.bar.start("waiting for the model");
    }

    fn retrying(&self, error: &ModelError, wait: Duration) {
        let reason = one_line(&error.to_string(), MAX_SHOWN);
        self.bar
            .say(&format!("  … {reason} (retry in {})", short(wait)));
    }

    fn has_more(&self, piece: ReplyPiece<'_>) {
        if let ReplyPiece::Text(_) = piece {
            self.bar.hide();
        }
        self.words.show(piece);
    }

    fn refused(&self, reason: &str) {
        self.bar.say(&format!(
            "  ✗ rejected answer: {}",
            one_line(reason, MAX_SHOWN)
        ));
    }

    fn replied(&self, turn: u32, reply: &ModelReply, elapsed: Duration) {
        self.bar.hide();
        self.words.end();
        if reply.calls.is_empty() {
            return;
        }
        let text = one_line(&reply.text, MAX_SHOWN);
        let words = if self.words.were_shown() { "" } else { &text };
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
        match event.kind {
            EventKind::TurnStarted => self.requested(),
            EventKind::ModelPartial { piece } => self.has_more(piece),
            EventKind::ModelReset => self.words.reset(),
            EventKind::ModelRetried { error, wait, .. } => self.retrying(error, wait),
            EventKind::ReplyRejected { reason } => self.refused(reason),
            EventKind::ModelReplied { reply, elapsed, .. } => {
                self.replied(event.turn, reply, elapsed);
            }
            EventKind::CallStarted { call, risk } => self.started(call, risk),
            EventKind::CallProgress { progress, .. } => self.bar.progress(progress),
            EventKind::CallFinished { result } => self.finished(result),
            _ => self.bar.hide(),
        }
    }
}

/// Summarizes a result: the counts in its data, or its first words.
fn gist(result: &ToolResult) -> String {
    let data = result.data.as_ref();
    let number = |key: &str| data?.get(key)?.as_u64();
    let length = |key: &str| Some(data?.get(key)?.as_array()?.len() as u64);
    let counts = [
        (length("files").filter(|files| *files > 0), "file"),
        (length("entries"), "name"),
        (number("total_matches"), "matching line"),
        (number("lines_returned"), "line"),
        (number("bytes_written"), "byte"),
    ];
    let count = counts
        .into_iter()
        .find_map(|(count, noun)| Some(counted(count?, noun)));
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

/// Summarizes the outcome and usage of a run in one line.
#[must_use]
pub fn summary(
    outcome: &RunOutcome,
    max_turns: u32,
    max_tokens: Option<u64>,
    elapsed: Duration,
) -> String {
    let usage = &outcome.usage;
    let estimated = if usage.estimated { ", estimated" } else { "" };
    let most = max_tokens.map_or_else(String::new, |most| format!(" of {most}"));
    format!(
        "{}: {} of {max_turns} turns, {}, {}{most} tokens ({} read, {} written{estimated}), {}",
        outcome.status,
        usage.turns,
        counted(usage.calls, "call"),
        usage.total_tokens(),
        usage.input_tokens,
        usage.output_tokens,
        short(elapsed),
    )
}

fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

fn short(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}
