//! Calls on their way to a worker and back.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use tool_core::{ToolContext, ToolError, ToolResult};

use super::caller::{Caller, CancelOnDrop};
use super::failures;
use super::replies::{Reply, Waiting};
use crate::nats::{Body, EnqueueError, Message, Queued};
use crate::wire::{Finding, Finished, Outcome, Request, sha256};

/// Number of times that an unconfirmed or lost call is sent.
const ATTEMPTS: u32 = 3;
/// Delay between checks of a call whose replies another caller receives.
const SHARED: Duration = Duration::from_millis(250);
/// Delay after a failed attempt.
const PAUSE: Duration = Duration::from_millis(200);

/// Number of workers that are tried for a call that only reads.
const WORKERS: u32 = 4;
/// Delay before the next worker is tried.
const NEXT: Duration = Duration::from_millis(100);

/// Queues a call and waits for its outcome.
pub(super) async fn queue(
    caller: &Caller,
    cx: &ToolContext,
    group: &str,
    request: &Request,
) -> Result<Finished, ToolError> {
    let body = caller.pack(request).await?;
    if !caller.link.is_connected().await {
        return Err(failures::disconnected());
    }
    let waiting = caller.replies.register();
    // Before the call is queued: a drop between the two must still cancel it.
    let cancel = caller.cancel_on_drop(group, waiting.subject());
    let mut call = QueuedCall {
        caller,
        cx,
        group,
        request,
        body,
        waiting,
        cancel,
        sent: 0,
    };
    let finished = call.finished().await;
    call.cancel.disarm();
    finished
}

struct QueuedCall<'c> {
    caller: &'c Caller,
    cx: &'c ToolContext,
    group: &'c str,
    request: &'c Request,
    body: Body,
    waiting: Waiting,
    cancel: CancelOnDrop,
    /// Number of times that the call was added to the queue.
    sent: u32,
}

impl QueuedCall<'_> {
    async fn finished(&mut self) -> Result<Finished, ToolError> {
        let mut queued = self.enqueue().await?;
        loop {
            if let Some(message) = self.outcome(queued).await {
                match self.caller.read(&message).await {
                    Ok(Outcome::Finished(finished)) => return Ok(*finished),
                    Ok(Outcome::OtherDefinition | Outcome::Busy { .. }) => {
                        return Err(failures::other_definition());
                    }
                    Err(error) => tracing::warn!(%error, "a worker sent a damaged outcome"),
                }
            }
            match self.check(queued).await {
                Checked::Finished(result) => return Ok(without_worker(*result)),
                Checked::Waiting => {}
                Checked::Lost if self.sent < ATTEMPTS => queued = self.enqueue().await?,
                Checked::Lost => return Err(failures::lost()),
            }
        }
    }

    /// Returns the id for the detection of duplicates. A call that was lost gets another one.
    fn id(&self) -> String {
        let key = &self.request.key;
        // A hash, because keys are free text and a header is not.
        sha256(format!("{}\0{}\0{}", key.scope, key.key, self.sent).as_bytes())
    }

    /// Adds the call to the queue. An unconfirmed attempt is repeated with the same id, so that it is stored once.
    async fn enqueue(&mut self) -> Result<Queued, ToolError> {
        let (id, reply) = (self.id(), self.waiting.subject());
        let mut unconfirmed = None;
        for _ in 0..ATTEMPTS {
            let body = self.body.clone();
            let enqueued = self.caller.link.enqueue(self.group, &id, &reply, body);
            match enqueued.await {
                Ok(mut queued) => {
                    self.sent += 1;
                    // A repeated attempt is a duplicate of itself.
                    queued.is_duplicate &= unconfirmed.is_none();
                    if queued.is_duplicate {
                        // Another caller owns the run.
                        self.cancel.disarm();
                    }
                    return Ok(queued);
                }
                Err(EnqueueError::Unconfirmed(error)) => unconfirmed = Some(error),
                Err(error) if unconfirmed.is_none() => return Err(rejected(error)),
                // An earlier attempt may be stored, so this rejection does not mean that the call will not run.
                Err(_) => {}
            }
            sleep(PAUSE).await;
        }
        Err(unconfirmed.map_or_else(failures::lost, failures::unconfirmed))
    }

    /// Waits for the outcome; `None` if there is no sign of life for too long.
    async fn outcome(&mut self, queued: Queued) -> Option<Message> {
        let patience = if queued.is_duplicate {
            SHARED
        } else {
            self.caller.link.options().ack_wait
        };
        outcome(self.caller, self.cx, &mut self.waiting, patience).await
    }

    /// Determines the state of a call without replies. The queue keeps it until its outcome is in the ledger.
    async fn check(&self, queued: Queued) -> Checked {
        // A call in the queue will run or runs. A query that failed says nothing, so the call waits too.
        if !matches!(self.caller.link.is_queued(queued).await, Ok(false)) {
            return Checked::Waiting;
        }
        match self.caller.find(self.group, self.body.clone()).await {
            Finding::Settled(result) | Finding::Unknown(result) => Checked::Finished(result),
            // Neither queued nor run, as after a server lost its storage. Another attempt cannot be a second run.
            Finding::NotRun => Checked::Lost,
            Finding::Running => Checked::Waiting,
            Finding::Unavailable => {
                sleep(PAUSE).await;
                Checked::Waiting
            }
        }
    }
}

/// State of a call without replies.
enum Checked {
    Finished(Box<ToolResult>),
    Waiting,
    /// The call is not in the queue, and no worker ran it.
    Lost,
}

fn rejected(error: EnqueueError) -> ToolError {
    match error {
        EnqueueError::Full => failures::full(),
        EnqueueError::Refused(error) | EnqueueError::Unconfirmed(error) => {
            failures::rejected(error)
        }
    }
}

fn without_worker(result: ToolResult) -> Finished {
    Finished {
        worker: String::new(),
        result,
    }
}

/// Runs a call on one of the workers.
pub(super) async fn read(
    caller: &Caller,
    cx: &ToolContext,
    group: &str,
    request: &Request,
) -> Result<Finished, ToolError> {
    let body = caller.pack(request).await?;
    let mut last = failures::no_worker();
    for attempt in 0..WORKERS {
        if attempt > 0 {
            sleep(NEXT * attempt).await;
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
    let subject = caller.link.names().subject("read", group);
    let sent = caller.link.publish(subject, body, Some(waiting.subject()));
    sent.await.map_err(failures::rejected)?;
    let patience = caller.link.options().ack_wait;
    let outcome = outcome(caller, cx, &mut waiting, patience).await;
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

/// Waits for the outcome and forwards reports; `None` if there is no sign of life for `patience`.
async fn outcome(
    caller: &Caller,
    cx: &ToolContext,
    waiting: &mut Waiting,
    patience: Duration,
) -> Option<Message> {
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
