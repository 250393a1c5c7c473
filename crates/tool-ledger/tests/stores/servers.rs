//! PostgreSQL servers that are missing or have a newer schema.

use tool_core::ledger::{Ledger, LedgerError};
use tool_ledger::PostgresLedger;

use crate::server::{connect, schema};
use crate::setup::{LEASE, key, pay};

#[tokio::test]
async fn commits_are_durable() {
    if let Some(url) = schema("").await {
        let ledger = PostgresLedger::connect(&url).await.unwrap();

        assert_eq!(ledger.durability().await.unwrap(), "on");
    }
}

#[tokio::test]
async fn newer_schema_is_rejected() {
    let newer =
        "CREATE TABLE ledger_schema (version BIGINT PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL);
        INSERT INTO ledger_schema VALUES (99, now());";
    if let Some(url) = schema(newer).await {
        let error = PostgresLedger::connect(&url).await.unwrap_err();

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
}

#[tokio::test]
async fn missing_table_is_unavailable() {
    if let Some(url) = schema("").await {
        let ledger = PostgresLedger::connect(&url).await.unwrap();
        let client = connect(&url).await;
        client
            .batch_execute("DROP TABLE ledger_calls")
            .await
            .unwrap();

        let error = ledger.claim(&key("a"), &pay(5), LEASE).await.unwrap_err();

        assert!(matches!(error, LedgerError::Unavailable(_)), "{error}");
    }
}

#[tokio::test]
async fn lost_connections_are_replaced() {
    if let Some(url) = schema("").await {
        let ledger = PostgresLedger::connect(&url).await.unwrap();
        let client = connect(&url).await;
        for round in 0..5 {
            // Only the connections of this test: others have another search path.
            let terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE pid <> pg_backend_pid() AND query LIKE '%ledger_%' AND query NOT LIKE '%terminate%'
                AND application_name = current_setting('application_name')";
            client.query_one(terminate, &[]).await.unwrap();

            let claim = ledger.claim(&key(&round.to_string()), &pay(5), LEASE).await;

            assert!(claim.is_ok(), "{claim:?}");
        }
    }
}

#[tokio::test]
async fn invalid_url_is_unavailable() {
    for url in ["", "postgres://", "not a url"] {
        let error = PostgresLedger::connect(url).await.unwrap_err();

        assert!(
            matches!(error, LedgerError::Unavailable(_)),
            "{url}: {error}"
        );
    }
}
