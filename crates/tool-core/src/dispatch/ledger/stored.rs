//! Data of a call in the ledger, without secrets.

use serde_json::Value;

use super::super::guard::guarded;
use super::super::scope::Scope;
use super::super::{LedgerSettings, Settings};
use crate::approval::canonical_json;
use crate::audit::masked;
use crate::digest::sha256;
use crate::ledger::{ArgumentCipher, CallKey, CipherError, Intent, LedgerEntry, StoredArguments};
use crate::result::ExecutedArguments;
use crate::{ContentBlock, ErrorCode, RiskLevel, ToolError, ToolResult};

/// Maximum bytes of stored arguments without secrets. Larger ones are omitted.
const REDACTED_BYTES: usize = 64 * 1024;
/// Maximum bytes of complete stored arguments.
const COMPLETE_BYTES: usize = 1024 * 1024;

/// Returns the facts about a call, without its arguments.
pub(super) fn intent_of(
    settings: &LedgerSettings,
    scope: Scope<'_, '_>,
    arguments: &Value,
    risk: RiskLevel,
) -> Result<Intent, ToolError> {
    let (entry, shared) = (scope.entry, &scope.shared.settings);
    let tool = entry.name().as_str();
    let mut intent = Intent::new(tool, arguments, risk).ok_or_else(without_digests)?;
    let hints = entry.definition().hints();
    intent.repeatable = hints.read_only || hints.idempotent || risk == RiskLevel::ReadOnly;
    intent.definition_digest = entry.digest();
    scope.cx.call_id().clone_into(&mut intent.call_id);
    let parent = scope.options.and_then(|options| options.parent_id.clone());
    intent.by = settings.owner.clone().or(parent);
    intent.time = shared.now();
    let decided = scope.options.and_then(|options| options.decided.as_deref());
    Ok(match decided {
        Some(decided) => intent.with_approval(&decided.request),
        None => intent,
    })
}

/// Adds the arguments that the host stores.
pub(super) fn add_arguments(
    intent: &mut Intent,
    kind: &StoredArguments,
    key: &CallKey,
    arguments: Value,
    settings: &Settings,
) -> Result<(), CipherError> {
    if let StoredArguments::Encrypted(cipher) = kind {
        intent.encrypted = encrypted(cipher.as_ref(), key, &arguments)?;
    }
    intent.complete = matches!(kind, StoredArguments::Plain);
    let (shown, limit) = if intent.complete {
        (arguments, COMPLETE_BYTES)
    } else {
        let masked = masked(arguments, settings.redactor.as_deref());
        (masked, REDACTED_BYTES)
    };
    let fits = shown.to_string().len() <= limit;
    intent.complete &= fits;
    intent.arguments = fits.then_some(shown);
    Ok(())
}

/// Encrypts arguments in the form of which the intent has a digest.
fn encrypted(
    cipher: &dyn ArgumentCipher,
    key: &CallKey,
    arguments: &Value,
) -> Result<Option<String>, CipherError> {
    let text = canonical_json(arguments);
    if text.len() > COMPLETE_BYTES {
        return Ok(None);
    }
    let encrypted = guarded(|| Ok(cipher.encrypt(key, &text)));
    encrypted.unwrap_or(Err(CipherError::Encrypt)).map(Some)
}

/// Returns the arguments of an entry. Encrypted ones must be genuine and match the digest of the intent.
pub(super) fn arguments_of(
    entry: &LedgerEntry,
    kind: &StoredArguments,
) -> Result<Option<Value>, CipherError> {
    let intent = &entry.intent;
    let Some(encrypted) = &intent.encrypted else {
        return Ok(intent.arguments.clone());
    };
    // Masked arguments do not replace them: a tool that does not find them could report that the call did not happen.
    let StoredArguments::Encrypted(cipher) = kind else {
        return Err(CipherError::Decrypt);
    };
    let text = guarded(|| Ok(cipher.decrypt(&entry.key, encrypted)));
    let text = text.unwrap_or(Err(CipherError::Decrypt))?;
    let is_own = sha256(text.as_bytes()).as_ref() == Some(&intent.arguments_digest);
    let arguments = is_own.then(|| serde_json::from_str(&text).ok()).flatten();
    arguments.map(Some).ok_or(CipherError::Decrypt)
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
pub(in crate::dispatch) fn slim(result: &ToolResult) -> ToolResult {
    let mut slim = result.clone();
    let text = "The output of this call is too large for the ledger and was not stored.";
    slim.content = vec![ContentBlock::text(text)];
    slim.data = None;
    slim.metadata.extra.clear();
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
