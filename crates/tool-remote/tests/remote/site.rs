//! A server with one worker and one caller, over each ledger.

use std::sync::Arc;

use serde_json::Value;
use tool_core::ledger::Ledger;
use tool_core::{Registry, ToolResult};
use tool_ledger::PostgresLedger;
use tool_remote::{RemoteTools, RunningWorker};

use crate::postgres::schema;
use crate::server::Server;
use crate::tools::{Runs, caller, memory, registry, worker};

/// Ledger that the workers share.
enum Shared {
    Memory(Arc<dyn Ledger>),
    /// URL of a database, to which each worker connects.
    Postgres(String),
}

impl Shared {
    async fn open(&self) -> Arc<dyn Ledger> {
        match self {
            Self::Memory(ledger) => Arc::clone(ledger),
            Self::Postgres(url) => Arc::new(PostgresLedger::connect(url).await.unwrap()),
        }
    }
}

/// A site under test.
pub(crate) struct Site {
    pub(crate) server: Server,
    shared: Shared,
    /// The ledger, as another process opens it.
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) runs: Runs,
    pub(crate) worker: Option<RunningWorker>,
    pub(crate) caller: Registry,
    pub(crate) remote: RemoteTools,
}

impl Site {
    /// Starts a site with a ledger in memory; `None` without a NATS server.
    pub(crate) async fn start() -> Option<Self> {
        Self::over(Shared::Memory(memory())).await
    }

    /// Starts a site with a ledger in PostgreSQL; `None` without one of the servers.
    pub(crate) async fn over_postgres() -> Option<Self> {
        Self::over(Shared::Postgres(schema("").await?)).await
    }

    /// Starts a site with the ledger of a PostgreSQL server; `None` without a NATS server.
    pub(crate) async fn over_server(url: &str) -> Option<Self> {
        Self::over(Shared::Postgres(url.to_owned())).await
    }

    async fn over(shared: Shared) -> Option<Self> {
        let server = Server::start().await?;
        let runs = Runs::default();
        let own = registry(&runs, &shared.open().await);
        let started = worker(&server, own).start().await;
        let (caller, remote) = caller(&server).await;
        Some(Self {
            worker: Some(started.unwrap()),
            ledger: shared.open().await,
            server,
            shared,
            runs,
            caller,
            remote,
        })
    }

    /// Returns the registry of another worker with the same ledger.
    pub(crate) async fn registry(&self) -> Registry {
        registry(&self.runs, &self.shared.open().await)
    }

    /// Starts another worker with the same ledger.
    pub(crate) async fn another_worker(&self) -> RunningWorker {
        let registry = self.registry().await;
        worker(&self.server, registry).start().await.unwrap()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.caller.execute(tool, arguments).await
    }
}

/// Defines a module per ledger with a test for each case.
macro_rules! ledgers {
    ($($name:ident)*) => {
        mod memory {
            $(
                #[tokio::test]
                async fn $name() {
                    if let Some(site) = crate::site::Site::start().await {
                        super::$name(site).await;
                    }
                }
            )*
        }

        mod postgres {
            $(
                #[tokio::test]
                async fn $name() {
                    if let Some(site) = crate::site::Site::over_postgres().await {
                        super::$name(site).await;
                    }
                }
            )*
        }
    };
}
pub(crate) use ledgers;
