//! Workers, which run the tools of a registry.

mod announcement;
mod calls;
mod cancelled;
mod offers;
mod queued;
mod reads;
mod running;

use std::sync::Arc;
use std::time::Duration;

use tool_core::Registry;

pub(crate) use self::announcement::{MISSED, definitions_bucket, workers_bucket};
pub(crate) use self::offers::MAX_TOOLS;
pub use self::running::RunningWorker;

use self::announcement::Announcement;
use self::calls::Calls;
use self::offers::Offers;
use crate::nats::{Link, Puller};
use crate::options::check_name;
use crate::{DecisionKey, NatsOptions, RemoteError};

/// Default time between heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Default maximum of waiting calls that only read.
const WAITING_READS: usize = 1000;

/// A worker, which runs the tools of a registry for callers of a tenant.
///
/// Calls pass the ten steps of the registry: arguments are validated again, and its policy applies. A call with effects
/// needs a registry with a [ledger](tool_core::ledger) that all workers of the tenant share, and is removed from the queue
/// after its outcome is in the ledger. Its lease should not be longer than
/// [`ack_wait`](NatsOptions::ack_wait).
///
/// # Examples
/// ```no_run
/// use tool_core::Registry;
/// use tool_remote::{NatsOptions, RemoteError, Worker};
///
/// # async fn run(registry: Registry) -> Result<(), RemoteError> {
/// Worker::new(registry, NatsOptions::new("nats://localhost:4222"))
///     .group("gpu")
///     .serve()
///     .await
/// # }
/// ```
#[must_use = "a worker does nothing until it is started"]
pub struct Worker {
    registry: Registry,
    options: NatsOptions,
    name: Option<String>,
    group: String,
    concurrency: usize,
    waiting_reads: usize,
    heartbeat: Duration,
    decisions: Option<DecisionKey>,
}

impl Worker {
    /// Creates a worker of the group `tools`.
    pub fn new(registry: Registry, options: NatsOptions) -> Self {
        Self {
            concurrency: registry.parallel_calls(),
            registry,
            options,
            name: None,
            group: "tools".to_owned(),
            waiting_reads: WAITING_READS,
            heartbeat: HEARTBEAT,
            decisions: None,
        }
    }

    /// Sets the name of the worker, which results with an unknown outcome contain. It must be unique in the tenant. The
    /// default is random.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the group. Workers of a group share one queue, so they must have the same tools. The default is `tools`.
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.group = group.into();
        self
    }

    /// Sets the maximum number of calls that the worker takes out of the queue, at least 1. The default is the registry's
    /// number of [concurrent calls](Registry::parallel_calls).
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls.max(1);
        self
    }

    /// Sets the maximum number of waiting calls that only read. The default is 1,000. Further calls are sent to another
    /// worker.
    pub fn waiting_reads(mut self, calls: usize) -> Self {
        self.waiting_reads = calls;
        self
    }

    /// Sets the time between heartbeats, 100 ms to one minute. The default is 5 seconds. Callers remove the tools of a worker
    /// after three missed heartbeats.
    pub fn heartbeat(mut self, interval: Duration) -> Self {
        self.heartbeat = interval.clamp(Duration::from_millis(100), Duration::from_mins(1));
        self
    }

    /// Sets the key of decisions. Calls with effects then require a valid decision of the caller's side.
    pub fn decision_key(mut self, key: DecisionKey) -> Self {
        self.decisions = Some(key);
        self
    }

    /// Connects and starts the worker.
    ///
    /// # Errors
    /// Returns [`RemoteError`] if a name is invalid, the connection fails, the registry needs a ledger, or the server rejects
    /// the queue or the tools.
    pub async fn start(self) -> Result<RunningWorker, RemoteError> {
        check_name("group", &self.group)?;
        if let Some(name) = &self.name {
            check_name("worker", name)?;
        }
        let needs_ledger = |registry: &Registry| {
            let mut tools = registry.list().into_iter();
            tools.any(|definition| !definition.hints().read_only)
        };
        if self.registry.ledger().is_none() && needs_ledger(&self.registry) {
            return Err(RemoteError::NoLedger);
        }
        let link = Link::connect(&self.options).await?;
        link.create_queue().await?;
        let name = self.name.unwrap_or_else(|| link.unique());
        let puller = Puller::open(&link, &self.group).await?;
        let calls = Arc::new(Calls {
            offers: Offers::new(self.registry),
            name,
            decisions: self.decisions,
            cancelled: cancelled::Cancelled::default(),
            link,
            group: self.group,
        });
        let announcement = Announcement::open(Arc::clone(&calls), self.heartbeat).await?;
        let reads = self.concurrency.saturating_add(self.waiting_reads);
        let most = (self.concurrency, reads);
        running::start(calls, announcement, puller, most).await
    }

    /// Starts the worker and waits until its connection is closed. Dropping the future stops it without a delay;
    /// [`start`](Self::start) and [`RunningWorker::stop`] let running calls finish.
    ///
    /// # Errors
    /// Returns [`RemoteError`] if the worker cannot start.
    pub async fn serve(self) -> Result<(), RemoteError> {
        self.start().await?.closed().await;
        Ok(())
    }
}

tool_core::debug_fields!(Worker, this => name: this.name, group: this.group, concurrency: this.concurrency);
