//! Changes per turn, stop conditions, handles and fallback.

use std::sync::atomic::{AtomicUsize, Ordering};

use provider_adapters::{ModelSettings, ToolChoice};

use super::*;
use crate::turn::StopCondition;
use crate::{RunHandle, Turn, TurnChanges};

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
            1 => TurnChanges::default()
                .instructions("Plan first.")
                .tool_choice(ToolChoice::Required)
                .settings(ModelSettings::default().with_temperature(0.5))
                .tools(&few),
            _ => TurnChanges::default(),
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
            [] => TurnChanges::default(),
            _ => TurnChanges::default().model(Arc::clone(&other)),
        });

    assert_eq!(agent.run("Go").await.reply.as_deref(), Some("Other."));
}

#[tokio::test]
async fn stop_conditions_end_run_after_turn() {
    let calls_echo = |turn: &Turn<'_>| turn.calls().iter().any(|call| call.name == "echo");
    let says_enough = |turn: &Turn<'_>| turn.text().is_some_and(|text| text.contains("enough"));
    let is_second = |turn: &Turn<'_>| turn.usage.turns >= 2;
    let conditions: [(StopCondition, u32); 3] = [
        (Box::new(calls_echo), 1),
        (Box::new(says_enough), 3),
        (Box::new(is_second), 2),
    ];
    for (condition, turns) in conditions {
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
        let agent = AgentLoop::new(registry(), model())
            .max_turns(9)
            .repeating_after(0);
        let agent = match limit {
            Some(limit) => agent.stuck_after(limit),
            None => agent,
        };

        let outcome = agent.run("Go").await;

        assert_eq!(outcome.usage.turns, turns);
        assert_eq!(outcome.error.as_ref().map(LoopError::code), code);
    }
}

/// Returns a model that calls `echo` with these texts, over and over.
fn alternating(texts: &'static [&'static str]) -> ScriptedModel {
    let count = AtomicUsize::new(0);
    ScriptedModel::from_fn(move |_| {
        let turn = count.fetch_add(1, Ordering::Relaxed);
        ModelReply::calls([echo("a", texts[turn % texts.len()])])
    })
}

#[tokio::test]
async fn repeated_and_alternating_turns_end_run_as_repeating() {
    for (texts, limit, turns, cycle) in [
        (&["1"][..], None, 8, Some(1)),
        (&["1", "2"], None, 16, Some(2)),
        (&["1", "2", "3", "2"], Some(2), 8, Some(4)),
        (&["1", "2", "3", "4", "5"], Some(2), 30, None),
        (&["1"], Some(0), 30, None),
    ] {
        let agent = AgentLoop::new(registry(), alternating(texts)).max_turns(30);
        let agent = match limit {
            Some(limit) => agent.repeating_after(limit),
            None => agent,
        };

        let outcome = agent.run("Go").await;

        let times = limit.unwrap_or(8);
        let error = cycle.map(|turns| LoopError::Repeating { turns, times });
        assert_eq!(
            (outcome.usage.turns, outcome.error),
            (turns, error),
            "{texts:?}"
        );
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

    assert_eq!(outcome.reply.as_deref(), Some("Done."));
    assert_eq!((*seen.lock().unwrap(), outcome.usage.turns), (2, 3));
}
