//! Data of a call in the ledger, without secrets.

use serde_json::Value;

use super::super::scope::Scope;
use super::super::{LedgerSettings, Settings};
use crate::audit::masked;
use crate::ledger::{Intent, StoredArguments};
use crate::result::ExecutedArguments;
use crate::{Arguments, ContentBlock, ErrorCode, RiskLevel, ToolError, ToolResult};

/// Maximum bytes of stored arguments without secrets. Larger ones are omitted.
const REDACTED_BYTES: usize = 64 * 1024;
/// Maximum bytes of complete stored arguments.
const PLAIN_BYTES: usize = 1024 * 1024;

/// Returns the facts about a call.
pub(in crate::dispatch) fn intent_of(
    settings: &LedgerSettings,
    scope: Scope<'_, '_>,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
) -> Result<Intent, ToolError> {
    let (entry, shared) = (scope.entry, &scope.shared.settings);
    let value = arguments.to_value();
    let tool = entry.name().as_str();
    let mut intent = Intent::new(tool, &value, risk).ok_or_else(without_digests)?;
    let hints = entry.definition().hints();
    intent.repeatable = hints.read_only || hints.idempotent || risk == RiskLevel::ReadOnly;
    intent.definition_digest = entry.digest();
    scope.cx.call_id().clone_into(&mut intent.call_id);
    let parent = scope.options.and_then(|options| options.parent_id.clone());
    intent.by = settings.owner.clone().or(parent);
    intent.time = shared.now();
    (intent.arguments, intent.complete) = shown(settings.arguments, value, shared);
    let decided = scope.options.and_then(|options| options.decided.as_deref());
    Ok(match decided {
        Some(decided) => intent.with_approval(&decided.request),
        None => intent,
    })
}

/// Returns the arguments to store, and whether they are complete.
fn shown(kind: StoredArguments, value: Value, settings: &Settings) -> (Option<Value>, bool) {
    let (value, complete, limit) = match kind {
        StoredArguments::Redacted => (
            masked(value, settings.redactor.as_deref()),
            false,
            REDACTED_BYTES,
        ),
        StoredArguments::Plain => (value, true, PLAIN_BYTES),
    };
    let fits = value.to_string().len() <= limit;
    (fits.then_some(value), fits && complete)
}

/// Returns the result to store: the arguments are masked, because a later call has its own.
pub(in crate::dispatch) fn stored(result: &ToolResult, settings: &Settings) -> ToolResult {
    let mut stored = result.clone();
    let arguments = masked(
        stored.metadata.parameters.to_value(),
        settings.redactor.as_deref(),
    );
    let fits = arguments.to_string().len() <= REDACTED_BYTES;
    stored.metadata.parameters = if fits {
        ExecutedArguments::from(arguments)
    } else {
        ExecutedArguments::default()
    };
    stored.metadata.changes.clear();
    stored
}

/// Returns a result that exceeds the limit of the store, without its output.
pub(super) fn slim(result: &ToolResult) -> ToolResult {
    let mut slim = result.clone();
    let text = "The output of this call is too large for the ledger and was not stored.";
    slim.content = vec![ContentBlock::text(text)];
    slim.data = None;
    slim.metadata.extra = crate::Notes::default();
    slim.metadata.parameters = ExecutedArguments::default();
    slim
}

/// Returns the error of a build without digests, in which no ledger can be set.
fn without_digests() -> ToolError {
    ToolError::new(
        ErrorCode::LedgerUnavailable,
        "This call was not run, because this program has no digests for its ledger",
    )
    .with_retryable(false)
}
