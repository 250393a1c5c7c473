//! Runs from the task to the status, over scripted models.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use provider_adapters::{Finish, Message, Transcript};
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::{CancellationToken, OutputLimit, Progress, Registry, ToolCall, ToolError, tool_fn};

use crate::{
    AgentLoop, Event, LoopError, Model, ModelError, ModelReply, ModelRequest, Outcome, ReplayModel,
    ScriptedModel, Status,
};

#[derive(Deserialize, schemars::JsonSchema)]
struct Nothing {}

#[derive(Deserialize, schemars::JsonSchema)]
struct Text {
    text: String,
}

fn registry() -> Registry {
    let build = || {
        Registry::builder()
            .timeout(Duration::from_millis(50))
            .output_limit(OutputLimit::bytes(1000))
            .tool(tool_fn(
                "echo",
                "Says it again.",
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

/// A model that asks for one more call every turn.
fn restless() -> ScriptedModel {
    ScriptedModel::from_fn(|transcript| {
        let id = format!("call_{}", transcript.messages().len());
        ModelReply::calls([echo(&id, "again")]).with_usage(100, 10)
    })
}

fn transcript_of(outcome: &Outcome) -> Value {
    serde_json::to_value(&outcome.transcript).unwrap()
}

/// The texts of the last message, which holds results.
fn answers(outcome: &Outcome) -> Vec<(String, bool, String)> {
    let Some(Message::Tool { results }) = outcome.transcript.messages().last() else {
        panic!(
            "the last message is not of the tools: {:?}",
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

#[tokio::test]
async fn a_final_answer_completes_the_run() {
    let outcome = agent([ModelReply::text("Hello.").with_usage(7, 2)])
        .system("Be brief.")
        .run("Hi")
        .await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(outcome.answer.as_deref(), Some("Hello."));
    assert_eq!(outcome.error, None);
    assert_eq!(
        transcript_of(&outcome),
        json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello."},
        ])
    );
    assert_eq!(
        serde_json::to_value(outcome.usage).unwrap(),
        json!({"turns": 1, "calls": 0, "input_tokens": 7, "output_tokens": 2, "estimated": false})
    );
}

#[tokio::test]
async fn the_results_of_a_turn_come_back_in_the_order_of_its_calls() {
    let replies = [
        ModelReply::calls([echo("a", "one"), call("b", "nope"), echo("c", "two")]),
        ModelReply::text("Done."),
    ];

    let outcome = agent(replies).run("Go").await;

    let results = &transcript_of(&outcome)[2]["results"];
    assert_eq!(
        results[0],
        json!({"call_id": "a", "name": "echo", "is_error": false, "content": [{"type": "text", "text": "one"}]})
    );
    let summary: Vec<_> = (0..3)
        .map(|at| (&results[at]["call_id"], &results[at]["is_error"]))
        .collect();
    assert_eq!(
        summary,
        [(&json!("a"), &json!(false)), (&json!("b"), &json!(true)), (&json!("c"), &json!(false))]
    );
    assert_eq!((outcome.usage.turns, outcome.usage.calls), (2, 3));
}

#[tokio::test]
async fn a_tool_that_panics_never_ends_or_floods_gives_one_result_and_the_run_goes_on() {
    let replies = [
        ModelReply::calls([
            call("p", "panics"),
            call("e", "endless"),
            call("f", "floods"),
        ]),
        ModelReply::calls([echo("a", "still here")]),
    ];

    let outcome = agent(replies).max_turns(3).run("Go").await;

    let results = transcript_of(&outcome)[2]["results"].clone();
    let errors: Vec<_> = (0..3).map(|at| results[at]["is_error"].clone()).collect();
    assert_eq!(errors, [json!(true), json!(true), json!(false)]);
    assert!(results[2]["content"][0]["text"].as_str().unwrap().len() < 2000);
    assert_eq!(
        answers(&outcome),
        [("a".into(), false, "still here".into())]
    );
}

#[tokio::test]
async fn the_turns_are_counted_and_the_last_calls_are_answered_without_a_run() {
    let outcome = AgentLoop::new(registry(), restless())
        .max_turns(2)
        .run("Go")
        .await;

    assert_eq!(
        (outcome.status, outcome.answer.clone()),
        (Status::BudgetExceeded, None)
    );
    assert_eq!((outcome.usage.turns, outcome.usage.calls), (2, 1));
    assert_eq!(
        answers(&outcome),
        [(
            "call_3".into(),
            true,
            "Error: The call was not run, because the budget of the run is used up.".into()
        )]
    );
}

#[tokio::test]
async fn the_tokens_are_counted_before_each_turn() {
    for (most, turns) in [(0, 0), (1, 1), (110, 1), (111, 2), (220, 2), (221, 3)] {
        let agent = AgentLoop::new(registry(), restless()).max_total_tokens(most);

        let outcome = agent.run("Go").await;

        assert_eq!(outcome.status, Status::BudgetExceeded, "{most}");
        assert_eq!(outcome.usage.turns, turns, "{most}");
        assert!(!outcome.usage.estimated, "{most}");
    }
}

#[tokio::test]
async fn an_answer_that_uses_up_the_budget_still_completes() {
    let outcome = agent([ModelReply::text("Hello.").with_usage(500, 500)])
        .max_turns(1)
        .max_total_tokens(10)
        .run("Hi")
        .await;

    assert_eq!(outcome.status, Status::Completed);
}

#[tokio::test]
async fn tokens_that_a_model_does_not_tell_are_estimated() {
    let outcome = agent([ModelReply::text("x".repeat(400))])
        .run("y".repeat(4000))
        .await;

    assert!(outcome.usage.estimated);
    assert!(
        (1000..1500).contains(&outcome.usage.input_tokens),
        "{:?}",
        outcome.usage
    );
    assert!(
        (100..110).contains(&outcome.usage.output_tokens),
        "{:?}",
        outcome.usage
    );
}

#[tokio::test]
async fn calls_beyond_the_bound_of_a_turn_are_answered_without_a_run() {
    let replies = [
        ModelReply::calls([echo("a", "1"), echo("b", "2"), echo("c", "3")]),
        ModelReply::text("Done."),
    ];

    let outcome = agent(replies).max_calls_per_turn(2).run("Go").await;

    let results = &transcript_of(&outcome)[2]["results"];
    assert_eq!(
        results[2]["content"][0]["text"],
        "Error: The call was not run, because one turn may run 2 calls at most. Ask for it again in the next turn."
    );
    assert_eq!(
        (results[1]["is_error"].clone(), outcome.usage.calls),
        (json!(false), 2)
    );
}

#[tokio::test]
async fn a_run_that_is_cancelled_before_it_starts_asks_nobody() {
    let stop = CancellationToken::new();
    stop.cancel();

    let outcome = agent([]).cancellation(stop).run("Hi").await;

    assert_eq!(
        (outcome.status, outcome.usage.turns),
        (Status::Cancelled, 0)
    );
    assert_eq!(outcome.error, None);
}

#[tokio::test]
async fn a_cancel_ends_the_wait_for_the_model() {
    struct Silent;
    #[async_trait]
    impl Model for Silent {
        async fn respond(&self, _: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
            std::future::pending().await
        }
    }
    let stop = CancellationToken::new();
    let agent = AgentLoop::new(registry(), Silent).cancellation(stop.clone());

    let (outcome, ()) = tokio::join!(agent.run("Hi"), async { stop.cancel() });

    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(
        transcript_of(&outcome),
        json!([{"role": "user", "content": "Hi"}])
    );
}

#[tokio::test]
async fn a_cancel_in_the_middle_of_a_call_still_gives_every_call_its_answer() {
    let stop = CancellationToken::new();
    let canceller = stop.clone();
    let replies = [ModelReply::calls([
        echo("a", "quick"),
        call("b", "endless"),
    ])];
    let agent = agent(replies)
        .cancellation(stop)
        .on_event(move |event: &Event<'_>| {
            if matches!(event, Event::CallProgress { .. }) {
                canceller.cancel();
            }
        });

    let outcome = agent.run("Go").await;

    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(
        answers(&outcome),
        [
            ("a".into(), false, "quick".into()),
            (
                "b".into(),
                true,
                "Error: The call was cancelled before it ended.".into()
            ),
        ]
    );
}

#[tokio::test]
async fn a_model_that_says_it_was_cancelled_cancels_the_run() {
    struct Stopped;
    #[async_trait]
    impl Model for Stopped {
        async fn respond(&self, _: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
            Err(ModelError::Cancelled)
        }
    }

    let outcome = AgentLoop::new(registry(), Stopped).run("Hi").await;

    assert_eq!((outcome.status, outcome.error), (Status::Cancelled, None));
}

#[tokio::test]
async fn a_script_that_ends_early_fails_the_run_and_keeps_the_conversation() {
    let outcome = agent([ModelReply::calls([echo("a", "one")])])
        .run("Go")
        .await;

    assert_eq!(outcome.status, Status::Failed);
    assert_eq!(
        outcome.error,
        Some(ModelError::ScriptEnded { turn: 2 }.into())
    );
    assert_eq!(answers(&outcome), [("a".into(), false, "one".into())]);
}

#[tokio::test]
async fn an_answer_that_is_not_whole_is_no_completion() {
    for (reply, error, answer) in [
        (
            ModelReply::text("Once upon").with_finish(Finish::Length),
            LoopError::AnswerCut,
            Some("Once upon"),
        ),
        (
            ModelReply::text("").with_finish(Finish::Filtered),
            LoopError::AnswerFiltered,
            Some(""),
        ),
        (
            ModelReply::text("Hm").with_finish(Finish::Error),
            LoopError::NoAnswer,
            Some("Hm"),
        ),
        (
            ModelReply::text(" ").with_finish(Finish::Other),
            LoopError::NoAnswer,
            None,
        ),
    ] {
        let outcome = agent([reply]).run("Hi").await;

        assert_eq!(outcome.status, Status::Failed, "{error}");
        assert_eq!(outcome.error, Some(error));
        assert_eq!(outcome.answer.as_deref(), answer);
    }
}

#[tokio::test]
async fn a_budget_that_ran_out_is_resumed_with_the_stored_conversation() {
    let first = AgentLoop::new(registry(), restless())
        .max_turns(1)
        .run("Go")
        .await;
    let stored = serde_json::to_string(&first.transcript).unwrap();

    let transcript: Transcript = serde_json::from_str(&stored).unwrap();
    let second = agent([ModelReply::text("Done.")]).resume(transcript).await;

    assert_eq!((second.status, second.usage.turns), (Status::Completed, 1));
    assert_eq!(
        second.transcript.messages()[..3],
        first.transcript.messages()[..]
    );
}

#[tokio::test]
async fn calls_without_an_answer_are_run_first_on_resume() {
    let transcript: Transcript = serde_json::from_value(json!([
        {"role": "user", "content": "Go"},
        {"role": "assistant", "content": "", "calls": [
            {"id": "a", "name": "echo", "arguments": {"text": "one"}},
            {"id": "b", "name": "echo", "arguments": "{\"text\": \"two\"}"},
            {"id": "c", "name": "echo", "arguments": "{\"text\": \"th"},
        ]},
        {"role": "tool", "results": [{"call_id": "a", "name": "echo", "content": "one"}]},
    ]))
    .unwrap();

    let outcome = agent([ModelReply::text("Done.")]).resume(transcript).await;

    let results = &transcript_of(&outcome)[3]["results"];
    assert_eq!(
        (&results[0]["call_id"], &results[0]["content"][0]["text"]),
        (&json!("b"), &json!("two"))
    );
    assert_eq!(
        (&results[1]["call_id"], &results[1]["is_error"]),
        (&json!("c"), &json!(true))
    );
    assert_eq!(
        (outcome.status, outcome.usage.calls),
        (Status::Completed, 2)
    );
}

#[tokio::test]
async fn a_finished_conversation_is_completed_as_it_is() {
    let transcript = Transcript::from(vec![Message::user("Hi"), Message::assistant("Hello.")]);

    let outcome = agent([]).resume(transcript.clone()).await;

    assert_eq!(
        (outcome.status, outcome.answer.as_deref()),
        (Status::Completed, Some("Hello."))
    );
    assert_eq!((outcome.transcript, outcome.usage.turns), (transcript, 0));
}

#[tokio::test]
async fn a_conversation_without_a_question_fails() {
    let outcome = agent([]).resume(Transcript::new()).await;

    assert_eq!(outcome.error, Some(LoopError::NothingToAnswer));
}

#[tokio::test]
async fn events_come_in_the_order_of_the_work() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let replies = [
        ModelReply::calls([echo("a", "one"), call("b", "nope")]),
        ModelReply::text("Done."),
    ];
    let agent = agent(replies).on_event(move |event: &Event<'_>| {
        let line = match event {
            Event::TurnStarted { turn } => format!("turn {turn}"),
            Event::ModelReplied { reply, .. } => format!("{} calls", reply.calls.len()),
            Event::CallStarted { call, risk } => format!("start {} {risk:?}", call.id),
            Event::CallProgress {
                call_id, progress, ..
            } => format!("{call_id} {}", progress.message),
            Event::CallFinished { result } => format!("end {} {}", result.id, result.success),
            Event::Finished { status, usage } => format!("{status} after {}", usage.turns),
        };
        log.lock().unwrap().push(line);
    });

    agent.run("Go").await;

    assert_eq!(
        *seen.lock().unwrap(),
        [
            "turn 1",
            "2 calls",
            "start a Some(SafeWrite)",
            "start b None",
            "a speaking",
            "end a true",
            "end b false",
            "turn 2",
            "0 calls",
            "completed after 2",
        ]
    );
}

#[tokio::test]
async fn a_tool_that_is_removed_in_a_turn_still_answers_the_calls_of_that_turn() {
    let registry = registry();
    let host = registry.clone();
    let model = ScriptedModel::from_fn(move |transcript| {
        host.unregister("echo");
        let id = format!("call_{}", transcript.messages().len());
        ModelReply::calls([echo(&id, "one")])
    });

    let outcome = AgentLoop::new(registry, model).max_turns(3).run("Go").await;

    let transcript = transcript_of(&outcome);
    assert_eq!(transcript[2]["results"][0]["is_error"], false);
    assert_eq!(transcript[4]["results"][0]["is_error"], true);
}

#[tokio::test]
async fn a_replay_runs_the_tools_anew_and_gives_the_same_conversation() {
    let replies = [
        ModelReply::calls([echo("a", "one")]).with_text("Let me see."),
        ModelReply::text("Done."),
    ];
    let first = agent(replies).run("Go").await;

    let replay = AgentLoop::new(registry(), ReplayModel::new(&first.transcript));
    let second = replay.run("Go").await;

    assert_eq!(second.transcript, first.transcript);
    assert_eq!(second.usage.calls, 1);
}

#[tokio::test]
async fn one_loop_serves_several_runs() {
    let agent = AgentLoop::new(
        registry(),
        ScriptedModel::from_fn(|transcript| {
            ModelReply::text(format!("{} messages", transcript.messages().len()))
        }),
    );

    let (first, second) = tokio::join!(agent.run("Hi"), agent.run("Ho"));

    assert_eq!(
        (first.answer, second.answer),
        (Some("1 messages".into()), Some("1 messages".into()))
    );
}

#[tokio::test]
async fn what_the_tool_says_about_its_error_reaches_the_model() {
    let failing = tool_fn("fails", "Fails.", |_, _: Nothing| async {
        Err::<String, _>(ToolError::failed("The mail server is busy").caused_by("token abc"))
    });
    let replies = [
        ModelReply::calls([call("a", "fails")]),
        ModelReply::text("Sorry."),
    ];
    let agent = AgentLoop::new(Registry::of(failing).unwrap(), ScriptedModel::new(replies));

    let outcome = agent.run("Go").await;

    let stored = serde_json::to_string(&outcome.transcript).unwrap();
    assert!(
        stored.contains("Error: The mail server is busy.") && !stored.contains("abc"),
        "{stored}"
    );
}
