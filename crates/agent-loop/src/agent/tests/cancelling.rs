use super::*;

#[tokio::test]
async fn run_cancelled_before_start_sends_no_request() {
    let stop = CancellationToken::new();
    stop.cancel();

    let outcome = agent([]).run("Hi").cancellation(stop).await;

    assert_eq!(
        (outcome.status, outcome.usage.turns),
        (Status::Cancelled, 0)
    );
    assert_eq!(outcome.error, None);
}

#[tokio::test]
async fn cancellation_stops_model_request() {
    struct Silent;
    #[async_trait]
    impl Model for Silent {
        async fn respond(&self, _: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
            std::future::pending().await
        }
    }
    let stop = CancellationToken::new();
    let agent = AgentLoop::new(registry(), Silent);

    let (outcome, ()) = tokio::join!(agent.run("Hi").cancellation(stop.clone()), async {
        stop.cancel();
    });

    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(
        transcript_of(&outcome),
        json!([{"role": "user", "content": "Hi"}])
    );
}

#[tokio::test]
async fn cancelled_run_has_result_for_every_call() {
    let stop = CancellationToken::new();
    let canceller = stop.clone();
    let replies = [ModelReply::calls([
        echo("a", "quick"),
        call("b", "endless"),
    ])];
    let agent = agent(replies).on_event(move |event: &Event<'_>| {
        if matches!(event.kind, EventKind::CallProgress { .. }) {
            canceller.cancel();
        }
    });

    let outcome = agent.run("Go").cancellation(stop).await;

    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(
        answers(&outcome),
        [
            ("a".into(), false, "quick".into()),
            (
                "b".into(),
                true,
                "Error: The call was cancelled before it started, so nothing was done.".into()
            ),
        ]
    );
}

#[tokio::test]
async fn cancelled_error_of_model_cancels_run() {
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
