//! Memory of a long run. A separate program, because it counts all allocations of its process.

use std::alloc::System;
use std::sync::{Arc, Mutex};

use agent_loop::{AgentLoop, ModelReply, ScriptedModel, Status, Turn, TurnChanges};
use provider_adapters::Message;
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tool_core::{Registry, RiskLevel, ToolCall, tool_fn};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Number of turns with a call.
const TURNS: usize = 200;
/// Size of each result in bytes.
const RESULT: usize = 4096;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

fn live() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

fn agent(sizes: Arc<Mutex<Vec<usize>>>) -> AgentLoop {
    let long = tool_fn("long", "Talks.", |_, _: Nothing| async {
        Ok("x".repeat(RESULT))
    });
    let model = ScriptedModel::from_fn(|transcript| {
        let is_reply = |message: &&Message| matches!(message, Message::Assistant { .. });
        match transcript.messages().iter().filter(is_reply).count() {
            TURNS => ModelReply::text("Done."),
            turn => {
                ModelReply::calls([ToolCall::new("long", json!({})).with_id(format!("c{turn}"))])
            }
        }
    });
    AgentLoop::new(Registry::of(long.risk(RiskLevel::ReadOnly)).unwrap(), model)
        .max_turns(300)
        .repeating_after(0)
        .on_turn(move |_: &Turn<'_>| {
            sizes.lock().unwrap().push(live());
            TurnChanges::default()
        })
}

#[tokio::test]
async fn only_the_transcript_grows() {
    let sizes = Arc::new(Mutex::new(Vec::with_capacity(4 * TURNS)));
    let agent = agent(Arc::clone(&sizes));
    // Fills caches.
    agent.run("Go").await;
    sizes.lock().unwrap().clear();
    let before = live();

    let outcome = agent.run("Go").await;

    assert_eq!(outcome.status, Status::Completed);
    let sizes = sizes.lock().unwrap().clone();
    let (first, second) = (sizes[100] - sizes[0], sizes[200] - sizes[100]);
    let results = 100 * RESULT;
    assert!(
        first >= results,
        "the transcript keeps {results} bytes: {first}"
    );
    // Growing lists double their capacity.
    let most = results + results / 4;
    assert!(
        first <= most && second <= most,
        "{first} and {second} bytes, at most {most}"
    );
    drop(outcome);
    let left = live().saturating_sub(before);
    assert!(left < RESULT, "{left} bytes remain after the run");
}
