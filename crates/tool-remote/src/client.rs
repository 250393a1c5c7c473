//! Tools that run in workers, in a registry of the caller.

mod caller;
mod calls;
mod discovery;
mod failures;
mod proxy;
mod replies;

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tool_core::Registry;

pub use self::discovery::RemoteWorker;

use self::caller::Caller;
use self::discovery::Discovery;
use self::replies::Replies;
use crate::nats::Link;
use crate::{DecisionKey, NatsOptions, RemoteError};

/// Default timeout of a call, which includes its time in the queue.
const TIMEOUT: Duration = Duration::from_mins(10);

/// Source of the tools that the workers of a tenant offer.
///
/// The tools are proxies in a registry. Policy, approvals and audit of that registry apply before a call is sent. A call with
/// effects is stored in a queue until a worker has recorded its outcome. A call that only reads is sent to one worker and
/// repeated on another one if it fails.
///
/// Dropping it keeps the tools, whose calls then fail with `unavailable`; [`RemoteTools::close`] removes them.
///
/// # Examples
/// ```no_run
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_remote::{NatsOptions, RemoteError, RemoteTools};
///
/// # async fn run() -> Result<(), RemoteError> {
/// let registry = Registry::new();
/// let remote = RemoteTools::connect(NatsOptions::new("nats://localhost:4222"), &registry).await?;
/// println!("{:?}", remote.workers());
/// let result = registry.execute("render", json!({"scene": "lake"})).await;
/// println!("{result}");
/// remote.close();
/// # Ok(()) }
/// ```
#[must_use = "the tools are unavailable after it is dropped"]
pub struct RemoteTools {
    discovery: Arc<Discovery>,
    tasks: JoinSet<()>,
}

/// Builder of [`RemoteTools`].
///
/// # Examples
/// ```no_run
/// use tool_core::Registry;
/// use tool_remote::{DecisionKey, NatsOptions, RemoteError, RemoteTools};
///
/// # async fn run() -> Result<(), RemoteError> {
/// let registry = Registry::new();
/// let remote = RemoteTools::builder(NatsOptions::new("nats://localhost:4222"))
///     .decision_key(DecisionKey::new(b"thirty-two bytes of randomness..")?)
///     .scope("run-7")
///     .connect(&registry)
///     .await?;
/// # drop(remote);
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "a builder does nothing until it connects"]
pub struct RemoteBuilder {
    options: NatsOptions,
    source: String,
    scope: Option<String>,
    decisions: Option<DecisionKey>,
    timeout: Duration,
}

impl RemoteBuilder {
    /// Sets the name of the source in the registry. The default is `remote`.
    pub fn source(mut self, name: impl Into<String>) -> Self {
        self.source = name.into();
        self
    }

    /// Sets the scope of the keys of calls, such as the id of a run. The ids of calls must be unique within it: a repeated id
    /// returns the stored result of the first call.
    ///
    /// Used for calls without a key. If the registry has a ledger, calls with effects have one. Without either, each call
    /// gets a new key.
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// Sets the key that seals the decisions of the registry for the workers.
    pub fn decision_key(mut self, key: DecisionKey) -> Self {
        self.decisions = Some(key);
        self
    }

    /// Sets the timeout of a call, which includes its time in the queue. The default is 10 minutes. Workers also enforce the
    /// timeouts of their tools.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Connects, and registers the tools that the workers offer. Tools of later workers follow automatically.
    ///
    /// # Errors
    /// Returns [`RemoteError`] if the tenant is invalid, the connection fails, the registry has a source of the same name, or
    /// the server rejects the queue.
    ///
    /// # Panics
    /// Panics if called outside a tokio runtime.
    pub async fn connect(self, registry: &Registry) -> Result<RemoteTools, RemoteError> {
        let link = Link::connect(&self.options).await?;
        link.create_queue().await?;
        let client = link.unique();
        let replies = Arc::new(Replies::new(link.names().subject("reply", &client)));
        let messages = link.subscribe(replies.subjects()).await?;
        // Before the first call: a reply that finds no subscription is lost.
        link.flush().await?;
        let caller = Caller {
            link: link.clone(),
            replies: Arc::clone(&replies),
            client,
            scope: self.scope,
            decisions: self.decisions,
        };
        let source = registry.source(&self.source)?;
        let discovery = Discovery::open(Arc::new(caller), source, self.timeout);
        let discovery = Arc::new(discovery.await?);
        let mut tasks = JoinSet::new();
        tasks.spawn(replies.receive(messages, link));
        tasks.spawn(Arc::clone(&discovery).keep());
        Ok(RemoteTools { discovery, tasks })
    }
}

impl RemoteTools {
    /// Connects with the default settings, and registers the tools that the workers offer.
    ///
    /// # Errors
    /// Like [`RemoteBuilder::connect`].
    pub async fn connect(options: NatsOptions, registry: &Registry) -> Result<Self, RemoteError> {
        Self::builder(options).connect(registry).await
    }

    /// Configures the source.
    pub fn builder(options: NatsOptions) -> RemoteBuilder {
        RemoteBuilder {
            options,
            source: "remote".to_owned(),
            scope: None,
            decisions: None,
            timeout: TIMEOUT,
        }
    }

    /// Returns the workers with a recent heartbeat, sorted by name.
    pub fn workers(&self) -> Vec<RemoteWorker> {
        self.discovery.workers()
    }

    /// Closes the connection and removes the tools. Returns their names. Running calls fail.
    pub fn close(mut self) -> Vec<String> {
        self.tasks.abort_all();
        self.discovery.close()
    }
}

tool_core::debug_fields!(RemoteTools, this => workers: this.workers());
