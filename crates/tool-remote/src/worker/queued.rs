//! Calls of the queue.

use std::sync::Arc;
use std::time::Duration;

use tool_core::ToolResult;
use tool_core::ledger::{Claim, Intent, Settled};

use super::calls::{Calls, Way, ledger_key, unknown};
use super::reads::find;
use crate::nats::Delivery;
use crate::wire::{self, Finding, Outcome, Request};

/// Lease of a claim that is settled immediately.
const LEASE: Duration = Duration::from_secs(10);
/// Delay before a call that could not be settled is delivered again.
const LATER: Duration = Duration::from_secs(1);

/// Serves one delivery, and keeps it alive until its outcome is sent.
pub(super) async fn serve(calls: Arc<Calls>, delivery: Delivery) {
    let serving = Box::pin(run_and_reply(&calls, &delivery));
    let reply = delivery.reply.as_deref();
    let is_finished = calls.kept_alive(serving, Some(&delivery), reply).await;
    if is_finished {
        delivery.finish().await;
    }
}

/// Runs a call and sends its outcome. Returns `true` if the outcome is in the ledger, or the call will never run, so that it
/// can leave the queue.
async fn run_and_reply(calls: &Calls, delivery: &Delivery) -> bool {
    let request = match read(calls, delivery).await {
        Ok(request) => request,
        Err(is_finished) => return is_finished,
    };
    let reply = delivery.reply.as_deref();
    // A call that kills its worker would otherwise go from worker to worker.
    if delivery.number > calls.link.options().max_deliver {
        let Some(result) = abandon(calls, delivery, &request).await else {
            delivery.return_after(LATER).await;
            return false;
        };
        calls.reply(reply, &calls.finished(result)).await;
        return true;
    }
    let outcome = calls.execute(&request, Way::Queue, reply).await;
    calls.reply(reply, &outcome).await;
    // Otherwise, the call is delivered again after its lease, and is then unknown or runs again.
    is_settled(calls, &request, &outcome).await
}

/// Returns `false` if the outcome could not be stored. The registry then adds a warning to the result.
async fn is_settled(calls: &Calls, request: &Request, outcome: &Outcome) -> bool {
    let Outcome::Finished(finished) = outcome else {
        return true;
    };
    // Without a warning, the outcome is stored, which saves a query of the ledger for nearly every call.
    if finished.result.warnings.is_empty() {
        return true;
    }
    !matches!(
        find(calls, request).await,
        Finding::Running | Finding::Unavailable
    )
}

/// Reads the request. The error is `true` if it is damaged and can leave the queue.
async fn read(calls: &Calls, delivery: &Delivery) -> Result<Request, bool> {
    let payload = match calls.link.unpack(&delivery.body).await {
        Ok(payload) => payload,
        Err(error) if delivery.number <= calls.link.options().max_deliver => {
            tracing::warn!(%error, "the arguments of a call cannot be read");
            delivery.return_after(LATER).await;
            return Err(false);
        }
        // The arguments never became readable. As a damaged call, the delivery becomes a dead letter.
        Err(_) => bytes::Bytes::new(),
    };
    match wire::read(&payload) {
        Ok(request) => Ok(request),
        Err(error) => {
            tracing::warn!(%error, "a damaged call was removed from the queue");
            Err(bury(calls, delivery).await)
        }
    }
}

/// Stores the delivery as a dead letter. Returns `false` if it is delivered again because that failed.
async fn bury(calls: &Calls, delivery: &Delivery) -> bool {
    let buried = calls.link.bury(&calls.group, delivery.body.clone()).await;
    if let Err(error) = &buried {
        tracing::warn!(?error, "a dead letter could not be stored");
        delivery.return_after(LATER).await;
    }
    buried.is_ok()
}

/// Finishes a call that was delivered too often: its outcome is unknown, unless the ledger knows it. `None` if the ledger is
/// unavailable or another worker still runs the call.
async fn abandon(calls: &Calls, delivery: &Delivery, request: &Request) -> Option<ToolResult> {
    let deliveries = delivery.number;
    let result = unknown(
        request,
        format!(
            "The call was delivered {deliveries} times, and no worker could finish it. It may have made changes"
        ),
    );
    let registry = calls.offers.registry();
    let (Some(ledger), Some(tool)) = (registry.ledger(), registry.get(&request.tool)) else {
        return bury(calls, delivery).await.then_some(result);
    };
    let key = ledger_key(calls.link.names().tenant(), request, tool.as_ref());
    let risk = tool.definition().risk();
    let intent = Intent::new(request.tool.as_str(), request.arguments.value(), risk);
    let claim = ledger.claim(&key, &intent, LEASE).await;
    match claim
        .inspect_err(|error| tracing::warn!(%error, "ledger"))
        .ok()?
    {
        Claim::New(token) => {
            // Before the outcome is settled: afterwards, the call leaves the queue, and nobody could look at it.
            if !bury(calls, delivery).await {
                return None;
            }
            let settled = Settled::of(result.clone());
            ledger.settle(&key, token, &settled).await.ok()?;
            Some(result)
        }
        Claim::Running { .. } => None,
        Claim::Done(result) => Some(*result),
        _ => bury(calls, delivery).await.then_some(result),
    }
}
