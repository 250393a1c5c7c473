//! Connections, and operations that are repeated after a lost connection.

use std::time::Duration;

use deadpool_postgres::tokio_postgres::error::{DbError, SqlState};
use deadpool_postgres::tokio_postgres::{self, NoTls};
use deadpool_postgres::{
    Client, Config, ManagerConfig, Object, Pool, PoolConfig, PoolError, RecyclingMethod, Runtime,
    Timeouts,
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
            Some(reported) => LedgerError::unavailable(ServerError::of(reported)),
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

/// Error that the server reported, without its details, which can contain stored data.
#[derive(Debug, thiserror::Error)]
#[error("{severity}: {message} ({code})")]
struct ServerError {
    severity: String,
    message: String,
    code: String,
}

impl ServerError {
    fn of(reported: &DbError) -> Self {
        Self {
            severity: reported.severity().to_owned(),
            message: reported.message().to_owned(),
            code: reported.code().code().to_owned(),
        }
    }
}

/// The pool of connections.
#[derive(Clone)]
pub(super) struct Connections(Pool);

impl Connections {
    pub(super) fn new(pool: Pool) -> Self {
        Self(pool)
    }

    /// Returns a connection.
    pub(super) async fn get(&self) -> Result<Connection, Failure> {
        match self.0.get().await {
            Ok(client) => Ok(Connection(Some(client))),
            Err(PoolError::Backend(error)) => Err(error.into()),
            Err(error @ PoolError::Timeout(_)) => {
                Err(Failure::Lost(LedgerError::unavailable(error)))
            }
            Err(error) => Err(Failure::Final(LedgerError::unavailable(error))),
        }
    }
}

/// A connection. It returns to the pool only after a successful operation, because a server that does not respond keeps
/// its connections open.
pub(super) struct Connection(Option<Client>);

impl Connection {
    /// Executes an operation under the timeout of an attempt.
    pub(super) async fn run<T>(
        mut self,
        work: impl AsyncFnOnce(&mut Client) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(client) = &mut self.0 else {
            return Err(Failure::Final(LedgerError::unavailable("no connection")));
        };
        let outcome = match timeout(ATTEMPT, work(client)).await {
            Ok(outcome) => outcome,
            Err(elapsed) => Err(Failure::Lost(LedgerError::unavailable(elapsed))),
        };
        // After a timeout, the server may still execute the statement on this connection.
        if !matches!(outcome, Err(Failure::Lost(_))) {
            drop(self.0.take());
        }
        outcome
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(client) = self.0.take() {
            drop(Object::take(client));
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
