//! Ledgers that are unavailable.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;
use tool_core::ledger::{CallKey, Ledger, LedgerState};
use tool_core::{CallOptions, ToolCall};
use tool_ledger::SqliteLedger;
use tool_remote::RemoteTools;

use crate::postgres::OwnServer;
use crate::server::Server;
use crate::site::Site;
use crate::tools::{Runs, caller, code, count, permissive, until, worker};

/// A ledger that is unavailable while the flag is set.
struct Flaky {
    ledger: SqliteLedger,
    is_away: std::sync::atomic::AtomicBool,
    /// Whether no outcome can be stored.
    forgets: std::sync::atomic::AtomicBool,
}

impl Flaky {
    fn check(&self) -> Result<(), tool_core::ledger::LedgerError> {
        if self.is_away.load(std::sync::atomic::Ordering::SeqCst) {
            return Err(tool_core::ledger::LedgerError::unavailable(
                "the database is away",
            ));
        }
        Ok(())
    }
}

mod flaky {
    use std::time::Duration;

    use async_trait::async_trait;
    use tool_core::ledger::{
        CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError, LedgerFilter, Page,
        Settled,
    };

    #[async_trait]
    impl Ledger for super::Flaky {
        async fn claim(
            &self,
            key: &CallKey,
            intent: &Intent,
            lease: Duration,
        ) -> Result<Claim, LedgerError> {
            self.check()?;
            self.ledger.claim(key, intent, lease).await
        }

        async fn renew(
            &self,
            key: &CallKey,
            token: LeaseToken,
            lease: Duration,
        ) -> Result<(), LedgerError> {
            self.check()?;
            self.ledger.renew(key, token, lease).await
        }

        async fn settle(
            &self,
            key: &CallKey,
            token: LeaseToken,
            outcome: &Settled,
        ) -> Result<(), LedgerError> {
            self.check()?;
            if self.forgets.load(std::sync::atomic::Ordering::SeqCst) {
                return Err(LedgerError::unavailable("the disk is full"));
            }
            self.ledger.settle(key, token, outcome).await
        }

        async fn find(&self, key: &CallKey) -> Result<Option<LedgerEntry>, LedgerError> {
            self.check()?;
            self.ledger.find(key).await
        }

        async fn list(
            &self,
            filter: &LedgerFilter,
            page: Page,
        ) -> Result<Vec<LedgerEntry>, LedgerError> {
            self.check()?;
            self.ledger.list(filter, page).await
        }

        async fn prune(&self, age: Duration) -> Result<u64, LedgerError> {
            self.check()?;
            self.ledger.prune(age).await
        }
    }
}

#[tokio::test]
async fn call_waits_for_ledger_and_then_fails() {
    let Some(server) = Server::start().await else {
        return;
    };
    let runs = Runs::default();
    let flaky = Arc::new(Flaky {
        ledger: SqliteLedger::in_memory().unwrap(),
        is_away: true.into(),
        forgets: false.into(),
    });
    let registry = crate::tools::builder(&runs).ledger(flaky.clone()).build();
    let _worker = worker(&server, registry).start().await.unwrap();
    let (caller, _remote) = caller(&server).await;

    let result = caller.execute("pay", json!({})).await;
    assert_eq!(code(&result), "ledger_unavailable", "{result}");
    assert!(result.error.unwrap().retryable);
    assert_eq!(count(&runs), 0);

    let call = ToolCall::new("pay", json!({"text": "a"}));
    let running = caller.spawn(call, CallOptions::default());
    sleep(Duration::from_millis(300)).await;
    flaky
        .is_away
        .store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(running.await.to_string(), "a");
    assert_eq!(count(&runs), 1);
}

#[tokio::test]
async fn call_without_stored_outcome_runs_once() {
    let Some(server) = Server::start().await else {
        return;
    };
    let runs = Runs::default();
    let flaky = Arc::new(Flaky {
        ledger: SqliteLedger::in_memory().unwrap(),
        is_away: false.into(),
        forgets: true.into(),
    });
    let registry = crate::tools::builder(&runs).ledger(flaky.clone()).build();
    let _worker = worker(&server, registry).start().await.unwrap();
    let caller = permissive();
    let remote = RemoteTools::builder(server.options()).scope("run-7");
    let _remote = remote.connect(&caller).await.unwrap();
    let call = ToolCall::new("pay", json!({"text": "a"})).with_id("1");

    let result = caller.execute_call(&call, &CallOptions::default()).await;
    assert!(result.success && !result.warnings.is_empty(), "{result}");

    // The call is delivered again, and leaves the queue as unknown.
    let context = server.stream().await;
    let stream = context.get_stream("TOOLS_default").await.unwrap();
    until("the call leaves the queue", async || {
        stream.get_info().await.unwrap().state.messages == 0
    })
    .await;
    let entry = flaky
        .find(&CallKey::new("remote/default/run-7", "1"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(entry.state, LedgerState::Unknown);
    assert_eq!(count(&runs), 1);
}

#[tokio::test]
async fn missing_database_stops_calls_until_it_returns() {
    let Some(database) = OwnServer::start() else {
        return;
    };
    let Some(site) = Site::over_server(database.url()).await else {
        return;
    };
    assert!(site.call("pay", json!({})).await.success);
    database.control(&["-m", "fast", "stop"]);

    let result = site.call("pay", json!({})).await;
    assert_eq!(code(&result), "ledger_unavailable", "{result}");
    assert_eq!(count(&site.runs), 1);
    // Calls that only read do not use the ledger.
    assert!(site.call("look", json!({})).await.success);

    database.control(&["start"]);
    let result = site.call("pay", json!({"text": "a"})).await;
    assert_eq!(result.to_string(), "a", "{result:?}");
    assert_eq!(count(&site.runs), 3);
}

#[tokio::test]
async fn restarted_database_loses_and_repeats_no_call() {
    let Some(database) = OwnServer::start() else {
        return;
    };
    let Some(site) = Site::over_server(database.url()).await else {
        return;
    };
    let another = site.another_worker().await;
    for (round, mode) in (1..).zip(["fast", "immediate"]) {
        let calls = (0..8).map(|number| {
            let arguments = json!({"text": number.to_string(), "milliseconds": 500});
            let call = ToolCall::new("pay", arguments);
            site.caller.spawn(call, CallOptions::default())
        });
        let calls: Vec<_> = calls.collect();
        until("a tool starts", async || {
            count(&site.runs) > 8 * (round - 1)
        })
        .await;

        database.control(&["-m", mode, "restart"]);

        for (number, call) in calls.into_iter().enumerate() {
            let result = call.await;
            assert_eq!(result.to_string(), number.to_string(), "{mode}: {result:?}");
        }
        assert_eq!(count(&site.runs), 8 * round, "{mode}");
    }
    another.stop(Duration::from_secs(10)).await;
}
