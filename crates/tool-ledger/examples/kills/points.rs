//! Labelled points of a call, at one of which the process is killed.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rustix::process::{Signal, getpid, kill_process};
use tool_core::ledger::{
    CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError, LedgerFilter, Page,
    Settled,
};

/// Points of a call, in order. The process is killed in the middle of an operation at the points that begin with `in`.
pub(crate) const POINTS: [&str; 15] = [
    "start",
    "before_claim",
    "in_claim",
    "after_claim",
    "tool_start",
    "before_effect",
    "after_effect",
    "before_renew",
    "in_renew",
    "after_renew",
    "tool_end",
    "before_settle",
    "in_settle",
    "after_settle",
    "after_result",
];

/// The point at which this process is killed.
#[derive(Clone)]
pub(crate) struct Point(Arc<str>);

impl Point {
    pub(crate) fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// Returns `true` if the tool must run until its lease is renewed.
    pub(crate) fn waits_for_renewal(&self) -> bool {
        self.0.ends_with("_renew")
    }

    /// Kills the process at this point.
    pub(crate) fn reach(&self, name: &str) {
        if &*self.0 == name {
            kill();
        }
    }

    /// Kills the process at its end, which it can reach before it is killed in the middle of an operation.
    pub(crate) fn end(&self) {
        if self.0.starts_with("in_") {
            std::thread::sleep(Duration::from_secs(10));
        }
        self.reach("after_result");
    }

    /// Kills the process up to 3 ms later.
    fn reach_soon(&self, name: &str) {
        if &*self.0 == name {
            let delay = Duration::from_micros(u64::from(std::process::id()) * 7919 % 3000);
            std::thread::spawn(move || {
                std::thread::sleep(delay);
                kill();
            });
        }
    }
}

fn kill() {
    // Nothing runs after a successful call.
    let _ = kill_process(getpid(), Signal::KILL);
    std::thread::sleep(Duration::from_secs(10));
}

/// A ledger with points before, in and after its operations.
pub(crate) struct Pointed {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) point: Point,
}

#[async_trait]
impl Ledger for Pointed {
    async fn claim(
        &self,
        key: &CallKey,
        intent: &Intent,
        lease: Duration,
    ) -> Result<Claim, LedgerError> {
        self.point.reach("before_claim");
        self.point.reach_soon("in_claim");
        let claim = self.ledger.claim(key, intent, lease).await;
        self.point.reach("after_claim");
        claim
    }

    async fn renew(
        &self,
        key: &CallKey,
        token: LeaseToken,
        lease: Duration,
    ) -> Result<(), LedgerError> {
        self.point.reach("before_renew");
        self.point.reach_soon("in_renew");
        let renewed = self.ledger.renew(key, token, lease).await;
        self.point.reach("after_renew");
        renewed
    }

    async fn settle(
        &self,
        key: &CallKey,
        token: LeaseToken,
        outcome: &Settled,
    ) -> Result<(), LedgerError> {
        self.point.reach("before_settle");
        self.point.reach_soon("in_settle");
        let settled = self.ledger.settle(key, token, outcome).await;
        self.point.reach("after_settle");
        settled
    }

    async fn find(&self, key: &CallKey) -> Result<Option<LedgerEntry>, LedgerError> {
        self.ledger.find(key).await
    }

    async fn list(
        &self,
        filter: &LedgerFilter,
        page: Page,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        self.ledger.list(filter, page).await
    }

    async fn prune(&self, age: Duration) -> Result<u64, LedgerError> {
        self.ledger.prune(age).await
    }
}
