//! Calls that only read: sent to one worker, and repeated on another one.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use tool_core::{ToolContext, ToolError};

use super::caller::Caller;
use super::failures;
use super::replies::{Reply, Waiting};
use crate::nats::{Body, Message};
use crate::wire::{Finished, Outcome, Request};

/// Number of workers that are tried.
const ATTEMPTS: u32 = 4;
/// Delay before the next worker is tried.
const PAUSE: Duration = Duration::from_millis(100);

/// Runs a call on one of the workers.
pub(super) async fn call(
    caller: &Caller,
    cx: &ToolContext,
    group: &str,
    request: &Request,
) -> Result<Finished, ToolError> {
    let body = caller.pack(request).await?;
    let mut last = failures::no_worker();
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            sleep(PAUSE * attempt).await;
        }
        if !caller.link.is_connected().await {
            last = failures::disconnected();
            continue;
        }
        match attempt_on_one(caller, cx, group, body.clone()).await {
            Ok(finished) => return Ok(finished),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Runs a call on the worker that the server chooses.
async fn attempt_on_one(
    caller: &Caller,
    cx: &ToolContext,
    group: &str,
    body: Body,
) -> Result<Finished, ToolError> {
    let mut waiting = caller.replies.register();
    let mut cancel = caller.cancel_on_drop(group, waiting.subject());
    let subject = caller.link.names().read(group);
    let sent = caller.link.publish(subject, body, Some(waiting.subject()));
    sent.await.map_err(failures::rejected)?;
    let outcome = outcome(caller, cx, &mut waiting).await;
    if outcome.is_some() {
        cancel.disarm();
    }
    let message = outcome.ok_or_else(failures::no_worker)?;
    if message.is_undeliverable {
        return Err(failures::no_worker());
    }
    match caller.read(&message).await {
        Ok(Outcome::Finished(finished)) => Ok(*finished),
        Ok(Outcome::Busy { retry_after_ms }) => {
            Err(failures::busy(Duration::from_millis(retry_after_ms)))
        }
        Ok(Outcome::OtherDefinition) => Err(failures::other_definition()),
        Err(error) => Err(failures::damaged().caused_by(error)),
    }
}

/// Waits for the outcome; `None` if the worker is silent for too long.
async fn outcome(caller: &Caller, cx: &ToolContext, waiting: &mut Waiting) -> Option<Message> {
    let patience = caller.link.options().ack_wait;
    let mut end = Instant::now() + patience;
    loop {
        tokio::select! {
            reply = waiting.next() => match reply {
                Reply::Outcome(message) => return Some(message),
                Reply::Report(report) => {
                    end = Instant::now() + patience;
                    caller.forward(cx, &report).await;
                }
            },
            () = sleep_until(end) => return None,
        }
    }
}
