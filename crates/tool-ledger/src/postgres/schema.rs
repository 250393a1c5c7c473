//! Schema of the database, and its migrations.

use deadpool_postgres::GenericClient;
use tool_core::ledger::LedgerError;

use super::connection::{Attempts, Connections, Failure};

/// Statements that create each version from the previous one.
const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE ledger_calls (
        position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        scope TEXT NOT NULL,
        key TEXT NOT NULL,
        tool TEXT NOT NULL,
        state TEXT NOT NULL,
        repeatable BOOLEAN NOT NULL,
        since BIGINT NOT NULL,
        lease_until BIGINT,
        token BIGINT,
        claims BIGINT NOT NULL,
        settled_at BIGINT,
        intent TEXT NOT NULL,
        result TEXT,
        request_id TEXT,
        withdrawn TEXT,
        UNIQUE (scope, key)
    );
    CREATE INDEX ledger_calls_settled ON ledger_calls (settled_at) WHERE settled_at IS NOT NULL;
    CREATE TABLE ledger_approvals (
        position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        scope TEXT,
        key TEXT,
        request TEXT NOT NULL
    );
    CREATE TABLE ledger_outputs (
        position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        handle TEXT NOT NULL UNIQUE,
        created BIGINT NOT NULL,
        bytes BIGINT NOT NULL,
        text BYTEA NOT NULL
    );
    -- Without compression, the server reads only the chunks of a page.
    ALTER TABLE ledger_outputs ALTER COLUMN text SET STORAGE EXTERNAL;
"];

/// Lock of migrations, for processes that start together.
const LOCK: i64 = 0x746f_6f6c_6c65_6467;

/// Latest version of the schema.
fn latest() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Query of the version of the database.
const VERSION: &str = "SELECT coalesce(max(version), 0) FROM ledger_schema";

/// Condition of a statement that writes only while no newer version of the library has migrated the database.
pub(super) fn is_supported() -> String {
    format!(
        "NOT EXISTS (SELECT 1 FROM ledger_schema WHERE version > {})",
        latest()
    )
}

/// Checks that no newer version of the library has migrated the database since it was opened.
pub(super) async fn check(client: &impl GenericClient) -> Result<(), Failure> {
    let select = client.prepare_cached(VERSION).await?;
    rejected(client.query_one(&select, &[]).await?.get(0))
}

/// Returns an error if version `found` is newer than this library.
fn rejected(found: i64) -> Result<(), Failure> {
    let (found, supported) = (u32::try_from(found).unwrap_or(u32::MAX), latest());
    if found > supported {
        return Err(LedgerError::NewerSchema { found, supported }.into());
    }
    Ok(())
}

/// Migrates the schema.
pub(super) async fn migrate(connections: &Connections) -> Result<(), LedgerError> {
    let mut attempts = Attempts::start();
    loop {
        match try_migrate(connections).await {
            Ok(()) => return Ok(()),
            Err(failure) => attempts.pause(failure).await?,
        }
    }
}

async fn try_migrate(connections: &Connections) -> Result<(), Failure> {
    let connection = connections.get().await?;
    connection
        .run(async |client| {
            let transaction = client.transaction().await?;
            // `IF NOT EXISTS` is not enough: two processes that create a table together can fail with a duplicate key.
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
            let create = "CREATE TABLE IF NOT EXISTS ledger_schema (version BIGINT PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL)";
            transaction.batch_execute(create).await?;
            let found: i64 = transaction.query_one(VERSION, &[]).await?.get(0);
            rejected(found)?;
            for (version, statements) in (1_i64..).zip(MIGRATIONS) {
                if version > found {
                    transaction.batch_execute(statements).await?;
                    let insert = "INSERT INTO ledger_schema (version, applied_at) VALUES ($1, now())";
                    transaction.execute(insert, &[&version]).await?;
                }
            }
            Ok(transaction.commit().await?)
        })
        .await
}

/// Returns the setting `synchronous_commit`.
pub(super) async fn durability(connections: &Connections) -> Result<String, Failure> {
    let connection = connections.get().await?;
    connection
        .run(async |client| {
            let row = client.query_one("SELECT current_setting('synchronous_commit')", &[]);
            Ok(row.await?.get(0))
        })
        .await
}
