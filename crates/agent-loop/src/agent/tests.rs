mod approvals;
mod cancelling;
mod checkpoints;
mod compaction;
mod cost;
mod events;
mod json;
mod ledger;
mod limits;
mod results;
mod resuming;
mod retrying;
mod steering;
mod sub_agents;
mod suspended_agents;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use provider_adapters::{Finish, Message, Transcript};
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::{CancellationToken, OutputLimit, Progress, Registry, ToolCall, ToolError, tool_fn};

use crate::{
    AgentLoop, Event, EventKind, LoopError, Model, ModelError, ModelReply, ModelRequest,
    RunOutcome, ScriptedModel, Status,
};

#[derive(Deserialize, schemars::JsonSchema)]
struct Nothing {}

#[derive(Deserialize, schemars::JsonSchema)]
struct Text {
    text: String,
}

/// Returns a reply without calls that ends for this reason.
fn finished(text: &str, finish: Finish) -> ModelReply {
    ModelReply {
        finish,
        ..ModelReply::text(text)
    }
}

fn registry() -> Registry {
    let build = || {
        Registry::builder()
            .timeout(Duration::from_millis(50))
            .output_limit(OutputLimit::bytes(1000))
            .tool(tool_fn(
                "echo",
                "Repeats the text.",
                |cx, input: Text| async move {
                    cx.progress(&Progress::new("speaking"));
                    Ok(input.text)
                },
            ))?
            .tool(tool_fn("panics", "Stops.", |_, _: Nothing| async {
                let texts: Vec<String> = Vec::new();
                Ok(texts[0].clone())
            }))?
            .tool(tool_fn("endless", "Waits.", |_, _: Nothing| async {
                std::future::pending::<()>().await;
                Ok("never")
            }))?
            .tool(tool_fn("floods", "Talks.", |_, _: Nothing| async {
                Ok("x".repeat(1_000_000))
            }))
    };
    build().unwrap().build()
}

fn echo(id: &str, text: &str) -> ToolCall {
    ToolCall::new("echo", json!({"text": text})).with_id(id)
}

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(name, json!({})).with_id(id)
}

fn agent(replies: impl IntoIterator<Item = ModelReply>) -> AgentLoop {
    AgentLoop::new(registry(), ScriptedModel::new(replies))
}

/// Model that requests another call in every turn.
fn endless_model() -> ScriptedModel {
    ScriptedModel::from_fn(|transcript| {
        let id = format!("call_{}", transcript.messages().len());
        ModelReply::calls([echo(&id, "again")]).with_usage(100, 10)
    })
}

fn transcript_of(outcome: &RunOutcome) -> Value {
    serde_json::to_value(&outcome.transcript).unwrap()
}

/// Call ID, error flag and text of each result in the last message.
fn answers(outcome: &RunOutcome) -> Vec<(String, bool, String)> {
    let Some(Message::Tool { results }) = outcome.transcript.messages().last() else {
        panic!(
            "expected tool results in the last message: {:?}",
            outcome.transcript
        );
    };
    results
        .iter()
        .map(|answer| {
            (
                answer.call_id.clone(),
                answer.is_error,
                answer.content.to_text(),
            )
        })
        .collect()
}
