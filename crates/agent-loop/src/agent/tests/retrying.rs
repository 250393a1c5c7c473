//! Models that give no reply at first.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::{ReplyPiece, Retry};

/// Fails so often, and says a word before each failure where it is told to.
struct Busy {
    failures: u32,
    asked: AtomicU32,
    speaks: bool,
    error: ModelError,
}

impl Busy {
    fn new(failures: u32, error: ModelError) -> Self {
        Self {
            failures,
            asked: AtomicU32::new(0),
            speaks: false,
            error,
        }
    }
}

#[async_trait]
impl Model for Busy {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        if self.speaks {
            request.hand_on(ReplyPiece::Text("Hm"));
        }
        if self.asked.fetch_add(1, Ordering::Relaxed) < self.failures {
            return Err(self.error.clone());
        }
        Ok(ModelReply::text("Hello."))
    }
}

fn limited(seconds: u64) -> ModelError {
    ModelError::RateLimited {
        retry_after: Some(Duration::from_secs(seconds)),
    }
}

#[tokio::test(start_paused = true)]
async fn the_model_is_asked_again_after_the_wait() {
    let since = tokio::time::Instant::now();

    let outcome = AgentLoop::new(registry(), Busy::new(2, limited(7)))
        .run("Hi")
        .await;

    assert_eq!(outcome.answer.as_deref(), Some("Hello."));
    assert_eq!(outcome.usage.turns, 1);
    assert_eq!(since.elapsed().as_secs(), 14);
}

#[tokio::test(start_paused = true)]
async fn the_last_attempt_begins_within_the_time_in_all() {
    let agent = AgentLoop::new(registry(), Busy::new(9, limited(7)))
        .retry(Retry::attempts(9).within(Duration::from_secs(20)));
    let since = tokio::time::Instant::now();

    let outcome = agent.run("Hi").await;

    assert_eq!(outcome.error, Some(LoopError::Model(limited(7))));
    assert_eq!(since.elapsed().as_secs(), 14);
}

#[tokio::test(start_paused = true)]
async fn a_model_whose_words_were_heard_is_not_asked_again() {
    for (speaks, is_heard, completes) in [
        (true, true, false),
        (true, false, true),
        (false, true, true),
    ] {
        let model = Busy {
            speaks,
            ..Busy::new(1, limited(1))
        };
        let agent = AgentLoop::new(registry(), model);
        let agent = if is_heard {
            agent.on_event(|_: &Event<'_>| {})
        } else {
            agent
        };

        let outcome = agent.run("Hi").await;

        let has_completed = outcome.status == Status::Completed;
        assert_eq!(has_completed, completes, "{speaks} {is_heard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_the_model_can_be_cancelled() {
    let stop = CancellationToken::new();
    let agent = AgentLoop::new(registry(), Busy::new(1, limited(30))).cancellation(stop.clone());

    let (outcome, ()) = tokio::join!(agent.run("Hi"), async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        stop.cancel();
    });

    assert_eq!(outcome.status, Status::Cancelled);
}

#[tokio::test]
async fn a_reply_that_says_it_took_no_tokens_is_estimated() {
    let outcome = agent([ModelReply::text("Hello.").with_usage(0, 0)])
        .run("Hi")
        .await;

    assert!(outcome.usage.estimated);
    assert!(outcome.usage.total_tokens() > 0);
}
