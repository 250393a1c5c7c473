//! SQLite files that are missing, damaged, removed, locked or newer.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use tempfile::tempdir;
use tool_core::ledger::{Claim, Ledger, LedgerError};
use tool_ledger::SqliteLedger;

use crate::setup::{LEASE, done, key, pay, token};

async fn claim(ledger: &SqliteLedger, name: &str) -> Result<Claim, LedgerError> {
    ledger.claim(&key(name), &pay(5), LEASE).await
}

async fn open_error(path: &Path) -> LedgerError {
    SqliteLedger::open(path).await.unwrap_err()
}

#[tokio::test]
async fn commits_are_on_disk() {
    let directory = tempdir().unwrap();
    let ledger = SqliteLedger::open(directory.path().join("a"))
        .await
        .unwrap();

    assert_eq!(ledger.durability().await.unwrap(), "FULL");
}

#[tokio::test]
async fn memory_keeps_calls_while_a_clone_exists() {
    let ledger = SqliteLedger::in_memory().unwrap();
    claim(&ledger, "a").await.unwrap();
    let clone = ledger.clone();
    drop(ledger);

    let running = claim(&clone, "a").await.unwrap();

    assert!(matches!(running, Claim::Running { .. }), "{running:?}");
    let other = SqliteLedger::in_memory().unwrap();
    assert!(matches!(claim(&other, "a").await, Ok(Claim::New(_))));
}

#[tokio::test]
async fn missing_directory_is_unavailable() {
    let directory = tempdir().unwrap();

    let error = open_error(&directory.path().join("missing/a")).await;

    assert!(matches!(error, LedgerError::Unavailable(_)), "{error}");
}

#[tokio::test]
async fn directory_or_other_file_is_unavailable() {
    let directory = tempdir().unwrap();
    let other = directory.path().join("other");
    fs::write(
        &other,
        "not a database, but long enough to be one".repeat(100),
    )
    .unwrap();

    for path in [directory.path(), &other] {
        let error = open_error(path).await;

        assert!(matches!(error, LedgerError::Unavailable(_)), "{error}");
    }
}

#[tokio::test]
async fn path_is_not_a_uri() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("file:a?mode=memory");

    drop(SqliteLedger::open(&path).await.unwrap());

    assert!(path.exists());
}

#[tokio::test]
async fn newer_schema_is_rejected() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a");
    drop(SqliteLedger::open(&path).await.unwrap());
    let newer = "INSERT INTO ledger_schema (version, applied_at) VALUES (99, 0)";
    Connection::open(&path).unwrap().execute(newer, ()).unwrap();

    let error = open_error(&path).await;

    assert!(
        matches!(
            error,
            LedgerError::NewerSchema {
                found: 99,
                supported: 1
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn entries_survive_another_process() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a");
    let first = SqliteLedger::open(&path).await.unwrap();
    let held = token(&claim(&first, "a").await.unwrap());
    first.settle(&key("a"), held, &done()).await.unwrap();
    drop(first);

    let second = SqliteLedger::open(&path).await.unwrap();

    assert!(matches!(claim(&second, "a").await.unwrap(), Claim::Done(_)));
}

#[tokio::test]
async fn removed_file_is_unavailable_until_it_returns() {
    let directory = tempdir().unwrap();
    let (path, away) = (directory.path().join("a"), directory.path().join("away"));
    let ledger = SqliteLedger::open(&path).await.unwrap();
    claim(&ledger, "a").await.unwrap();
    // The write-ahead log must be in the file before it moves.
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    Connection::open(&path)
        .unwrap()
        .query_row(checkpoint, (), |_| Ok(()))
        .unwrap();
    fs::rename(&path, &away).unwrap();

    let error = claim(&ledger, "b").await.unwrap_err();
    assert!(matches!(error, LedgerError::Unavailable(_)), "{error}");
    assert!(!path.exists());
    for name in ["a-wal", "a-shm"] {
        let _ = fs::remove_file(directory.path().join(name));
    }
    fs::rename(&away, &path).unwrap();

    assert!(matches!(
        claim(&ledger, "a").await.unwrap(),
        Claim::Running { .. }
    ));
    assert!(matches!(claim(&ledger, "b").await.unwrap(), Claim::New(_)));
}

#[tokio::test]
async fn locked_file_delays_claims() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a");
    let ledger = SqliteLedger::open(&path).await.unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    let waiting = ledger.clone();
    let waiting = tokio::spawn(async move { claim(&waiting, "a").await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!waiting.is_finished());
    other.execute_batch("COMMIT").unwrap();

    assert!(matches!(waiting.await.unwrap().unwrap(), Claim::New(_)));
}

#[tokio::test]
async fn damaged_entry_fails_only_its_key() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a");
    let ledger = SqliteLedger::open(&path).await.unwrap();
    claim(&ledger, "a").await.unwrap();
    let damage = "UPDATE ledger_calls SET intent = '{'";
    Connection::open(&path)
        .unwrap()
        .execute(damage, ())
        .unwrap();

    let error = claim(&ledger, "a").await.unwrap_err();

    assert!(
        matches!(&error, LedgerError::Damaged { key } if key.key == "a"),
        "{error}"
    );
    assert!(matches!(claim(&ledger, "b").await.unwrap(), Claim::New(_)));
}

#[tokio::test]
async fn processes_that_open_concurrently_share_the_file() {
    let directory = tempdir().unwrap();
    let path = Arc::new(directory.path().join("a"));
    let opened = (0..8).map(|_| {
        let path = Arc::clone(&path);
        tokio::spawn(async move { SqliteLedger::open(path.as_ref()).await.unwrap() })
    });
    let mut new = 0;
    for ledger in opened.collect::<Vec<_>>() {
        let ledger = ledger.await.unwrap();
        new += u32::from(matches!(claim(&ledger, "a").await.unwrap(), Claim::New(_)));
    }

    assert_eq!(new, 1);
}
