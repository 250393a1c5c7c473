//! Calls of a run in the ledger of the registry. The scope of their keys is the ID of the run.

use std::collections::HashSet;
use std::time::Duration;

use provider_adapters::{Message, Transcript};
use tokio::time::{Instant, sleep};
use tool_core::ledger::{Ledger, LedgerEntry, LedgerError, LedgerFilter, LedgerState, Page};
use tool_core::{Registry, ToolCall};

use crate::ModelReply;
use crate::run::Run;
use crate::run_builder::random_number;

/// Maximum time to wait for the lease of a process that has exited.
const MAX_WAIT: Duration = Duration::from_mins(2);

/// Interval between two reads of the ledger.
const INTERVAL: Duration = Duration::from_millis(500);

/// Beginning of IDs that providers did not assign.
const LOCAL: &str = "local_";

impl Run<'_> {
    /// Replaces IDs of calls that are not unique in the run, because they are the keys of the calls in the ledger.
    pub(crate) fn name_calls(&mut self, reply: &mut ModelReply, tools: &Registry) {
        if tools.ledger().is_none() || self.scope.replay().is_some() {
            return;
        }
        let used = self
            .conversation
            .call_ids
            .get_or_insert_with(|| ids_of(&self.conversation.transcript));
        for call in &mut reply.calls {
            // The adapter numbers missing IDs from 0 in each reply, and the key of one call must not find another.
            let is_generated = call.call.id.starts_with(LOCAL) || call.call.id.trim().is_empty();
            if is_generated || used.contains(&call.call.id) {
                call.rename(format!("{LOCAL}{:016x}", random_number()));
            }
            used.insert(call.call.id.clone());
        }
    }

    /// Returns the IDs of the open calls that the ledger contains, after the leases of an earlier process have ended. These
    /// calls may be executed: the registry returns their stored results or `outcome_unknown`.
    pub(crate) async fn recorded_calls(
        &mut self,
        calls: &[ToolCall],
        tools: &Registry,
    ) -> HashSet<String> {
        let Some(ledger) = tools.ledger().filter(|_| self.scope.replay().is_none()) else {
            return HashSet::new();
        };
        let open: HashSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        // A process that has crashed holds its leases until they end; asking earlier would only find running calls.
        let end = Instant::now() + MAX_WAIT;
        loop {
            let entries = match entries_of(ledger.as_ref(), &self.scope.run).await {
                Ok(entries) => entries,
                // Without the entries, only calls that haven't started or are safe to repeat run again.
                Err(error) => {
                    tracing::warn!(%error, "the calls of a resumed run could not be read");
                    return HashSet::new();
                }
            };
            let runs = |entry: &&LedgerEntry| entry.state == LedgerState::Running;
            let is_open = |entry: &&LedgerEntry| open.contains(entry.intent.call_id.as_str());
            let may_wait = Instant::now() < end && !self.cancellation.is_cancelled();
            if may_wait && entries.iter().filter(is_open).any(|entry| runs(&entry)) {
                let wait = self.cancellation.run_until_cancelled(sleep(INTERVAL));
                // A cancelled run is detected by the next check.
                let _ = wait.await;
                continue;
            }
            let known = entries.iter().map(|entry| entry.intent.call_id.clone());
            let used = ids_of(&self.conversation.transcript)
                .into_iter()
                .chain(known);
            self.conversation.call_ids = Some(used.collect());
            let settled = entries.iter().filter(is_open).filter(|entry| !runs(entry));
            return settled.map(|entry| entry.intent.call_id.clone()).collect();
        }
    }
}

fn ids_of(transcript: &Transcript) -> HashSet<String> {
    let calls = transcript
        .messages()
        .iter()
        .filter_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls),
            _ => None,
        });
    calls.flatten().map(|call| call.id.clone()).collect()
}

async fn entries_of(ledger: &dyn Ledger, run: &str) -> Result<Vec<LedgerEntry>, LedgerError> {
    let filter = LedgerFilter::default().with_scope(run);
    let mut page = Page::first(Page::MAX_LIMIT);
    let mut entries = Vec::new();
    loop {
        let next = ledger.list(&filter, page).await?;
        let Some(last) = next.last() else {
            return Ok(entries);
        };
        page = page.after(last);
        entries.extend(next);
    }
}
