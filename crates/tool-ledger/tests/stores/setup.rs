//! Stores under test, with clocks that tests can step.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tool_core::approval::{ApprovalRequest, PendingApprovals};
use tool_core::ledger::{
    CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerFilter, Page, Settled,
};
use tool_core::output_store::OutputStore;
use tool_core::{
    ErrorCode, RiskLevel, SideEffects, Timestamp, ToolDefinition, ToolError, ToolResult,
};
use tool_ledger::{LedgerLimits, PostgresLedger, SqliteLedger};

use crate::clock::{SteppedClock, Steps};
use crate::server::{connect, schema};

/// Lease of all claims.
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// A store under test.
pub(crate) struct Store {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) approvals: Arc<dyn PendingApprovals>,
    pub(crate) outputs: Arc<dyn OutputStore>,
    clock: Steps,
    kind: Kind,
}

enum Kind {
    Memory(SqliteLedger),
    Sqlite(TempDir),
    Postgres(PostgresLedger),
}

impl Store {
    pub(crate) fn memory() -> Self {
        let clock = SteppedClock::new();
        let ledger = SqliteLedger::in_memory().unwrap();
        let ledger = ledger.with_clock(clock.clone());
        Self::of(&ledger, Steps::Added(clock), Kind::Memory(ledger.clone()))
    }

    pub(crate) async fn sqlite(limits: LedgerLimits) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let ledger = SqliteLedger::open(directory.path().join("calls.sqlite"))
            .await
            .unwrap();
        let clock = SteppedClock::new();
        let ledger = ledger.with_limits(limits).with_clock(clock.clone());
        Self::of(&ledger, Steps::Added(clock), Kind::Sqlite(directory))
    }

    pub(crate) async fn postgres(limits: LedgerLimits) -> Option<Self> {
        let url = schema("").await?;
        let client = connect(&url).await;
        let ledger = PostgresLedger::connect(&url)
            .await
            .unwrap()
            .with_limits(limits);
        let kind = Kind::Postgres(ledger.clone());
        Some(Self::of(&ledger, Steps::Rows(client), kind))
    }

    fn of<T>(store: &T, clock: Steps, kind: Kind) -> Self
    where
        T: Ledger + PendingApprovals + OutputStore + Clone + 'static,
    {
        Self {
            ledger: Arc::new(store.clone()),
            approvals: Arc::new(store.clone()),
            outputs: Arc::new(store.clone()),
            clock,
            kind,
        }
    }

    /// Returns the ledger as another process opens it.
    pub(crate) async fn again(&self) -> Arc<dyn Ledger> {
        match (&self.kind, &self.clock) {
            (Kind::Memory(ledger), _) => Arc::new(ledger.clone()),
            (Kind::Postgres(ledger), _) => Arc::new(ledger.clone()),
            (Kind::Sqlite(directory), clock) => {
                let path = directory.path().join("calls.sqlite");
                let ledger = SqliteLedger::open(path).await.unwrap();
                match clock {
                    Steps::Added(clock) => Arc::new(ledger.with_clock(clock.clone())),
                    Steps::Rows(_) => Arc::new(ledger),
                }
            }
        }
    }

    /// Returns the stored calls as text: the entries, or the bytes of the database.
    pub(crate) async fn dump(&self) -> String {
        match (&self.kind, &self.clock) {
            (Kind::Sqlite(directory), _) => {
                let files = std::fs::read_dir(directory.path()).unwrap();
                let read = |file: std::io::Result<std::fs::DirEntry>| {
                    let bytes = std::fs::read(file.unwrap().path()).unwrap();
                    String::from_utf8_lossy(&bytes).into_owned()
                };
                files.map(read).collect()
            }
            (_, Steps::Rows(client)) => {
                let query = "SELECT string_agg(call::text, ' ') FROM ledger_calls call";
                client.query_one(query, &[]).await.unwrap().get(0)
            }
            _ => {
                let (filter, page) = (LedgerFilter::default(), Page::default());
                let entries = self.ledger.list(&filter, page).await.unwrap();
                serde_json::to_string(&entries).unwrap()
            }
        }
    }

    /// Steps the clock forward.
    pub(crate) async fn step(&self, time: Duration) {
        self.clock.step(time, true).await;
    }

    /// Steps the clock back, by at most two hours.
    pub(crate) async fn step_back(&self, time: Duration) {
        self.clock.step(time, false).await;
    }

    pub(crate) async fn claim(&self, name: &str, intent: &Intent) -> Claim {
        self.ledger.claim(&key(name), intent, LEASE).await.unwrap()
    }

    /// Claims a new key.
    pub(crate) async fn new_claim(&self, name: &str, intent: &Intent) -> LeaseToken {
        token(&self.claim(name, intent).await)
    }

    pub(crate) async fn settle(&self, name: &str, token: LeaseToken, outcome: &Settled) {
        self.ledger
            .settle(&key(name), token, outcome)
            .await
            .unwrap();
    }

    pub(crate) async fn entry(&self, name: &str) -> LedgerEntry {
        self.ledger.find(&key(name)).await.unwrap().unwrap()
    }
}

