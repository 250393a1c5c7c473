//! Hosts whose PostgreSQL server is missing, restarted, read-only, full or newer while they run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;
use tool_core::ledger::{Ledger, LedgerState};
use tool_core::output_store::OutputStore;
use tool_ledger::PostgresLedger;

use crate::host::{Host, code, shown};
use crate::server::{OwnServer, connect};
use crate::setup::{LEASE, key, pay};
use crate::small_disk::{fill, small_disk};

/// A host and its server. The call `first` has succeeded.
struct Site {
    server: OwnServer,
    ledger: Arc<PostgresLedger>,
    host: Host,
}

impl Site {
    /// Starts a server; `None` if PostgreSQL is not installed.
    async fn start() -> Option<Self> {
        let server = OwnServer::start()?;
        let ledger = PostgresLedger::connect(server.url()).await.unwrap();
        let ledger = Arc::new(ledger);
        let host = Host::new(ledger.clone());
        assert!(host.call("first").await.success);
        Some(Self {
            server,
            ledger,
            host,
        })
    }

    /// Checks that calls with effects do not run.
    async fn assert_unavailable(&self, reason: &str) {
        let runs = self.host.runs();
        let (third, intent) = (key("third"), pay(5));
        // Both are repeated for seconds before they fail.
        let (result, error) = tokio::join!(
            self.host.call("second"),
            self.ledger.claim(&third, &intent, LEASE),
        );
        assert_eq!(code(&result), "ledger_unavailable", "{result}");
        assert_eq!(self.host.runs(), runs);
        let error = shown(&error.unwrap_err());
        assert!(error.contains(reason), "{error}");
    }

    /// Checks that the same host works again, and that no call ran twice.
    async fn assert_recovered(&self) {
        let first = self.host.until_success("first").await;
        assert!(first.metadata.extra.contains_key("stored_result_of"));
        let runs = self.host.runs();
        assert!(self.host.call("second").await.success);
        assert_eq!(self.host.runs(), runs + 1);
    }
}

#[tokio::test]
async fn missing_server_stops_calls_until_it_returns() {
    let Some(site) = Site::start().await else {
        return;
    };
    site.server.control(&["-m", "fast", "stop"]);
    site.assert_unavailable("connect").await;

    site.server.control(&["start"]);

    site.assert_recovered().await;
}

#[tokio::test]
async fn restarts_in_middle_of_calls_lose_and_repeat_nothing() {
    let Some(site) = Site::start().await else {
        return;
    };
    let waits = || json!({"how": "waits"});
    for (round, mode) in (1..).zip(["fast", "immediate"]) {
        let name = |number: u32| format!("{mode} {number}");
        let running = (0..8).map(|number| site.host.start(&name(number), waits()));
        let running: Vec<_> = running.collect();
        site.host.until_runs(9 * round).await;
        // These wait for the server.
        site.server.control(&["-m", mode, "stop"]);
        let late = site.host.start(&format!("{mode} late"), json!({}));
        sleep(Duration::from_millis(300)).await;
        (0..8).for_each(|_| site.host.permit());
        site.server.control(&["start"]);

        for (number, call) in (0..).zip(running) {
            let result = call.await;
            assert!(result.success && result.warnings.is_empty(), "{result:?}");
            let entry = site.ledger.find(&key(&name(number))).await.unwrap();
            assert_eq!(entry.unwrap().state, LedgerState::Done);
        }
        assert!(late.await.success);
    }
    let again = site.host.start("immediate 0", waits()).await;
    assert!(again.success);
    assert_eq!(site.host.runs(), 1 + 2 * 9);
}

#[tokio::test]
async fn read_only_server_stops_calls_until_it_is_writable() {
    let Some(site) = Site::start().await else {
        return;
    };
    let admin = connect(site.server.url()).await;
    // Sessions keep this setting after it is removed, as they do after a failover.
    let read_only = "ALTER ROLE postgres SET default_transaction_read_only = on;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
    admin.batch_execute(read_only).await.unwrap();
    site.assert_unavailable("read-only transaction").await;

    let reset = "ALTER ROLE postgres RESET default_transaction_read_only";
    admin.batch_execute(reset).await.unwrap();

    site.assert_recovered().await;
}

#[tokio::test]
async fn newer_schema_stops_calls_until_it_is_removed() {
    let Some(site) = Site::start().await else {
        return;
    };
    let admin = connect(site.server.url()).await;
    let insert = "INSERT INTO ledger_schema VALUES (99, now())";
    admin.batch_execute(insert).await.unwrap();
    site.assert_unavailable("schema version 99").await;

    let delete = "DELETE FROM ledger_schema WHERE version = 99";
    admin.batch_execute(delete).await.unwrap();

    site.assert_recovered().await;
}

#[tokio::test]
async fn full_disk_stops_calls_until_space_returns() {
    let name = "server_faults::full_disk_stops_calls_until_space_returns";
    let Some(disk) = small_disk(name, "8m", &[]) else {
        return;
    };
    let Some(site) = Site::start().await else {
        return;
    };
    fs::set_permissions(&disk, fs::Permissions::from_mode(0o777)).unwrap();
    let admin = connect(site.server.url()).await;
    // The directory of a tablespace belongs to the server. The program reads its input, because the server fails if it
    // ends before.
    let copy = format!(
        "COPY (SELECT 1) TO PROGRAM 'cat >/dev/null && mkdir -m 700 {0}/calls'",
        disk.display()
    );
    let space = format!(
        "CREATE TABLESPACE small LOCATION '{}/calls'",
        disk.display()
    );
    for statement in [
        &copy,
        &space,
        "ALTER TABLE ledger_calls SET TABLESPACE small",
    ] {
        admin.batch_execute(statement).await.unwrap();
    }
    let ballast = fill(&disk);
    // The last page of the table has space for some calls.
    let mut claimed = Ok(());
    for number in 0..200 {
        let key = key(&format!("call {number}"));
        claimed = site.ledger.claim(&key, &pay(5), LEASE).await.map(drop);
        if claimed.is_err() {
            break;
        }
    }
    let error = shown(&claimed.unwrap_err());
    assert!(error.contains("No space left on device"), "{error}");
    site.assert_unavailable("No space left on device").await;

    fs::remove_file(ballast).unwrap();

    site.assert_recovered().await;
}

#[tokio::test]
async fn errors_of_server_contain_no_stored_data() {
    let Some(site) = Site::start().await else {
        return;
    };
    let admin = connect(site.server.url()).await;
    let limit = "ALTER TABLE ledger_outputs ADD CHECK (handle = '')";
    admin.batch_execute(limit).await.unwrap();

    let error = site.ledger.put("tango-8861".into()).await.unwrap_err();

    let error = format!("{} {error:?}", shown(&error));
    assert!(error.contains("violates check constraint"), "{error}");
    for data in ["tango", "74616e676f", "Failing row"] {
        assert!(!error.contains(data), "{error}");
    }
}
