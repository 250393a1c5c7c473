//! A claimed call: its lease, and its outcome.

mod stored;

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub(super) use self::stored::{add_arguments, arguments_of, intent_of, stored};

use self::stored::slim;
use super::stop::cancelled_before_run;
use super::{LedgerSettings, Settings};
use crate::ledger::{
    CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError, Settled,
};
use crate::{ToolError, ToolResult};

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

/// Reads the entry of a key.
pub(super) async fn ask(
    settings: &LedgerSettings,
    key: CallKey,
) -> Result<Option<LedgerEntry>, LedgerError> {
    let ledger = Arc::clone(&settings.ledger);
    finished(async move { ledger.find(&key).await }).await
}

/// Claims a key. A claim that completes after its call was dropped is released.
pub(super) async fn claim(
    settings: &LedgerSettings,
    key: CallKey,
    intent: Intent,
) -> Result<Result<Box<Claimed>, Claim>, LedgerError> {
    let (ledger, lease) = (Arc::clone(&settings.ledger), settings.lease);
    finished(async move {
        let claim = ledger.claim(&key, &intent, lease).await?;
        Ok(match claim {
            Claim::New(token) => Ok(Box::new(Claimed {
                renewal: tokio::spawn(renew(Arc::clone(&ledger), key.clone(), token, lease)),
                ledger,
                key,
                token,
                call_id: intent.call_id,
                tool: intent.tool,
                started: false,
                settled: false,
            })),
            other => Err(other),
        })
    })
    .await
}

/// Runs an operation as a task, so that it completes even if the call is dropped, and a panic fails only the call.
async fn finished<T: Send + 'static>(
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
        // Two renewals may fail before the lease expires.
        tokio::time::sleep(lease / 3).await;
        if let Err(error) = ledger.renew(&key, token, lease).await {
            tracing::warn!(%key, error = %error, "a lease could not be renewed");
            if matches!(error, LedgerError::LeaseLost) {
                return;
            }
        }
    }
}

impl Claimed {
    /// Stores the outcome before the result is returned, or adds a warning to it.
    pub(super) async fn settle(mut self: Box<Self>, settings: &Settings, result: &mut ToolResult) {
        self.settled = true;
        let outcome = Settled::of(stored(result, settings));
        let (ledger, key, token) = (Arc::clone(&self.ledger), self.key.clone(), self.token);
        let settled = finished(async move {
            match ledger.settle(&key, token, &outcome).await {
                // Without an outcome, a call that has succeeded would become unknown.
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
            // Not an error: the tool has run, and its result is known here.
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
