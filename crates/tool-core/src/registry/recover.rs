//! Recovery of calls with an unknown outcome.

use super::Registry;
use crate::dispatch::recover;
use crate::ledger::{LedgerError, Recovery};

impl Registry {
    /// Asks the tools about the calls of `scope` whose outcome is unknown ([`Tool::verify`](crate::Tool::verify)), and
    /// settles those that are known. Returns all of them; none without a ledger.
    ///
    /// Call it after a restart. A call that did not take effect may run again afterwards, so the process that ran it must
    /// have exited, or its tool must not report [`DidNotHappen`](crate::ledger::Verified::DidNotHappen) while it may run.
    ///
    /// # Errors
    /// Returns [`LedgerError`] if the ledger cannot be read or written.
    pub async fn recover(&self, scope: &str) -> Result<Recovery, LedgerError> {
        recover(&self.base.shared, &self.tools(None), scope).await
    }
}
