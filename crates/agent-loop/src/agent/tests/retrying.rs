use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::{ModelRetry, ReplyPiece};

/// Model that fails `failures` times, optionally after streaming a word.
struct Busy {
    failures: u32,
    attempts: AtomicU32,
    streams: bool,
    error: ModelError,
}

impl Busy {
    fn new(failures: u32, error: ModelError) -> Self {
        Self {
            failures,
            attempts: AtomicU32::new(0),
            streams: false,
            error,
        }
    }
}

#[async_trait]
impl Model for Busy {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        if self.streams {
            request.hand_on(ReplyPiece::Text("Hm"));
        }
        if self.attempts.fetch_add(1, Ordering::Relaxed) < self.failures {
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
async fn retries_after_wait() {
    let since = tokio::time::Instant::now();

    let outcome = AgentLoop::new(registry(), Busy::new(2, limited(7)))
        .run("Hi")
        .await;

    assert_eq!(outcome.reply.as_deref(), Some("Hello."));
    assert_eq!(outcome.usage.turns, 1);
    assert_eq!(since.elapsed().as_secs(), 14);
}

#[tokio::test(start_paused = true)]
async fn last_attempt_starts_within_time_limit() {
    let agent = AgentLoop::new(registry(), Busy::new(9, limited(7)))
        .retry(ModelRetry::attempts(9).within(Duration::from_secs(20)));
    let since = tokio::time::Instant::now();

    let outcome = agent.run("Hi").await;

    assert_eq!(outcome.error, Some(LoopError::Model(limited(7))));
    assert_eq!(since.elapsed().as_secs(), 14);
}

#[tokio::test(start_paused = true)]
async fn retries_after_partial_reply() {
    let model = Busy {
        streams: true,
        ..Busy::new(1, limited(1))
    };
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let agent = AgentLoop::new(registry(), model).on_event(move |event: &Event<'_>| {
        log.lock().unwrap().push(match event.kind {
            EventKind::ModelPartial { .. } => "part",
            EventKind::ModelReset => "reset",
            EventKind::ModelRetried { .. } => "retry",
            EventKind::ModelReplied { .. } => "reply",
            _ => return,
        });
    });

    let outcome = agent.run("Hi").await;

    assert_eq!(outcome.status, Status::Completed);
    let expected = ["part", "reset", "retry", "part", "reply"];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn cancellation_stops_retry_wait() {
    let stop = CancellationToken::new();
    let agent = AgentLoop::new(registry(), Busy::new(1, limited(30)));

    let (outcome, ()) = tokio::join!(agent.run("Hi").cancellation(stop.clone()), async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        stop.cancel();
    });

    assert_eq!(outcome.status, Status::Cancelled);
}

#[tokio::test]
async fn estimates_tokens_reported_as_zero() {
    let outcome = agent([ModelReply::text("Hello.").with_usage(0, 0)])
        .run("Hi")
        .await;

    assert!(outcome.usage.estimated);
    assert!(outcome.usage.total_tokens() > 0);
}
