//! Changes per turn, stop conditions, handles, fallback, cost, compaction and sub-agents.

use std::sync::atomic::{AtomicUsize, Ordering};

use provider_adapters::{ModelSettings, ToolChoice};
use tool_core::ToolDefinition;
use tool_core::output_store::{MemoryStore, OutputHandle, OutputStore};

use super::*;
use crate::{KeepEnds, Prices, RunHandle, StopWhen, Turn, TurnChanges};

/// Model that records its requests.
struct Recorder(Arc<Mutex<Vec<Value>>>);

#[async_trait]
impl Model for Recorder {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let names: Vec<String> = request
            .tools
            .list()
            .iter()
            .map(|tool| tool.name().to_owned())
            .collect();
        self.0.lock().unwrap().push(json!({
            "first": request.transcript.messages()[0],
            "choice": request.choice,
            "settings": request.settings.and_then(|settings| settings.temperature),
            "tools": names.len(),
        }));
        let id = format!("call_{}", request.transcript.messages().len());
        Ok(match request.transcript.messages().len() {
            ..4 => ModelReply::calls([echo(&id, "again")]),
            _ => ModelReply::text("Done."),
        })
    }
}

#[tokio::test]
async fn hook_changes_single_turn() {
    let seen = Arc::default();
    let few = Registry::of(tool_fn("only", "Waits.", |_, _: Nothing| async { Ok("") })).unwrap();
    let agent = AgentLoop::new(registry(), Recorder(Arc::clone(&seen)))
        .system("Be brief.")
        .on_turn(move |turn| match turn.number {
            1 => TurnChanges::new()
                .instructions("Plan first.")
                .tool_choice(ToolChoice::Required)
                .settings(ModelSettings::default().with_temperature(0.5))
                .tools(&few),
            _ => TurnChanges::new(),
        });

    let outcome = agent.run("Go").await;

    let seen = seen.lock().unwrap();
    let system = |text: &str| json!({"role": "system", "content": text});
    assert_eq!(
        seen[0],
        json!({"first": system("Plan first."), "choice": "required", "settings": 0.5, "tools": 1})
    );
    assert_eq!(
        seen[1],
        json!({"first": system("Be brief."), "choice": null, "settings": null, "tools": 4})
    );
    assert_eq!(transcript_of(&outcome)[0], system("Be brief."));
}

#[tokio::test]
async fn hook_selects_model() {
    let other: Arc<dyn Model> = Arc::new(ScriptedModel::new([ModelReply::text("Other.")]));
    let agent =
        agent([ModelReply::calls([echo("a", "one")])]).on_turn(move |turn| match turn.results() {
            [] => TurnChanges::new(),
            _ => TurnChanges::new().model(Arc::clone(&other)),
        });

    assert_eq!(agent.run("Go").await.answer.as_deref(), Some("Other."));
}

#[tokio::test]
async fn stop_conditions_end_run_after_turn() {
    let few = |turn: &Turn<'_>| turn.usage.turns >= 2;
    for (condition, turns) in [
        (StopWhen::called("echo"), 1),
        (StopWhen::said("enough"), 3),
        (StopWhen::failed("nope", 2), 2),
        (StopWhen::new(few), 2),
    ] {
        let replies = [
            ModelReply::calls([echo("a", "1"), call("b", "nope")]),
            ModelReply::calls([echo("a", "2"), call("b", "nope")]),
            ModelReply::calls([echo("a", "3")]).with_text("That is enough."),
        ];

        let outcome = agent(replies).stop_when(condition).run("Go").await;

        assert_eq!(
            (outcome.status, outcome.usage.turns),
            (Status::Stopped, turns)
        );
        assert_eq!(outcome.error, None);
        assert!(!answers(&outcome).is_empty());
    }
}

#[tokio::test]
async fn repeated_failing_call_ends_run_as_stuck() {
    let model = || ScriptedModel::from_fn(|_| ModelReply::calls([call("a", "nope")]));
    for (limit, turns, code) in [
        (None, 5, Some("stuck")),
        (Some(2), 2, Some("stuck")),
        (Some(0), 9, None),
    ] {
        let agent = AgentLoop::new(registry(), model()).max_turns(9);
        let agent = match limit {
            Some(limit) => agent.stuck_after(limit),
            None => agent,
        };

        let outcome = agent.run("Go").await;

        assert_eq!(outcome.usage.turns, turns);
        assert_eq!(outcome.error.as_ref().map(LoopError::code), code);
    }
}

