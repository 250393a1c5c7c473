use super::*;
use crate::{JsonReply, Trimmed};

fn total() -> JsonReply {
    JsonReply::new().check(|value| {
        let total = value["total"].as_u64();
        total
            .map(|_| ())
            .ok_or_else(|| "`total` must be a count.".to_owned())
    })
}

fn replies(texts: &[&str]) -> Vec<ModelReply> {
    texts.iter().map(|text| ModelReply::text(*text)).collect()
}

#[tokio::test]
async fn removes_and_reports_text_around_json() {
    let outcome = agent(replies(&[
        "Here you are:\n```json\n{\"total\": 3}\n```\nBye.",
    ]))
    .json_reply(total())
    .run("Count.")
    .await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(outcome.reply.as_deref(), Some("{\"total\": 3}"));
    assert_eq!(outcome.json, Some(json!({"total": 3})));
    let trimmed = Trimmed {
        before: "Here you are:\n```json\n".to_owned(),
        after: "\n```\nBye.".to_owned(),
        others: 0,
    };
    assert_eq!(outcome.trimmed, Some(trimmed));
    let stored = transcript_of(&outcome);
    assert!(
        stored[1]["content"].as_str().unwrap().ends_with("Bye."),
        "{stored}"
    );
}

#[tokio::test]
async fn plain_json_is_not_trimmed() {
    let outcome = agent(replies(&[" {\"total\": 3}\n"]))
        .json_reply(total())
        .run("Count.")
        .await;

    assert_eq!(outcome.trimmed, None);
    assert_eq!(outcome.reply.as_deref(), Some("{\"total\": 3}"));
}

#[tokio::test]
async fn accepts_any_text_by_default() {
    let outcome = agent(replies(&["See {\"total\": 3}."])).run("Count.").await;

    assert_eq!(outcome.reply.as_deref(), Some("See {\"total\": 3}."));
    assert_eq!((outcome.json, outcome.trimmed), (None, None));
}

#[tokio::test]
async fn sends_reason_for_invalid_answer_to_model() {
    let reasons = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&reasons);
    let outcome = agent(replies(&["{\"total\": \"three\"}", "{\"total\": 3}"]))
        .json_reply(total())
        .on_event(move |event: &Event<'_>| {
            if let EventKind::ReplyRejected { reason } = event.kind {
                log.lock().unwrap().push((*reason).to_owned());
            }
        })
        .run("Count.")
        .await;

    let reason = "The JSON in the response does not match the requirements. `total` must be a count. \
                  Return only the complete, corrected JSON.";
    assert_eq!(
        transcript_of(&outcome),
        json!([
            {"role": "user", "content": "Count."},
            {"role": "assistant", "content": "{\"total\": \"three\"}"},
            {"role": "user", "content": reason},
            {"role": "assistant", "content": "{\"total\": 3}"},
        ])
    );
    assert_eq!(*reasons.lock().unwrap(), [reason]);
    assert_eq!(
        (outcome.usage.turns, outcome.status),
        (2, Status::Completed)
    );
}

#[tokio::test]
async fn limits_number_of_corrections() {
    for (corrections, turns) in [(0, 1), (1, 2), (3, 4)] {
        let model = ScriptedModel::from_fn(|_| ModelReply::text("Three."));

        let outcome = AgentLoop::new(registry(), model)
            .json_reply(total().corrections(corrections))
            .run("Count.")
            .await;

        let reason = "The response contains no JSON object or array. Return only the JSON.";
        let error = LoopError::ReplyNotJson {
            reason: reason.to_owned(),
        };
        assert_eq!(
            (outcome.status, outcome.error),
            (Status::Failed, Some(error))
        );
        assert_eq!(outcome.reply.as_deref(), Some("Three."));
        assert_eq!((outcome.usage.turns, outcome.json), (turns, None));
    }
}

#[tokio::test]
async fn corrections_count_as_turns() {
    let outcome = agent(replies(&["Three.", "{\"total\": 3}"]))
        .json_reply(total())
        .max_turns(1)
        .run("Count.")
        .await;

    assert_eq!(
        (outcome.status, outcome.usage.turns),
        (Status::BudgetExceeded, 1)
    );
    let resumed = agent(replies(&["{\"total\": 3}"]))
        .json_reply(total())
        .resume(outcome.transcript)
        .await;
    assert_eq!(resumed.json, Some(json!({"total": 3})));
}

#[tokio::test]
async fn resume_validates_stored_answer() {
    let stored = json!([
        {"role": "user", "content": "Count."},
        {"role": "assistant", "content": "So: {\"total\": 3}"},
    ]);
    let transcript: Transcript = serde_json::from_value(stored).unwrap();

    let outcome = agent([]).json_reply(total()).resume(transcript).await;

    assert_eq!(outcome.json, Some(json!({"total": 3})));
    assert_eq!(outcome.usage.turns, 0);
}

#[tokio::test]
async fn truncated_answer_is_not_trimmed() {
    let cut = finished("{\"total\": 3} and {\"tot", Finish::Length);

    let outcome = agent([cut]).json_reply(total()).run("Count.").await;

    assert_eq!(outcome.error, Some(LoopError::ReplyTruncated));
    assert_eq!(outcome.json, None);
}
