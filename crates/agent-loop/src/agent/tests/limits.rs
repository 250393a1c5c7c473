use provider_adapters::ToolChoice;

use super::*;

#[tokio::test]
async fn calls_of_last_turn_are_rejected() {
    let outcome = AgentLoop::new(registry(), endless_model())
        .max_turns(2)
        .run("Go")
        .await;

    assert_eq!(
        (outcome.status, outcome.reply.clone()),
        (Status::BudgetExceeded, None)
    );
    assert_eq!((outcome.usage.turns, outcome.usage.calls), (2, 1));
    assert_eq!(
        answers(&outcome),
        [(
            "call_3".into(),
            true,
            "Error: The call was not run because the budget of the run is used up.".into()
        )]
    );
}

#[tokio::test]
async fn checks_token_limit_before_each_turn() {
    for (most, turns) in [(0, 0), (1, 1), (110, 1), (111, 2), (220, 2), (221, 3)] {
        let agent = AgentLoop::new(registry(), endless_model()).max_total_tokens(most);

        let outcome = agent.run("Go").await;

        assert_eq!(outcome.status, Status::BudgetExceeded, "{most}");
        assert_eq!(outcome.usage.turns, turns, "{most}");
        assert!(!outcome.usage.estimated, "{most}");
    }
}

#[tokio::test]
async fn answer_over_token_limit_still_completes() {
    let outcome = agent([ModelReply::text("Hello.").with_usage(500, 500)])
        .max_turns(1)
        .max_total_tokens(10)
        .run("Hi")
        .await;

    assert_eq!(outcome.status, Status::Completed);
}

#[tokio::test]
async fn estimates_unreported_tokens() {
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
async fn rejects_calls_over_limit_per_turn() {
    let replies = [
        ModelReply::calls([echo("a", "1"), echo("b", "2"), echo("c", "3")]),
        ModelReply::text("Done."),
    ];

    let outcome = agent(replies).max_calls_per_turn(2).run("Go").await;

    let results = &transcript_of(&outcome)[2]["results"];
    assert_eq!(
        results[2]["content"][0]["text"],
        "Error: The call was not run because at most 2 calls are allowed per turn. Repeat the call in the next turn."
    );
    assert_eq!(
        (results[1]["is_error"].clone(), outcome.usage.calls),
        (json!(false), 2)
    );
}

/// Model that calls until calls are forbidden, and records which requests forbid them.
struct Chatty(Arc<Mutex<Vec<bool>>>);
#[async_trait]
impl Model for Chatty {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let is_last = request.choice == Some(&ToolChoice::None);
        self.0.lock().unwrap().push(is_last);
        let id = format!("call_{}", request.transcript.messages().len());
        Ok(if is_last {
            ModelReply::text("Two of three steps are done.")
        } else {
            ModelReply::calls([echo(&id, "again")])
        })
    }
}

#[tokio::test]
async fn last_answer_follows_exceeded_budget() {
    let choices = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&choices);
    let outcome = AgentLoop::new(registry(), Chatty(log))
        .max_turns(2)
        .last_reply(true)
        .run("Go")
        .await;

    assert_eq!(outcome.status, Status::BudgetExceeded);
    assert_eq!(
        outcome.reply.as_deref(),
        Some("Two of three steps are done.")
    );
    assert_eq!(*choices.lock().unwrap(), [false, false, true]);
}
