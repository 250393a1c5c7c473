use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;
use tool_core::{
    CancellationToken, Redactor, Registry, RiskLevel, Secret, ToolCall, ToolError, tool_fn,
};

use crate::{
    AgentLoop, Event, EventKind, JsonReply, KeepEnds, Model, ModelError, ModelReply, ModelRequest,
    ModelRetry, RecordedRun, ReplayDifference, ReplyPiece, RunFileError, RunHandle, RunOutcome,
    ScriptedModel, Status,
};

#[derive(Deserialize, schemars::JsonSchema)]
struct Text {
    text: String,
}

const SECRET: &str = "sk-secret-value";

fn registry(description: &str, prefix: &'static str) -> Registry {
    let redactor = Redactor::new().with_value(&Secret::new(SECRET.to_owned()));
    let echo = tool_fn("echo", description, move |_, input: Text| async move {
        Ok(format!("{prefix}{}", input.text))
    });
    let fails = tool_fn("fails", "Fails.", |_, input: Text| async move {
        Err::<String, _>(ToolError::failed(input.text))
    });
    let deletes = tool_fn("deletes", "Deletes.", |_, _: Text| async { Ok("deleted") });
    Registry::builder()
        .redactor(redactor.unwrap())
        .tool(echo.risk(RiskLevel::ReadOnly))
        .and_then(|builder| builder.tool(fails))
        .and_then(|builder| builder.tool(deletes.risk(RiskLevel::Dangerous)))
        .unwrap()
        .build()
}

/// Agent of the variant `number`. Its bits select what happens in the run.
fn agent(number: usize, registry: Registry) -> AgentLoop {
    let is = |bit: usize| number >> bit & 1 == 1;
    let call = |name: &str, text: &str| {
        ToolCall::new(name, json!({"text": text})).with_id(format!("call_{name}_{text}"))
    };
    let mut replies = vec![ModelReply::calls([call("echo", "a"), call("echo", SECRET)])];
    if is(0) {
        replies.push(ModelReply::calls([call("fails", "x"), call("echo", "b")]).with_text("Next."));
    }
    if is(1) {
        replies.push(ModelReply::calls([
            ToolCall::new("echo", json!({"text": 7, "txt": 1})).with_id("wrong"),
            call("unknown", "c"),
            ToolCall::new("echo", "{\"text\": ").with_id("broken"),
        ]));
    }
    if is(2) {
        replies.push(ModelReply::calls([call("deletes", "d")]));
    }
    if is(3) {
        let long = "word ".repeat(200);
        replies
            .extend((0..4).map(|turn| ModelReply::calls([call("echo", &format!("{turn}{long}"))])));
    }
    // Without these, the script ends with an error.
    if number % 7 != 4 {
        replies.push(ModelReply::text("Not JSON."));
        replies.push(ModelReply::text(r#"{"done": true}"#));
    }
    let model = Sometimes {
        inner: ScriptedModel::new(replies),
        fails: is(4),
    };
    let mut agent = AgentLoop::new(registry, model)
        .system("Be brief.")
        .retry(ModelRetry::attempts(3).delays(Duration::ZERO, Duration::ZERO))
        .stuck_after(0);
    if is(3) {
        agent = agent.compaction(300, KeepEnds::turns(1, 1));
    }
    if is(5) {
        agent = agent.json_reply(JsonReply::new());
    }
    match number % 7 {
        5 => agent.max_turns(2).last_reply(true),
        6 => agent.stop_when(|turn| turn.calls().iter().any(|call| call.name == "fails")),
        _ => agent,
    }
}

/// Number of requests to all models that may fail.
static REQUESTS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// Model that streams, and fails at every second request if `fails`.
struct Sometimes {
    inner: ScriptedModel,
    fails: bool,
}

#[async_trait]
impl Model for Sometimes {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        request.hand_on(ReplyPiece::Text("Th"));
        let count = REQUESTS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if self.fails && count.is_multiple_of(2) {
            return Err(ModelError::Closed {
                origin: "http://model".to_owned(),
            });
        }
        self.inner.respond(request).await
    }
}

async fn record(number: usize, directory: &TempDir) -> (RunOutcome, RecordedRun) {
    let path = directory.path().join(format!("{number}.jsonl"));
    let agent = agent(number, registry("Repeats.", ""));
    let stop = CancellationToken::new();
    let canceller = stop.clone();
    let agent = agent
        .record_to(&path)
        .unwrap()
        .on_event(move |event: &Event<'_>| {
            let is_second = matches!(event.kind, EventKind::ModelReplied { .. }) && event.turn == 2;
            if is_second && number % 13 == 12 {
                canceller.cancel();
            }
        });
    let handle = RunHandle::new();
    if number.is_multiple_of(3) {
        handle.say("Hurry.");
    }
    if number % 11 == 10 {
        handle.stop_after_turn();
    }
    let run = agent.run("Begin.").handle(&handle);
    let outcome = run.cancellation(stop).await;
    assert_eq!(outcome.recording_error, None);
    (outcome, RecordedRun::read(&path).unwrap())
}

fn summary(outcome: &RunOutcome) -> (Status, Option<&str>, u32, u64) {
    let answer = outcome.reply.as_deref();
    (
        outcome.status,
        answer,
        outcome.usage.turns,
        outcome.usage.calls,
    )
}

