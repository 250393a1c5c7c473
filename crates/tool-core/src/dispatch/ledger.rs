//! The ledger: a call claims its key between steps 6 and 7, and settles it with its result in step 10.

mod recover;
mod replay;
mod stored;

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub(crate) use self::recover::recover;

use self::replay::{differs, replay, unavailable};
use self::stored::{add_arguments, intent_of, slim, stored};
use super::record::Record;
use super::scope::Scope;
use super::stop::cancelled_before_run;
use super::{LedgerSettings, Settings};
use crate::call::next_id;
use crate::catalog::Entry;
use crate::ledger::{CallKey, Claim, LeaseToken, Ledger, LedgerError, Settled};
use crate::{Arguments, CallOptions, CallPlan, RiskLevel, ToolError, ToolResult};

/// Timeout of an operation of the ledger.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Warning in the result of a call whose outcome is not stored.
const NOT_STORED: &str = "The outcome of this call could not be stored. A repeated call may report that its outcome is unknown.";

/// Returns the settings of the ledger if a call of this risk uses it.
#[inline]
pub(super) fn of<'c>(scope: Scope<'c, '_>, risk: RiskLevel) -> Option<&'c LedgerSettings> {
    let settings = scope.shared.settings.ledger.as_deref()?;
    let has_effect = may_claim(scope.entry, scope.options) && risk != RiskLevel::ReadOnly;
    (has_effect || has_key(scope.options)).then_some(settings)
}

/// Looks up a call that requires approval, so that a settled call does not request it again. Returns `true` if the record
/// contains the stored result.
pub(super) async fn look_up<'c>(
    settings: &LedgerSettings,
    scope: Scope<'c, '_>,
    arguments: &Arguments<'_>,
    plan: &CallPlan,
    record: &mut Record<'c, '_>,
) -> Result<bool, ToolError> {
    record.is_delayed = true;
    let intent = intent_of(settings, scope, &arguments.to_value(), plan.risk)?;
    let (key, ledger) = (key_of(scope, plan)?, Arc::clone(&settings.ledger));
    let found = completed(async move { ledger.find(&key).await }).await;
    match found
        .map_err(unavailable)?
        .and_then(|entry| entry.answer(&intent))
    {
        Some(claim) => replay(scope, claim, record).map(|()| true),
        None => Ok(false),
    }
}

/// Claims the key of a call that may run. Returns `true` if the record contains the stored result, so that it does not run.
pub(super) async fn claim<'c>(
    settings: &LedgerSettings,
    scope: Scope<'c, '_>,
    arguments: &Arguments<'_>,
    plan: &CallPlan,
    record: &mut Record<'c, '_>,
) -> Result<bool, ToolError> {
    record.is_delayed = true;
    let key = key_of(scope, plan)?;
    let arguments = arguments.to_value();
    let mut intent = intent_of(settings, scope, &arguments, plan.risk)?;
    let (kind, shared) = (&settings.arguments, &scope.shared.settings);
    add_arguments(&mut intent, kind, &key, arguments, shared)
        .map_err(|error| unavailable(LedgerError::unavailable(error)))?;
    let (ledger, lease) = (Arc::clone(&settings.ledger), settings.lease);
    // The claim of a call that was dropped in the meantime is released by the drop of `Claimed`.
    let claimed = completed(async move {
        let claim = ledger.claim(&key, &intent, lease).await?;
        let Claim::New(token) = claim else {
            return Ok(Err(claim));
        };
        Ok(Ok(Box::new(Claimed {
            renewal: tokio::spawn(renew(Arc::clone(&ledger), key.clone(), token, lease)),
            ledger,
            key,
            token,
            call_id: intent.call_id,
            tool: intent.tool,
            started: false,
            settled: false,
        })))
    });
    match claimed.await.map_err(unavailable)? {
        Ok(claimed) => {
            record.claimed = Some(claimed);
            Ok(false)
        }
        Err(claim) => replay(scope, claim, record).map(|()| true),
    }
}

/// Returns `true` if a call may use the ledger: it may have an effect, or the host set its key.
#[inline]
pub(super) fn may_claim(entry: &Entry, options: Option<&CallOptions>) -> bool {
    !entry.definition().hints().read_only || has_key(options)
}

fn has_key(options: Option<&CallOptions>) -> bool {
    options.is_some_and(|options| options.call_key.is_some())
}

/// Returns the key of a decided request or of the host, which is known before the arguments are checked.
pub(super) fn key_of_host(options: Option<&CallOptions>) -> OnceLock<CallKey> {
    let requested = || options?.decided.as_deref()?.request.call_key.clone();
    let of_host = || {
        let key = options?.call_key.as_ref()?;
        Some(CallKey::new(space_of(options), key))
    };
    requested()
        .or_else(of_host)
        .map_or_else(OnceLock::new, OnceLock::from)
}

/// Returns the scope of the host, else the default.
fn space_of(options: Option<&CallOptions>) -> &str {
    let space = options.and_then(|options| options.scope.as_deref());
    space.unwrap_or(CallKey::DEFAULT_SCOPE)
}

/// Returns the key of the call, which never changes: the context keeps it.
///
/// # Errors
/// Fails if the approver edited the arguments from which the tool derived the key.
fn key_of(scope: Scope<'_, '_>, plan: &CallPlan) -> Result<CallKey, ToolError> {
    let options = scope.options;
    let own = plan.once.as_deref();
    let own = own.map(|own| format!("{}:{own}", scope.entry.name()));
    if let Some(known) = scope.cx.call_key() {
        // A key of the host does not depend on the arguments.
        let is_same = own.is_none_or(|own| own == known.key) || has_key(options);
        return is_same.then(|| known.clone()).ok_or_else(differs);
    }
    let has_space = options.is_some_and(|options| options.scope.is_some());
    let key = match own {
        Some(own) => own,
        None if has_space => scope.cx.call_id().to_owned(),
        None => random_key(),
    };
    let key = CallKey::new(space_of(options), key);
    scope.cx.set_call_key(key.clone());
    Ok(key)
}

/// Returns a key that no other call has: the hash keys of the standard library are random.
fn random_key() -> String {
    let id = next_id();
    let bits = RandomState::new().hash_one(id.as_str());
    format!("{id}-{bits:016x}")
}

/// Runs an operation as a task, so that it completes even if the call is dropped, and a panic fails only the call.
async fn completed<T: Send + 'static>(
    work: impl Future<Output = Result<T, LedgerError>> + Send + 'static,
) -> Result<T, LedgerError> {
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
        tokio::time::sleep(lease / 3).await;
        if let Err(error) = ledger.renew(&key, token, lease).await {
            tracing::warn!(%key, error = %error, "a lease could not be renewed");
            if matches!(error, LedgerError::LeaseLost) {
                return;
            }
        }
    }
}

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
    /// Stores the outcome before the result is returned, or adds a warning to it.
    pub(super) async fn settle(mut self: Box<Self>, settings: &Settings, result: &mut ToolResult) {
        self.settled = true;
        let outcome = Settled::of(stored(result, settings));
        let (ledger, key, token) = (Arc::clone(&self.ledger), self.key.clone(), self.token);
        let settled = completed(async move {
            match ledger.settle(&key, token, &outcome).await {
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
        let result = ToolResult::refused(self.call_id.as_str(), self.tool.as_str(), error);
        if self.started {
            Settled::Unknown(Box::new(result))
        } else {
            Settled::FailedWithoutEffect(Box::new(result))
        }
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

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
