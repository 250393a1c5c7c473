//! A call that holds its key in the ledger, and the data that the ledger stores about it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Settings;
use super::settings::Scope;
use super::stop::{cancelled_before_run, guarded};
use crate::approval::{canonical_json, sha256};
use crate::audit::masked;
use crate::ledger::{
    ArgumentCipher, CallKey, CipherError, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError,
    Settled, StoredArguments,
};
use crate::{ContentBlock, ExecutedArguments, RiskLevel, ToolError, ToolResult};

/// Timeout of an operation of the ledger.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Warning in the result of a call whose outcome is not stored.
const NOT_STORED: &str = "The outcome of this call could not be stored. A repeated call may report that its outcome is unknown.";

/// A call that holds its key until it is settled. Its drop settles a call that was dropped before.
pub(super) struct Claimed {
    ledger: Arc<dyn Ledger>,
    key: CallKey,
    token: LeaseToken,
    call_id: String,
    tool: String,
    /// Whether the tool may have run.
    pub(super) started: bool,
    settled: bool,
    renewal: JoinHandle<()>,
}

impl Claimed {
    pub(super) fn new(
        ledger: Arc<dyn Ledger>,
        key: CallKey,
        token: LeaseToken,
        lease: Duration,
        intent: Intent,
    ) -> Self {
        Self {
            renewal: tokio::spawn(renew(Arc::clone(&ledger), key.clone(), token, lease)),
            ledger,
            key,
            token,
            call_id: intent.call_id,
            tool: intent.tool,
            started: false,
            settled: false,
        }
    }

    /// Stores the outcome before the result is returned, or adds a warning to it.
    pub(super) async fn settle(mut self: Box<Self>, settings: &Settings, result: &mut ToolResult) {
        self.settled = true;
        let outcome = Settled::of(stored(result, settings));
        let (ledger, key, token) = (Arc::clone(&self.ledger), self.key.clone(), self.token);
        let settled = completed(async move {
            match ledger.settle(&key, token, &outcome).await {
                // The key must be settled anyway: a repeated call needs to know that this one took effect.
                Err(LedgerError::TooLarge { .. }) => {
                    let outcome = Settled::of(slim(outcome.result()));
                    ledger.settle(&key, token, &outcome).await
                }
                settled => settled,
            }
        });
        if let Err(error) = settled.await {
            let source = std::error::Error::source(&error).map(tracing::field::display);
            tracing::error!(key = %self.key, error = %error, source, "an outcome could not be stored");
            result.warnings.push(NOT_STORED.to_owned());
        }
    }

    /// Returns the outcome of a call that was dropped.
    fn dropped(&self) -> Settled {
        let error = if self.started {
            ToolError::outcome_unknown("The call was dropped while it ran")
        } else {
            cancelled_before_run()
        };
        let refused = ToolResult::refused(self.call_id.as_str(), self.tool.as_str(), error);
        Settled::of(refused)
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        self.renewal.abort();
        if self.settled {
            return;
        }
        // Without a runtime, the lease ends.
        if let Ok(runtime) = Handle::try_current() {
            let (ledger, outcome) = (Arc::clone(&self.ledger), self.dropped());
            let (key, token) = (self.key.clone(), self.token);
            drop(runtime.spawn(async move { ledger.settle(&key, token, &outcome).await }));
        }
    }
}

/// Runs an operation as a task, so that it completes even if the call is dropped, and a panic fails only the call.
pub(super) async fn completed<T: Send + 'static>(
    work: impl Future<Output = Result<T, LedgerError>> + Send + 'static,
) -> Result<T, LedgerError> {
    // In a separate task: a caller that is dropped must not interrupt a claim, or the key would stay taken.
    let runtime = Handle::try_current().map_err(LedgerError::unavailable)?;
    match timeout(TIMEOUT, runtime.spawn(work)).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(lost)) => Err(LedgerError::unavailable(lost)),
        Err(elapsed) => Err(LedgerError::unavailable(elapsed)),
    }
}

/// Renews a lease until the call ends or has lost it.
async fn renew(ledger: Arc<dyn Ledger>, key: CallKey, token: LeaseToken, lease: Duration) {
    loop {
        // Two renewals may fail before the lease ends.
        tokio::time::sleep(lease / 3).await;
        if let Err(error) = ledger.renew(&key, token, lease).await {
            tracing::warn!(%key, error = %error, "a lease could not be renewed");
            if matches!(error, LedgerError::LeaseLost) {
                return;
            }
        }
    }
}

/// Maximum bytes of stored arguments without secrets. Larger ones are omitted.
const REDACTED_BYTES: usize = 64 * 1024;
/// Maximum bytes of complete stored arguments.
const COMPLETE_BYTES: usize = 1024 * 1024;

/// Returns the facts about a call, without its arguments.
pub(super) fn intent_of(scope: Scope<'_, '_>, arguments: &Value, risk: RiskLevel) -> Intent {
    let (entry, shared) = (scope.entry, &scope.shared.settings);
    let tool = entry.name().as_str();
    let mut intent = Intent::new(tool, arguments, risk);
    let hints = entry.definition().hints();
    intent.repeatable = hints.read_only || hints.idempotent || risk == RiskLevel::ReadOnly;
    intent.definition_digest = Some(entry.digest().to_owned());
    scope.cx.call_id().clone_into(&mut intent.call_id);
    let parent = scope.options.and_then(|options| options.parent_id.clone());
    intent.by = shared.owner.clone().or(parent);
    intent.time = shared.now();
    let decided = scope.options.and_then(|options| options.decided.as_deref());
    match decided {
        Some(decided) => intent.with_approval(&decided.request),
        None => intent,
    }
}

/// Adds the arguments that the host stores.
pub(super) fn add_arguments(
    intent: &mut Intent,
    key: &CallKey,
    arguments: Value,
    settings: &Settings,
) -> Result<(), CipherError> {
    let kind = &settings.stored_arguments;
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
    // Large arguments would slow down every list of the ledger, and the digest identifies them.
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
    let is_own = sha256(text.as_bytes()) == intent.arguments_digest;
    let arguments = is_own.then(|| serde_json::from_str(&text).ok()).flatten();
    arguments.map(Some).ok_or(CipherError::Decrypt)
}

/// Returns the result to store: the arguments are masked, because a later call has its own.
pub(super) fn stored(result: &ToolResult, settings: &Settings) -> ToolResult {
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
    // Changes show the arguments that the model sent, which may contain secrets.
    stored.metadata.changes.clear();
    stored
}

/// Returns a result that exceeds the limit of the store, without its output.
fn slim(result: &ToolResult) -> ToolResult {
    let mut slim = result.clone();
    let text = "The output of this call is too large for the ledger and was not stored.";
    slim.content = vec![ContentBlock::text(text)];
    slim.data = None;
    slim.metadata.extra.clear();
    slim.metadata.parameters = ExecutedArguments::default();
    slim
}
