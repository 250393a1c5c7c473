//! Hosts whose SQLite file is missing, read-only, full or newer while they run.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use serde_json::json;
use tempfile::{TempDir, tempdir};
use tool_core::ledger::{Ledger, LedgerState};
use tool_ledger::SqliteLedger;

use crate::host::{Host, code, shown};
use crate::setup::{LEASE, key, pay};
use crate::small_disk::{fill, small_disk};

/// A host and its file. The call `first` has succeeded.
struct Site {
    directory: TempDir,
    ledger: Arc<SqliteLedger>,
    host: Host,
}

impl Site {
    async fn start() -> Self {
        let directory = tempdir().unwrap();
        let ledger = SqliteLedger::open(directory.path().join("calls")).await;
        let ledger = Arc::new(ledger.unwrap());
        let host = Host::new(ledger.clone());
        assert!(host.call("first").await.success);
        Self {
            directory,
            ledger,
            host,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Moves all data from the write-ahead log to the file.
    fn checkpoint(&self) {
        let connection = Connection::open(self.path("calls")).unwrap();
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        connection.query_row(checkpoint, (), |_| Ok(())).unwrap();
    }

    /// Replaces the file by another one, such as a restored backup.
    fn replace_by(&self, name: &str) {
        for log in ["calls-wal", "calls-shm"] {
            let _ = fs::remove_file(self.path(log));
        }
        fs::rename(self.path(name), self.path("calls")).unwrap();
    }

    /// Checks that calls with effects do not run.
    async fn assert_unavailable(&self, reason: &str) {
        let runs = self.host.runs();
        let result = self.host.call("second").await;
        assert_eq!(code(&result), "ledger_unavailable", "{result}");
        // Its stored result may still be readable.
        self.host.call("first").await;
        assert_eq!(self.host.runs(), runs);
        let error = self.ledger.claim(&key("third"), &pay(5), LEASE).await;
        let error = shown(&error.unwrap_err());
        assert!(error.contains(reason), "{error}");
    }

    /// Checks that the same host works again, and that no call ran twice.
    async fn assert_recovered(&self) {
        let first = self.host.call("first").await;
        assert!(first.success, "{first}");
        assert!(first.metadata.extra.contains_key("stored_result_of"));
        let runs = self.host.runs();
        assert!(self.host.call("second").await.success);
        assert_eq!(self.host.runs(), runs + 1);
    }
}

#[tokio::test]
async fn missing_file_stops_calls_until_it_returns() {
    let site = Site::start().await;
    site.checkpoint();
    fs::rename(site.path("calls"), site.path("away")).unwrap();
    site.assert_unavailable("unable to open").await;

    site.replace_by("away");

    site.assert_recovered().await;
}

#[tokio::test]
async fn missing_file_during_call_is_warning() {
    let site = Site::start().await;
    let running = site.host.start("second", json!({"how": "waits"}));
    site.host.until_runs(2).await;
    site.checkpoint();
    fs::rename(site.path("calls"), site.path("away")).unwrap();
    site.host.permit();

    let result = running.await;
    assert!(result.success && !result.warnings.is_empty(), "{result:?}");
    site.replace_by("away");

    let again = site.host.start("second", json!({"how": "waits"})).await;
    assert_eq!(code(&again), "in_progress", "{again}");
    assert_eq!(site.host.runs(), 2);
}

/// Drops the permission of root to write read-only files, in this thread and the threads that it starts.
#[cfg(target_os = "linux")]
fn respect_permissions() {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

    let mut own = capabilities(None).unwrap();
    own.effective -= CapabilitySet::DAC_OVERRIDE;
    set_capabilities(None, own).unwrap();
}

#[cfg(not(target_os = "linux"))]
fn respect_permissions() {}

fn set_read_only(path: &Path, is_read_only: bool) {
    let mut permissions = fs::metadata(path).unwrap().permissions();
    permissions.set_readonly(is_read_only);
    fs::set_permissions(path, permissions).unwrap();
}

#[tokio::test]
async fn read_only_file_cannot_be_opened() {
    respect_permissions();
    let site = Site::start().await;
    site.checkpoint();
    fs::copy(site.path("calls"), site.path("copy")).unwrap();
    set_read_only(&site.path("copy"), true);

    let error = SqliteLedger::open(site.path("copy")).await.unwrap_err();

    let error = shown(&error);
    assert!(error.contains("read-only"), "{error}");
}

#[tokio::test]
async fn read_only_file_stops_calls_until_it_is_writable() {
    respect_permissions();
    let site = Site::start().await;
    site.checkpoint();
    fs::copy(site.path("calls"), site.path("copy")).unwrap();
    set_read_only(&site.path("copy"), true);
    site.replace_by("copy");
    site.assert_unavailable("readonly database").await;

    // Its logs have the permissions of the file.
    for name in ["calls", "calls-wal", "calls-shm"] {
        if site.path(name).exists() {
            set_read_only(&site.path(name), false);
        }
    }

    site.assert_recovered().await;
}

#[tokio::test]
async fn newer_schema_stops_calls_until_it_is_removed() {
    let site = Site::start().await;
    let newer = Connection::open(site.path("calls")).unwrap();
    let insert = "INSERT INTO ledger_schema (version, applied_at) VALUES (99, 0)";
    newer.execute(insert, ()).unwrap();
    site.assert_unavailable("schema version 99").await;

    let delete = "DELETE FROM ledger_schema WHERE version = 99";
    newer.execute(delete, ()).unwrap();

    site.assert_recovered().await;
}

#[tokio::test]
async fn newer_file_stops_calls_until_it_is_replaced() {
    let site = Site::start().await;
    site.checkpoint();
    for name in ["newer", "older"] {
        fs::copy(site.path("calls"), site.path(name)).unwrap();
    }
    let insert = "INSERT INTO ledger_schema (version, applied_at) VALUES (99, 0)";
    let newer = Connection::open(site.path("newer")).unwrap();
    newer.execute(insert, ()).unwrap();
    drop(newer);
    site.replace_by("newer");
    site.assert_unavailable("schema version 99").await;

    site.replace_by("older");

    site.assert_recovered().await;
}

#[tokio::test]
async fn full_disk_stops_calls_until_space_returns() {
    let name = "file_faults::full_disk_stops_calls_until_space_returns";
    let Some(disk) = small_disk(name, "1m", &["--map-root-user"]) else {
        return;
    };
    let ledger = Arc::new(SqliteLedger::open(disk.join("calls")).await.unwrap());
    let host = Host::new(ledger.clone());
    // The outcome needs more space than the claim.
    let large = |how: &str| json!({"how": how, "text": "x".repeat(50_000)});
    let running = host.start("running", large("waits"));
    host.until_runs(1).await;
    let ballast = fill(&disk);

    let result = host.start("second", large("pays")).await;
    assert_eq!(code(&result), "ledger_unavailable", "{result}");
    assert_eq!(host.runs(), 1);
    let error = ledger.claim(&key("third"), &large_intent(), LEASE).await;
    let error = shown(&error.unwrap_err());
    assert!(error.contains("disk is full"), "{error}");
    host.permit();
    let late = running.await;
    assert!(late.success && !late.warnings.is_empty(), "{late:?}");

    fs::remove_file(ballast).unwrap();
    assert!(host.start("second", large("pays")).await.success);
    let again = host.start("running", large("waits")).await;
    assert_eq!(code(&again), "in_progress", "{again}");
    assert_eq!(host.runs(), 2);
    let entry = ledger.find(&key("running")).await.unwrap().unwrap();
    assert_eq!(entry.state, LedgerState::Running);
}

fn large_intent() -> tool_core::ledger::Intent {
    let mut intent = pay(5);
    intent.arguments = Some(json!("x".repeat(50_000)));
    intent
}
