//! Earlier calls in the ledger.

use tool_core::ledger::{LedgerEntry, LedgerState};
use tool_core::{SideEffects, ToolError, ToolResult};

use super::calls::{Calls, refused};
use super::keys;
use crate::wire::{Finding, Request};

/// Searches the ledger for a call.
pub(super) async fn find(calls: &Calls, request: &Request) -> Finding {
    let registry = calls.offers.registry();
    let (Some(ledger), Some(tool)) = (registry.ledger(), registry.get(&request.tool)) else {
        return Finding::Unavailable;
    };
    let key = keys::key(calls.link.names().tenant(), request, tool.as_ref());
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
            Finding::Unknown(Box::new(unknown(request, by, &since.to_string())))
        }
        (state, Some(result)) if state.is_settled() => Finding::Settled(result),
        _ => Finding::NotRun,
    }
}

fn unknown(request: &Request, by: &str, since: &str) -> ToolResult {
    let sentence = format!("The call began at {since}, and `{by}` stopped before it ended");
    let error = ToolError::outcome_unknown(sentence).suggest("Check before you call it again.");
    let mut result = refused(request, error);
    result.metadata.side_effects = SideEffects::Possible;
    result
}
