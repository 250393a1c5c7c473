//! Clocks of stores, which tests can step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tool_core::{Clock, Timestamp};
use tool_ledger::deadpool_postgres::tokio_postgres;

/// Offset of a new clock in milliseconds, so that tests can step it back.
const AHEAD: u64 = 2 * 60 * 60 * 1000;

/// The system's clock with an offset. Clones share it.
#[derive(Clone)]
pub(crate) struct SteppedClock(Arc<AtomicU64>);

impl SteppedClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(AHEAD)))
    }
}

impl Clock for SteppedClock {
    fn now(&self) -> Timestamp {
        Timestamp::now().after(Duration::from_millis(self.0.load(Ordering::SeqCst)))
    }
}

/// Steps of the clock of a store.
pub(crate) enum Steps {
    Added(SteppedClock),
    /// The times in the database move instead.
    Rows(tokio_postgres::Client),
}

impl Steps {
    pub(crate) async fn step(&self, time: Duration, is_forward: bool) {
        let milliseconds = u64::try_from(time.as_millis()).unwrap();
        match self {
            Self::Added(SteppedClock(offset)) if is_forward => {
                offset.fetch_add(milliseconds, Ordering::SeqCst);
            }
            Self::Added(SteppedClock(offset)) => {
                offset.fetch_sub(milliseconds, Ordering::SeqCst);
            }
            Self::Rows(client) => {
                let sign = if is_forward { '-' } else { '+' };
                let by = format!("{sign} {milliseconds}");
                let statements = format!(
                    "UPDATE ledger_calls SET since = since {by}, lease_until = lease_until {by}, settled_at = settled_at {by};
                     UPDATE ledger_outputs SET created = created {by};"
                );
                client.batch_execute(&statements).await.unwrap();
            }
        }
    }
}