#[tokio::test]
async fn different_calls_are_not_stuck() {
    let count = AtomicUsize::new(0);
    let model = ScriptedModel::from_fn(move |_| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        ModelReply::calls([ToolCall::new("nope", json!({"n": number}))])
    });

    let outcome = AgentLoop::new(registry(), model)
        .max_turns(9)
        .run("Go")
        .await;

    assert_eq!(outcome.status, Status::BudgetExceeded);
}

#[tokio::test]
async fn handle_adds_messages_and_stops_run() {
    let handle = RunHandle::new();
    let speaker = handle.clone();
    let count = AtomicUsize::new(0);
    let model = ScriptedModel::from_fn(move |_| match count.fetch_add(1, Ordering::Relaxed) {
        0 => {
            speaker.say("Faster!");
            ModelReply::text("Done?")
        }
        1 => {
            speaker.stop_after_turn();
            ModelReply::calls([echo("a", "one")])
        }
        _ => ModelReply::text("Never."),
    });

    let outcome = AgentLoop::new(registry(), model)
        .run("Go")
        .handle(&handle)
        .await;

    assert_eq!(outcome.status, Status::Stopped);
    let roles: Vec<Value> = transcript_of(&outcome)
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].clone())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "tool"]);
}

#[tokio::test]
async fn next_model_continues_after_lasting_error() {
    let spare = ScriptedModel::from_fn(|transcript| match transcript.messages().len() {
        3 => ModelReply::calls([echo("b", "two")]),
        _ => ModelReply::text("Done."),
    });
    let seen = Arc::new(Mutex::new(0));
    let log = Arc::clone(&seen);
    let agent = agent([ModelReply::calls([echo("a", "one")])])
        .fallback(ScriptedModel::new([]))
        .fallback(spare)
        .on_event(move |event: &Event<'_>| {
            if matches!(event.kind, EventKind::ModelChanged { .. }) {
                *log.lock().unwrap() += 1;
            }
        });

    let outcome = agent.run("Go").await;

    assert_eq!(outcome.answer.as_deref(), Some("Done."));
    assert_eq!((*seen.lock().unwrap(), outcome.usage.turns), (2, 3));
}

#[tokio::test]
async fn checks_cost_before_each_turn() {
    let prices = Prices::new(1000.0, 10_000.0);

    // One turn has 100 input and 10 output tokens, which cost 0.2.
    for (most, turns) in [(0.1, 1), (0.3, 2), (0.5, 3)] {
        let outcome = AgentLoop::new(registry(), endless_model())
            .max_cost(most, prices)
            .run("Go")
            .await;

        assert_eq!(
            (outcome.status, outcome.usage.turns),
            (Status::BudgetExceeded, turns)
        );
    }
}

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
    let agent = AgentLoop::new(long_registry(), model).compaction(20_000, KeepEnds::turns(1, 1));

    let outcome = agent.run("Go").await;

    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
}

#[tokio::test]
async fn agent_as_tool_reports_usage_and_parent_call() {
    let parents = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&parents);
    let child =
        agent([ModelReply::text("42.").with_usage(70, 7)]).on_event(move |event: &Event<'_>| {
            log.lock()
                .unwrap()
                .push(event.parent_call.map(str::to_owned));
        });
    let schema =
        json!({"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]});
    let tool = child.as_tool(ToolDefinition::new("ask", "Asks.", schema));
    let replies = [
        ModelReply::calls([ToolCall::new("ask", json!({"task": "Add."})).with_id("p1")])
            .with_usage(10, 1),
        ModelReply::text("It is 42.").with_usage(10, 1),
    ];
    let parent = AgentLoop::new(Registry::of(tool).unwrap(), ScriptedModel::new(replies));

    let outcome = parent.run("Go").await;

    assert_eq!(
        transcript_of(&outcome)[2]["results"][0]["content"][0]["text"],
        "42."
    );
    assert_eq!((outcome.usage.input_tokens, outcome.usage.turns), (90, 2));
    let parents = parents.lock().unwrap();
    assert!(!parents.is_empty());
    assert!(parents.iter().all(|parent| parent.as_deref() == Some("p1")));
}

#[tokio::test]
async fn failed_agent_fails_call() {
    let schema = json!({"type": "object"});
    let tool = agent([]).as_tool(ToolDefinition::new("ask", "Asks.", schema));

    let result = Registry::of(tool).unwrap().execute("ask", json!({})).await;

    assert!(!result.success);
    assert!(
        result.text().contains("status `failed`"),
        "{}",
        result.text()
    );
}
