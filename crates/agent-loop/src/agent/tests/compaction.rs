//! Long conversations.

use std::sync::atomic::{AtomicUsize, Ordering};

use tool_core::output_store::{MemoryStore, OutputHandle, OutputStore};

use super::*;
use crate::KeepEnds;

/// Model that requests 200 calls with long outputs, and fails if the request is too long.
struct Long {
    most: usize,
    longest: Arc<AtomicUsize>,
    turns: AtomicUsize,
}

#[async_trait]
impl Model for Long {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let size = serde_json::to_string(request.transcript).unwrap().len() / 4;
        self.longest.fetch_max(size, Ordering::Relaxed);
        if size > self.most {
            return Err(ModelError::ContextTooLong {
                limit: None,
                used: None,
            });
        }
        Ok(match self.turns.fetch_add(1, Ordering::Relaxed) {
            200 => ModelReply::text("Done."),
            turn => ModelReply::calls([echo(&format!("c{turn}"), &"x".repeat(3000))]),
        })
    }
}

fn long_registry() -> Registry {
    let echo = |_: tool_core::ToolContext, input: Text| async move { Ok(input.text) };
    Registry::of(tool_fn("echo", "Repeats the text.", echo)).unwrap()
}

#[tokio::test]
async fn compaction_keeps_long_run_below_limit() {
    let longest = Arc::default();
    let model = Long {
        most: usize::MAX,
        longest: Arc::clone(&longest),
        turns: AtomicUsize::new(0),
    };
    let store = Arc::new(MemoryStore::default());
    let strategy = KeepEnds::turns(1, 4).store(store.clone());
    let agent = AgentLoop::new(long_registry(), model)
        .max_turns(300)
        .repeating_after(0)
        .compaction(50_000, strategy);

    let outcome = agent.run("Go").await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(outcome.usage.turns, 201);
    let turn = 2000;
    assert!(longest.load(Ordering::Relaxed) <= 50_000 + turn);
    let transcript = transcript_of(&outcome);
    let messages = transcript.as_array().unwrap();
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for message in messages {
        for call in message["calls"].as_array().into_iter().flatten() {
            calls.push(call["id"].clone());
        }
        for result in message["results"].as_array().into_iter().flatten() {
            results.push(result["call_id"].clone());
        }
    }
    assert_eq!(calls, results);
    assert_eq!(
        (&calls[0], calls.last().unwrap()),
        (&json!("c0"), &json!("c199"))
    );
    assert_eq!(messages[0]["content"], "Go");
}

#[tokio::test]
async fn compaction_moves_old_results_to_store() {
    let store = Arc::new(MemoryStore::default());
    let long = tool_fn("long", "Talks.", |_, _: Nothing| async {
        Ok("y".repeat(8000))
    });
    let model = ScriptedModel::from_fn(|transcript| match transcript.messages().len() {
        length @ ..10 => ModelReply::calls([call(&format!("c{length}"), "long")]),
        _ => ModelReply::text("Done."),
    });
    let agent = AgentLoop::new(Registry::of(long).unwrap(), model)
        .compaction(10_000, KeepEnds::turns(1, 1).store(store.clone()));

    let outcome = agent.run("Go").await;

    let text = serde_json::to_string(&outcome.transcript).unwrap();
    let (_, rest) = text.split_once("handle `").unwrap();
    let handle = OutputHandle::parse(rest.split_once('`').unwrap().0).unwrap();
    let page = store.read(&handle, 0, 10_000).await.unwrap();
    assert_eq!(page.content, "y".repeat(8000));
}

#[tokio::test]
async fn too_long_conversation_is_shortened_once() {
    let model = Long {
        most: 10_000,
        longest: Arc::default(),
        turns: AtomicUsize::new(190),
    };
    let agent = AgentLoop::new(long_registry(), model)
        .repeating_after(0)
        .compaction(20_000, KeepEnds::turns(1, 1));

    let outcome = agent.run("Go").await;

    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
}

#[tokio::test]
async fn too_long_conversation_is_shortened_before_next_model() {
    let model = |most| Long {
        most,
        longest: Arc::default(),
        turns: AtomicUsize::new(190),
    };
    let changes = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&changes);
    for (most, changed) in [
        (10_000, ["compacted"].as_slice()),
        (10, &["compacted", "changed"]),
    ] {
        changes.lock().unwrap().clear();
        let log = Arc::clone(&log);
        let agent = AgentLoop::new(long_registry(), model(most))
            .repeating_after(0)
            .fallback(model(usize::MAX))
            .compaction(20_000, KeepEnds::turns(1, 1))
            .on_event(move |event: &Event<'_>| match event.kind {
                EventKind::Compacted { .. } => log.lock().unwrap().push("compacted"),
                EventKind::ModelChanged { .. } => log.lock().unwrap().push("changed"),
                _ => {}
            });
        let transcript: Transcript = {
            let full = AgentLoop::new(long_registry(), model(usize::MAX)).repeating_after(0);
            full.run("Go").await.transcript
        };

        let outcome = agent.resume(transcript).with_message("Again.").await;

        assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
        let mut found = changes.lock().unwrap().clone();
        found.dedup();
        found.truncate(2);
        assert_eq!(found, changed, "{most}");
    }
}
