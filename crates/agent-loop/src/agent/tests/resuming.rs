use tool_core::{Hints, RiskLevel};

use super::*;
use crate::model::repeating;

#[tokio::test]
async fn resumes_stored_transcript_after_turn_limit() {
    let first = AgentLoop::new(registry(), endless_model())
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
async fn resume_executes_open_calls_first() {
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

    let echo = tool_fn("echo", "Repeats the text.", |_, input: Text| async move {
        Ok(input.text)
    });
    let registry = Registry::of(echo.risk(RiskLevel::ReadOnly)).unwrap();
    let outcome = AgentLoop::new(registry, ScriptedModel::new([ModelReply::text("Done.")]))
        .resume(transcript)
        .await;

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
async fn resume_does_not_repeat_calls_with_effects() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let tool = |name: &'static str, risk, idempotent| {
        let log = Arc::clone(&ran);
        let tool = tool_fn(name, "Runs.", move |_, _: Nothing| {
            log.lock().unwrap().push(name);
            async { Ok("done") }
        });
        let hints = Hints {
            idempotent,
            ..Hints::of(risk)
        };
        tool.risk(risk)
            .define(|definition| definition.with_hints(hints))
    };
    let registry = Registry::builder()
        .tool(tool("read", RiskLevel::ReadOnly, false))
        .and_then(|builder| builder.tool(tool("put", RiskLevel::SafeWrite, true)))
        .and_then(|builder| builder.tool(tool("send", RiskLevel::SafeWrite, false)))
        .unwrap()
        .build();
    let transcript = Transcript::from(vec![
        Message::user("Go"),
        ModelReply::calls([call("a", "read"), call("b", "put"), call("c", "send")]).to_message(),
    ]);

    let outcome = AgentLoop::new(registry, ScriptedModel::new([ModelReply::text("Done.")]))
        .resume(transcript)
        .await;

    assert_eq!(*ran.lock().unwrap(), ["read", "put"]);
    let text = transcript_of(&outcome)[2]["results"][2]["content"][0]["text"].clone();
    assert!(
        text.as_str().unwrap().contains("outcome is unknown"),
        "{text}"
    );
}

#[tokio::test]
async fn finished_conversation_completes_unchanged() {
    let transcript = Transcript::from(vec![Message::user("Hi"), Message::assistant("Hello.")]);

    let outcome = agent([]).resume(transcript.clone()).await;

    assert_eq!(
        (outcome.status, outcome.reply.as_deref()),
        (Status::Completed, Some("Hello."))
    );
    assert_eq!((outcome.transcript, outcome.usage.turns), (transcript, 0));
}

#[tokio::test]
async fn rejects_transcript_without_user_message() {
    let outcome = agent([]).resume(Transcript::new()).await;

    assert_eq!(outcome.error, Some(LoopError::NothingToReplyTo));
}

#[tokio::test]
async fn repeated_replies_execute_tools_again() {
    let replies = [
        ModelReply::calls([echo("a", "one")]).with_text("Let me see."),
        ModelReply::text("Done."),
    ];
    let first = agent(replies).run("Go").await;

    let replay = AgentLoop::new(registry(), repeating(&first.transcript));
    let second = replay.run("Go").await;

    assert_eq!(second.transcript, first.transcript);
    assert_eq!(second.usage.calls, 1);
}

#[tokio::test]
async fn added_message_follows_results_of_open_calls() {
    let transcript: Transcript = serde_json::from_value(json!([
        {"role": "user", "content": "Go"},
        {"role": "assistant", "content": "", "calls": [{"id": "a", "name": "nope", "arguments": {}}]},
    ]))
    .unwrap();

    let outcome = agent([ModelReply::text("Done.")])
        .resume(transcript)
        .with_message("Go on.")
        .await;

    let roles: Vec<String> = transcript_of(&outcome)
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user", "assistant"]);
}