/// Defines a module per store with a test for each case.
macro_rules! cases {
    ($limits:expr; $($name:ident)*) => {
        mod sqlite {
            use tool_ledger::LedgerLimits;

            $(
                #[tokio::test]
                async fn $name() {
                    super::$name(crate::setup::Store::sqlite($limits).await).await;
                }
            )*
        }

        mod postgres {
            use tool_ledger::LedgerLimits;

            $(
                #[tokio::test]
                async fn $name() {
                    if let Some(store) = crate::setup::Store::postgres($limits).await {
                        super::$name(store).await;
                    }
                }
            )*
        }
    };
}
pub(crate) use cases;

pub(crate) fn key(name: &str) -> CallKey {
    CallKey::new("run-7", name)
}

pub(crate) fn token(claim: &Claim) -> LeaseToken {
    match claim {
        Claim::New(token) => *token,
        other => panic!("{other:?}"),
    }
}

/// Returns the intent of a call that is not repeatable.
pub(crate) fn intent(arguments: &Value) -> Intent {
    let mut intent = Intent::new("pay", arguments, RiskLevel::Dangerous);
    intent.time = noon();
    intent
}

fn noon() -> Timestamp {
    Timestamp::parse("2026-01-01T12:00:00Z").unwrap()
}

pub(crate) fn pay(amount: u32) -> Intent {
    intent(&json!({"amount": amount}))
}

pub(crate) fn repeatable(amount: u32) -> Intent {
    let mut intent = pay(amount);
    intent.repeatable = true;
    intent
}

pub(crate) fn failed(effects: SideEffects) -> ToolResult {
    let error = ToolError::new(ErrorCode::Failed, "The payment failed");
    let mut result = ToolResult::refused("call_1", "pay", error);
    result.metadata.side_effects = effects;
    (result.metadata.start_time, result.metadata.end_time) = (noon(), noon());
    result
}

pub(crate) fn done() -> Settled {
    let mut result = failed(SideEffects::Done);
    (result.success, result.error) = (true, None);
    result.data = Some(json!({"paid": 5, "rate": 1.5, "null": null, "text": "äöü \u{0} 🦀"}));
    Settled::of(result)
}

pub(crate) fn without_effect() -> Settled {
    Settled::of(failed(SideEffects::None))
}

pub(crate) fn possible_effect() -> Settled {
    Settled::of(failed(SideEffects::Possible))
}

pub(crate) fn unknown() -> Settled {
    let error = ToolError::outcome_unknown("The response was lost");
    let mut result = ToolResult::refused("call_1", "pay", error);
    result.metadata.side_effects = SideEffects::Possible;
    Settled::of(result)
}

/// Returns a request for approval of the call `name`.
pub(crate) fn request(name: &str, amount: u32) -> ApprovalRequest {
    let definition = ToolDefinition::new("pay", "Pays.", json!({"type": "object"}));
    let arguments = json!({"amount": amount});
    let mut request = ApprovalRequest::new(name, &definition, arguments, RiskLevel::Dangerous);
    request.call_key = Some(key(name));
    request
}
