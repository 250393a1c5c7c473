//! Recovery of calls with an unknown outcome.

use tokio::time::timeout;
use tracing::Span;

use super::super::redact::redact;
use super::super::{Shared, limit};
use crate::catalog::{Entry, Tools};
use crate::dispatch::claimed::{arguments_of, stored};
use crate::dispatch::stop::{guarded, guarded_wait};
use crate::ledger::{
    Ledger, LedgerEntry, LedgerError, LedgerFilter, LedgerState, Page, Recovery, Settled, Verified,
};
use crate::{Arguments, ErrorCode, SideEffects, SmolStr, ToolError, ToolOutput, ToolResult, clock};

/// Settles the unknown calls of `scope` that the tools can verify.
pub(crate) async fn recover(
    shared: &Shared,
    tools: &Tools,
    scope: &str,
) -> Result<Recovery, LedgerError> {
    let mut recovery = Recovery::default();
    let Some(ledger) = shared.settings.ledger.as_deref() else {
        return Ok(recovery);
    };
    let filter = LedgerFilter::default()
        .with_scope(scope)
        .with_state(LedgerState::Unknown);
    let mut page = Page::default();
    loop {
        let entries = ledger.list(&filter, page).await?;
        let Some(last) = entries.last() else {
            return Ok(recovery);
        };
        // By position, because entries that are settled here leave the list.
        page = page.after(last);
        for entry in entries {
            settle(shared, tools, ledger, entry, &mut recovery).await?;
        }
    }
}

async fn settle(
    shared: &Shared,
    tools: &Tools,
    ledger: &dyn Ledger,
    mut entry: LedgerEntry,
    recovery: &mut Recovery,
) -> Result<(), LedgerError> {
    let found = verified(shared, tools, &entry).await;
    let (token, result, list) = match (entry.token, found) {
        (Some(token), Verified::Happened(output)) => {
            let result = happened(shared, tools, &entry, output).await;
            (token, result, &mut recovery.happened)
        }
        (Some(token), Verified::DidNotHappen) => {
            (token, did_not_happen(&entry), &mut recovery.did_not_happen)
        }
        // Nothing can be settled without the token, so a person has to decide.
        _ => {
            recovery.unknown.push(entry);
            return Ok(());
        }
    };
    let outcome = Settled::of(result);
    match ledger.settle(&entry.key, token, &outcome).await {
        Ok(()) => {
            entry.state = outcome.state();
            entry.result = Some(Box::new(outcome.result().clone()));
            list.push(entry);
            Ok(())
        }
        // Its run or another recovery settled it.
        Err(LedgerError::LeaseLost) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Asks the tool about a call. A tool that fails, panics or exceeds its timeout cannot determine the outcome.
async fn verified(shared: &Shared, tools: &Tools, entry: &LedgerEntry) -> Verified {
    // Disabled tools, too: no new call may run, but this one may have.
    let slot = tools.table().get(&entry.intent.tool);
    let arguments = arguments_of(entry, &shared.settings.stored_arguments)
        .inspect_err(|error| tracing::warn!(key = %entry.key, %error, "a call cannot be verified"));
    let (Some(slot), Ok(Some(arguments))) = (slot, arguments) else {
        return Verified::Unknown;
    };
    let (tool, settings): (&Entry, _) = (&slot.entry, &shared.settings);
    let (id, arguments) = (id_of(entry), Arguments::from_value(arguments));
    let cx = settings
        .context(&id, clock::now(), tool, None, &Span::none())
        .with_call_key(entry.key.clone());
    let verifying = guarded_wait(guarded(|| Ok(tool.tool().verify(&cx, &arguments))));
    let found = timeout(settings.timeout_of(tool, None), verifying).await;
    found.ok().and_then(Result::ok).unwrap_or(Verified::Unknown)
}

fn id_of(entry: &LedgerEntry) -> SmolStr {
    entry.intent.call_id.as_str().into()
}

/// Returns the result of a call that took effect.
async fn happened(
    shared: &Shared,
    tools: &Tools,
    entry: &LedgerEntry,
    output: ToolOutput,
) -> ToolResult {
    let settings = &shared.settings;
    let mut result = ToolResult::blank();
    result.id = id_of(entry);
    result.name = entry.intent.tool.as_str().into();
    result.metadata.tool_name.clone_from(&result.name);
    result.metadata.start_time = entry.intent.time;
    result.metadata.end_time = settings.now();
    result.metadata.side_effects = SideEffects::Done;
    result.add(output);
    if let Some(redactor) = &settings.redactor {
        redact(redactor, &mut result);
    }
    let slot = tools.table().get(&entry.intent.tool);
    let own = slot.map(|slot| settings.limit_of(&slot.entry));
    let own = own.unwrap_or(settings.output_limit);
    limit::limit(&mut result, own, settings, tools).await;
    stored(&result, settings)
}

/// Returns the result of a call that did not take effect.
fn did_not_happen(entry: &LedgerEntry) -> ToolResult {
    let error = ToolError::new(
        ErrorCode::Unavailable,
        "The run of this call stopped before it took effect",
    )
    .suggest("Call the tool again.");
    ToolResult::refused(id_of(entry), entry.intent.tool.as_str(), error)
}
