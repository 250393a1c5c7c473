//! Runs that somebody stops.

use super::*;

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
                "Error: The call was cancelled before it began, so nothing was done.".into()
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