#[tokio::test]
async fn hundred_runs_replay_identically() {
    let directory = tempfile::tempdir().unwrap();
    let mut statuses = Vec::new();
    for number in 0..100 {
        let (outcome, recorded) = record(number, &directory).await;

        let agent = agent(number, registry("Repeats.", "must not run"));
        let replayed = agent.replay(&recorded).await.unwrap();

        assert_eq!(replayed.difference, None, "{number}");
        assert_eq!(summary(&replayed.outcome), summary(&outcome), "{number}");
        statuses.push(outcome.status);
    }
    for status in [
        Status::Completed,
        Status::BudgetExceeded,
        Status::Stopped,
        Status::Cancelled,
        Status::Failed,
    ] {
        assert!(statuses.contains(&status), "{status}");
    }
}

#[tokio::test]
async fn file_contains_no_secret() {
    let directory = tempfile::tempdir().unwrap();

    record(7, &directory).await;

    let text = std::fs::read_to_string(directory.path().join("7.jsonl")).unwrap();
    assert!(text.contains("[redacted]") && !text.contains(SECRET));
}

async fn difference(agent: AgentLoop, recorded: &RecordedRun) -> ReplayDifference {
    agent.replay(recorded).await.unwrap().difference.unwrap()
}

#[tokio::test]
async fn changed_definition_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (_, recorded) = record(1, &directory).await;

    let changed = agent(1, registry("Repeats the text.", ""));

    let expected = ReplayDifference::Definition {
        turn: 1,
        tool: "echo".into(),
    };
    assert_eq!(difference(changed, &recorded).await, expected);
}

#[tokio::test]
async fn changed_instructions_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let (_, recorded) = record(1, &directory).await;
    let change_turn = |turn: &crate::Turn<'_>| match turn.number {
        2 => crate::TurnChanges::default().instructions("Be long."),
        _ => crate::TurnChanges::default(),
    };

    let changed = agent(1, registry("Repeats.", "")).on_turn(change_turn);

    let found = difference(changed, &recorded).await;
    assert_eq!(
        found.to_string(),
        "turn 2: message 1 of the request changed"
    );
}

#[tokio::test]
async fn changed_entries_are_named() {
    let directory = tempfile::tempdir().unwrap();
    record(1, &directory).await;
    let text = std::fs::read_to_string(directory.path().join("1.jsonl")).unwrap();
    let cases = [
        (
            r#"{"text":"a"}"#,
            r#"{"text":"z"}"#,
            "turn 1: the arguments of the call `call_echo_a` of `echo` changed",
        ),
        (
            r#"{"type":"text","text":"a"}"#,
            r#"{"type":"text","text":"z"}"#,
            "turn 2: message 4 of the request changed",
        ),
        (
            r#""event":"call_finished""#,
            r#""event":"call_lost""#,
            "turn 1: expected the event `call_lost`, found `call_finished`",
        ),
        (
            r#""status":"completed""#,
            r#""status":"failed""#,
            "turn 3: expected the event `finished`, found `finished`",
        ),
    ];
    for (old, new, expected) in cases {
        let path = directory.path().join("changed.jsonl");
        std::fs::write(&path, text.replacen(old, new, 1)).unwrap();
        let recorded = RecordedRun::read(&path).unwrap();
        let replayed = agent(1, registry("Repeats.", "")).replay(&recorded).await;

        let found = replayed.unwrap().difference.map(|found| found.to_string());
        assert_eq!(found.as_deref(), Some(expected), "{old}");
    }
}

#[tokio::test]
async fn existing_file_is_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.jsonl");
    std::fs::write(&path, "kept").unwrap();

    let error = agent(0, registry("", "")).record_to(&path).unwrap_err();

    assert!(matches!(error, RunFileError::NotCreated { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "kept");
}

#[tokio::test]
async fn full_disk_ends_recording_only() {
    let path = std::path::Path::new("/dev/full");
    if !path.exists() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("run.jsonl");
    std::os::unix::fs::symlink(path, &link).unwrap();

    let error = agent(0, registry("", "")).record_to(&link).unwrap_err();

    assert!(matches!(error, RunFileError::NotCreated { .. }), "{error}");
}

#[test]
fn invalid_files_are_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.jsonl");
    let header = super::HEADER;
    for (text, expected) in [
        (String::new(), "line 1 of the run file is invalid"),
        (
            r#"{"format":"toolwright-run","version":2}"#.to_owned() + "\n",
            "line 1",
        ),
        (format!("{header}\n"), "the run file contains no run"),
        (
            format!("{header}\nnot json\n"),
            "line 2 of the run file is invalid",
        ),
        (
            format!("{header}\n{{}}\n"),
            "line 2 of the run file is invalid: `run` is missing",
        ),
    ] {
        std::fs::write(&path, &text).unwrap();
        let error = RecordedRun::read(&path).unwrap_err().to_string();

        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[tokio::test]
async fn incomplete_run_is_not_replayed() {
    let directory = tempfile::tempdir().unwrap();
    record(1, &directory).await;
    let path = directory.path().join("1.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let end = text.trim_end().rfind('\n').unwrap();
    // The last line is incomplete.
    std::fs::write(&path, &text[..end + 20]).unwrap();
    let recorded = RecordedRun::read(&path).unwrap();

    let error = agent(1, registry("Repeats.", "")).replay(&recorded).await;

    let expected = "the run cannot be replayed: its end is missing";
    assert_eq!(error.unwrap_err().to_string(), expected);
}
