//! Calls that only read, queries about earlier calls, and cancellations.

use std::sync::Arc;

use tool_core::ledger::{LedgerEntry, LedgerState};

use super::calls::{Calls, Way, ledger_key, unknown};
use crate::nats::Message;
use crate::wire::{self, Finding, Outcome, Request};

/// Maximum bytes of a subject.
const MAX_SUBJECT: usize = 256;
/// Delay before a caller tries a busy worker again.
const RETRY_AFTER_MS: u64 = 500;

/// Runs a call that only reads, unless the worker is busy. Damaged requests have no response.
pub(super) async fn read(calls: Arc<Calls>, message: Message, is_busy: bool) {
    let reply = message.reply.as_deref();
    if is_busy {
        let retry_after_ms = RETRY_AFTER_MS;
        return calls.reply(reply, &Outcome::Busy { retry_after_ms }).await;
    }
    let running = Box::pin(run(&calls, &message));
    calls.kept_alive(running, None, reply).await;
}

/// Runs a call. Reading a large request and storing a large outcome can take longer than the tool.
async fn run(calls: &Calls, message: &Message) {
    let Some(request) = request(calls, message).await else {
        return;
    };
    let reply = message.reply.as_deref();
    let outcome = calls.execute(&request, Way::Request, reply).await;
    calls.reply(reply, &outcome).await;
    calls.link.discard(&message.body).await;
}

/// Responds to a query about an earlier call.
pub(super) async fn query(calls: Arc<Calls>, message: Message) {
    if let Some(request) = request(&calls, &message).await {
        let finding = find(&calls, &request).await;
        calls.reply(message.reply.as_deref(), &finding).await;
    }
}

/// Cancels a call that runs here, or that may still arrive.
pub(super) async fn cancel(calls: &Calls, message: &Message) {
    let Ok(payload) = calls.link.unpack(&message.body).await else {
        return;
    };
    if let Ok(call) = str::from_utf8(&payload)
        // Remembered until its call arrives, so its size is bounded.
        && (1..=MAX_SUBJECT).contains(&call.len())
    {
        calls.cancelled.cancel(call.to_owned());
    }
}

async fn request(calls: &Calls, message: &Message) -> Option<Request> {
    let read = match calls.link.unpack(&message.body).await {
        Ok(payload) => wire::read(&payload).map_err(Into::into),
        Err(error) => Err(error),
    };
    read.inspect_err(|error| tracing::warn!(%error, "a damaged request was ignored"))
        .ok()
}

/// Searches the ledger for a call.
pub(super) async fn find(calls: &Calls, request: &Request) -> Finding {
    let registry = calls.offers.registry();
    let (Some(ledger), Some(tool)) = (registry.ledger(), registry.get(&request.tool)) else {
        return Finding::Unavailable;
    };
    let key = ledger_key(calls.link.names().tenant(), request, tool.as_ref());
    match ledger.find(&key).await {
        Ok(Some(entry)) => finding(request, entry),
        Ok(None) => Finding::NotRun,
        Err(error) => {
            tracing::warn!(%error, "ledger");
            Finding::Unavailable
        }
    }
}

fn finding(request: &Request, entry: LedgerEntry) -> Finding {
    match (entry.state, entry.result) {
        (LedgerState::Running, _) => Finding::Running,
        (LedgerState::Unknown, Some(result)) => Finding::Unknown(result),
        (LedgerState::Unknown, None) => {
            let by = entry.intent.by.as_deref().unwrap_or("a worker");
            let since = entry.since;
            let sentence = format!("The call began at {since}, and `{by}` stopped before it ended");
            Finding::Unknown(Box::new(unknown(request, sentence)))
        }
        (state, Some(result)) if state.is_settled() => Finding::Settled(result),
        _ => Finding::NotRun,
    }
}
