//! Final answers that must be JSON.

use super::*;
use crate::{JsonAnswer, Trimmed};

fn total() -> JsonAnswer {
    JsonAnswer::new().check(|value| {
        let total = value["total"].as_u64();
        total
            .map(|_| ())
            .ok_or_else(|| "`total` must be a count.".to_owned())
    })
}

fn said(texts: &[&str]) -> Vec<ModelReply> {
    texts.iter().map(|text| ModelReply::text(*text)).collect()
}

#[tokio::test]
async fn what_stands_around_the_value_is_cut_off_and_told() {
    let outcome = agent(said(&["Here you are:\n```json\n{\"total\": 3}\n```\nBye."]))
        .json_answer(total())
        .run("Count.")
        .await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(outcome.answer.as_deref(), Some("{\"total\": 3}"));
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
async fn an_answer_that_is_the_value_is_not_trimmed() {
    let outcome = agent(said(&[" {\"total\": 3}\n"]))
        .json_answer(total())
        .run("Count.")
        .await;

    assert_eq!(outcome.trimmed, None);
    assert_eq!(outcome.answer.as_deref(), Some("{\"total\": 3}"));
}

#[tokio::test]
async fn without_the_wish_a_text_is_an_answer() {
    let outcome = agent(said(&["See {\"total\": 3}."])).run("Count.").await;

    assert_eq!(outcome.answer.as_deref(), Some("See {\"total\": 3}."));
    assert_eq!((outcome.json, outcome.trimmed), (None, None));
}

#[tokio::test]
async fn a_wrong_answer_goes_back_with_the_reason() {
    let refused = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&refused);
    let outcome = agent(said(&["{\"total\": \"three\"}", "{\"total\": 3}"]))
        .json_answer(total())
        .on_event(move |event: &Event<'_>| {
            if let Event::AnswerRefused { reason } = event {
                log.lock().unwrap().push((*reason).to_owned());
            }
        })
        .run("Count.")
        .await;

    let reason = "The JSON in the answer is not what was asked for. `total` must be a count. \
                  Send all of it again, with nothing around it.";
    assert_eq!(
        transcript_of(&outcome),
        json!([
            {"role": "user", "content": "Count."},
            {"role": "assistant", "content": "{\"total\": \"three\"}"},
            {"role": "user", "content": reason},
            {"role": "assistant", "content": "{\"total\": 3}"},
        ])
    );
    assert_eq!(*refused.lock().unwrap(), [reason]);
    assert_eq!(
        (outcome.usage.turns, outcome.status),
        (2, Status::Completed)
    );
}

#[tokio::test]
async fn the_corrections_are_counted() {
    for (corrections, turns) in [(0, 1), (1, 2), (3, 4)] {
        let model = ScriptedModel::from_fn(|_| ModelReply::text("Three."));

        let outcome = AgentLoop::new(registry(), model)
            .json_answer(total().corrections(corrections))
            .run("Count.")
            .await;

        let reason = "There is no JSON object or array in the answer. Send it as JSON, with nothing around it.";
        let error = LoopError::AnswerNotJson {
            reason: reason.to_owned(),
        };
        assert_eq!(
            (outcome.status, outcome.error),
            (Status::Failed, Some(error))
        );
        assert_eq!(outcome.answer.as_deref(), Some("Three."));
        assert_eq!((outcome.usage.turns, outcome.json), (turns, None));
    }
}

#[tokio::test]
async fn a_correction_is_a_turn_of_the_budget() {
    let outcome = agent(said(&["Three.", "{\"total\": 3}"]))
        .json_answer(total())
        .max_turns(1)
        .run("Count.")
        .await;

    assert_eq!(
        (outcome.status, outcome.usage.turns),
        (Status::BudgetExceeded, 1)
    );
    let resumed = agent(said(&["{\"total\": 3}"]))
        .json_answer(total())
        .resume(outcome.transcript)
        .await;
    assert_eq!(resumed.json, Some(json!({"total": 3})));
}

#[tokio::test]
async fn a_stored_answer_is_held_to_the_same() {
    let stored = json!([
        {"role": "user", "content": "Count."},
        {"role": "assistant", "content": "So: {\"total\": 3}"},
    ]);
    let transcript: Transcript = serde_json::from_value(stored).unwrap();

    let outcome = agent([]).json_answer(total()).resume(transcript).await;

    assert_eq!(outcome.json, Some(json!({"total": 3})));
    assert_eq!(outcome.usage.turns, 0);
}

#[tokio::test]
async fn an_answer_that_was_cut_by_a_limit_is_not_trimmed() {
    let cut = ModelReply::text("{\"total\": 3} and {\"tot").with_finish(Finish::Length);

    let outcome = agent([cut]).json_answer(total()).run("Count.").await;

    assert_eq!(outcome.error, Some(LoopError::AnswerCut));
    assert_eq!(outcome.json, None);
}
