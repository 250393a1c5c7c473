//! Connections, operations that are repeated after a lost connection, and the schema of the database.

use std::time::Duration;

use deadpool_postgres::tokio_postgres::error::{DbError, SqlState};
use deadpool_postgres::tokio_postgres::{self, NoTls};
use deadpool_postgres::{
    Client, Config, GenericClient, ManagerConfig, Object, Pool, PoolConfig, PoolError,
    RecyclingMethod, Runtime, Timeouts,
};
use tokio::time::{Instant, sleep, timeout};
use tool_core::ledger::LedgerError;

/// Maximum number of connections.
const CONNECTIONS: usize = 32;
/// Timeout of one attempt, and of a connection.
const ATTEMPT: Duration = Duration::from_secs(5);
/// Time after which an operation is not repeated.
const PATIENCE: Duration = Duration::from_secs(8);
/// First and longest pause between attempts.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(500)];

/// Creates a pool of connections without TLS.
pub(super) fn pool(url: &str) -> Result<Pool, LedgerError> {
    let mut config = Config::new();
    config.url = Some(url.to_owned());
    config.manager = Some(ManagerConfig {
        // No test query per operation: one that finds a lost connection is repeated on another.
        recycling_method: RecyclingMethod::Fast,
    });
    let mut limits = PoolConfig::new(CONNECTIONS);
    limits.timeouts = Timeouts {
        wait: Some(ATTEMPT),
        create: Some(ATTEMPT),
        recycle: Some(ATTEMPT),
    };
    config.pool = Some(limits);
    config
        .create_pool(Some(Runtime::Tokio1), NoTls)
        .map_err(LedgerError::unavailable)
}

/// Error of an attempt.
pub(super) enum Failure {
    /// The connection was lost, so that the operation may or may not have been stored.
    Lost(LedgerError),
    /// Another attempt would fail too.
    Final(LedgerError),
}

impl Failure {
    pub(super) fn into_error(self) -> LedgerError {
        match self {
            Self::Lost(error) | Self::Final(error) => error,
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::Final(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let passes = error.code().is_none_or(passes);
        let error = match error.as_db_error() {
            Some(reported) => LedgerError::unavailable(described(reported)),
            None => LedgerError::unavailable(error),
        };
        if passes {
            Self::Lost(error)
        } else {
            Self::Final(error)
        }
    }
}

/// Returns `true` if a state of the server may pass, or belongs to one connection. Errors without a state are errors of the
/// connection.
fn passes(state: &SqlState) -> bool {
    let states = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::IDLE_SESSION_TIMEOUT,
        // After a failover, another connection reaches the new primary server.
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::TOO_MANY_CONNECTIONS,
    ];
    states.contains(state) || state.code().starts_with("08")
}

/// Describes an error that the server reported, without its details, which can contain stored data.
fn described(reported: &DbError) -> String {
    let (severity, code) = (reported.severity(), reported.code().code());
    format!("{severity}: {} ({code})", reported.message())
}

/// The pool of connections.
#[derive(Clone)]
pub(super) struct Connections(Pool);

impl Connections {
    pub(super) fn new(pool: Pool) -> Self {
        Self(pool)
    }

    /// Executes an operation under the timeout of an attempt.
    pub(super) async fn run<T>(
        &self,
        work: impl AsyncFnOnce(&mut Client) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut connection = Connection(None);
        let client = connection.0.insert(self.client().await?);
        let outcome = match timeout(ATTEMPT, work(client)).await {
            Ok(outcome) => outcome,
            Err(elapsed) => Err(Failure::Lost(LedgerError::unavailable(elapsed))),
        };
        // After a timeout, the server may still execute the statement on this connection.
        if !matches!(outcome, Err(Failure::Lost(_))) {
            drop(connection.0.take());
        }
        outcome
    }

    async fn client(&self) -> Result<Client, Failure> {
        self.0.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error.into(),
            error @ PoolError::Timeout(_) => Failure::Lost(LedgerError::unavailable(error)),
            error => Failure::Final(LedgerError::unavailable(error)),
        })
    }
}

/// A connection. It returns to the pool only after a successful operation, because a server that does not respond keeps
/// its connections open.
struct Connection(Option<Client>);

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(client) = self.0.take() {
            drop(Object::take(client));
        }
    }
}

/// Executes an operation, again if the connection is lost.
// Not `AsyncFn`: the compiler could not see that the futures of the ledger's trait are `Send`.
pub(super) async fn repeated<T, F>(operation: impl Fn() -> F) -> Result<T, LedgerError>
where
    F: Future<Output = Result<T, Failure>>,
{
    let mut attempts = Attempts::start();
    loop {
        match operation().await {
            Ok(value) => return Ok(value),
            Err(failure) => attempts.pause(failure).await?,
        }
    }
}

/// Attempts of one operation.
pub(super) struct Attempts {
    since: Instant,
    pause: Duration,
    is_repeated: bool,
}

impl Attempts {
    /// Starts an operation.
    pub(super) fn start() -> Self {
        Self {
            since: Instant::now(),
            pause: PAUSES[0],
            is_repeated: false,
        }
    }

    /// Returns `true` if an earlier attempt may have been stored.
    pub(super) fn is_repeated(&self) -> bool {
        self.is_repeated
    }

    /// Waits before another attempt, or returns the error of the last one.
    pub(super) async fn pause(&mut self, failure: Failure) -> Result<(), LedgerError> {
        let error = match failure {
            Failure::Final(error) => return Err(error),
            Failure::Lost(error) if self.since.elapsed() >= PATIENCE => return Err(error),
            Failure::Lost(error) => error,
        };
        tracing::debug!(error = %error, "an operation of the ledger is repeated");
        sleep(self.pause).await;
        self.pause = self.pause.saturating_mul(2).min(PAUSES[1]);
        self.is_repeated = true;
        Ok(())
    }
}

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
pub(super) async fn check_version(client: &impl GenericClient) -> Result<(), Failure> {
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
    repeated(|| try_migrate(connections)).await
}

async fn try_migrate(connections: &Connections) -> Result<(), Failure> {
    connections
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
    connections
        .run(async |client| {
            let row = client.query_one("SELECT current_setting('synchronous_commit')", &[]);
            Ok(row.await?.get(0))
        })
        .await
}
