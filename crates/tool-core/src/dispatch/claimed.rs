//! A call that holds its key in the ledger.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Settings;
use super::ledger::stored::{slim, stored};
use super::stop::cancelled_before_run;
use crate::ledger::{CallKey, Intent, LeaseToken, Ledger, LedgerError, Settled};
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

/// Runs an operation as a task, so that it completes even if the call is dropped, and a panic fails only the call.
pub(super) async fn completed<T: Send + 'static>(
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
