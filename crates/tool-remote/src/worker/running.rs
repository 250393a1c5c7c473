//! Tasks of a running worker, and its places for calls.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;
use tool_core::CancellationToken;

use super::announcement::Announcement;
use super::calls::Calls;
use super::{queued, reads};
use crate::RemoteError;
use crate::nats::{Message, Puller, Subscription};

/// Time that cancelled calls have to end.
const LAST: Duration = Duration::from_secs(2);
/// Maximum number of concurrent queries.
const QUERIES: usize = 64;

/// A started worker. Dropping it stops it without a delay: calls that run are delivered to another worker.
///
/// # Examples
/// ```no_run
/// use std::time::Duration;
/// use tool_core::Registry;
/// use tool_remote::{NatsOptions, RemoteError, Worker};
///
/// # async fn run(registry: Registry) -> Result<(), RemoteError> {
/// let worker = Worker::new(registry, NatsOptions::new("nats://localhost:4222")).start().await?;
/// tokio::signal::ctrl_c().await.ok();
/// worker.stop(Duration::from_secs(30)).await;
/// # Ok(()) }
/// ```
#[must_use = "dropping it stops the worker"]
pub struct RunningWorker {
    calls: Arc<Calls>,
    announcement: Arc<Announcement>,
    stop: CancellationToken,
    /// Tasks that end after `stop`, when the calls that have arrived are finished.
    serving: JoinSet<()>,
    /// Tasks that also serve other workers' callers while this one stops.
    listening: JoinSet<()>,
}

/// Starts the tasks of a worker, which runs at most `most` calls of the queue and calls that only read. The definitions
/// are stored last, so that calls find their receivers.
pub(super) async fn start(
    calls: Arc<Calls>,
    announcement: Announcement,
    puller: Puller,
    most: (usize, usize),
) -> Result<RunningWorker, RemoteError> {
    let (link, names) = (&calls.link, calls.link.names());
    let requests = link.share(names.subject("read", &calls.group)).await?;
    let queries = link.share(names.subject("find", &calls.group)).await?;
    // Not shared: nobody knows which worker has the call, so all receive the cancellation.
    let cancellations = link
        .subscribe(names.subject("cancel", &calls.group))
        .await?;
    link.flush().await?;
    announcement.announce().await?;
    let announcement = Arc::new(announcement);
    let (stop, mut serving) = (CancellationToken::new(), JoinSet::new());
    serving.spawn(pull(Arc::clone(&calls), puller, most.0, stop.clone()));
    serving.spawn(read(Arc::clone(&calls), requests, most.1, stop.clone()));
    let mut listening = JoinSet::new();
    listening.spawn(query(Arc::clone(&calls), queries));
    listening.spawn(cancel(Arc::clone(&calls), cancellations));
    listening.spawn(beat(Arc::clone(&announcement), stop.clone()));
    Ok(RunningWorker {
        calls,
        announcement,
        stop,
        serving,
        listening,
    })
}

impl RunningWorker {
    /// Returns the name of the worker.
    pub fn name(&self) -> &str {
        &self.calls.name
    }

    /// Returns the number of calls that run or wait here.
    pub fn running(&self) -> usize {
        self.calls.cancelled.running()
    }

    /// Waits until the connection is closed, which happens only if the process closes it.
    pub(super) async fn closed(&mut self) {
        while self.serving.join_next().await.is_some() {}
        while self.listening.join_next().await.is_some() {}
    }

    /// Stops the worker: it accepts no further calls, waits up to `grace` for running ones, and then cancels them.
    pub async fn stop(mut self, grace: Duration) {
        // First: callers remove tools that no other worker offers, and send no further calls.
        self.announcement.withdraw().await;
        self.stop.cancel();
        if timeout(grace, self.served()).await.is_err() {
            self.calls.cancelled.cancel_all();
            // A call that does not end is delivered to another worker, which finds it in the ledger.
            let _ = timeout(LAST, self.served()).await;
        }
        // Sends the last outcomes.
        let _ = self.calls.link.flush().await;
    }

    /// Waits until no call runs, and no delivery is on its way.
    async fn served(&mut self) {
        while self.serving.join_next().await.is_some() {}
    }
}

tool_core::debug_fields!(RunningWorker, this => name: this.name(), running: this.running());

/// Pulls calls of the queue.
async fn pull(calls: Arc<Calls>, mut puller: Puller, most: usize, stop: CancellationToken) {
    let mut running = JoinSet::new();
    let pulling = async {
        loop {
            let free = most.saturating_sub(running.len());
            tokio::select! {
                delivery = puller.next(free) => {
                    if let Some(delivery) = delivery {
                        running.spawn(queued::serve(Arc::clone(&calls), delivery));
                    }
                }
                Some(_) = running.join_next() => {}
            }
        }
    };
    stop.run_until_cancelled(pulling).await;
    // Deliveries on their way go back at once. Otherwise, other workers get them only after `ack_wait`.
    puller.close().await;
    while running.join_next().await.is_some() {}
}

/// Receives calls that only read. A stopping worker still runs those that have arrived.
async fn read(calls: Arc<Calls>, mut requests: Subscription, most: usize, stop: CancellationToken) {
    let mut running = JoinSet::new();
    let start = |running: &mut JoinSet<()>, message: Message| {
        while running.try_join_next().is_some() {}
        let is_busy = running.len() >= most;
        running.spawn(reads::read(Arc::clone(&calls), message, is_busy));
    };
    while let Some(Some(message)) = stop.run_until_cancelled(requests.next()).await {
        start(&mut running, message);
    }
    requests.drain().await;
    while let Some(message) = requests.next().await {
        start(&mut running, message);
    }
    while running.join_next().await.is_some() {}
}

/// Sends heartbeats until the worker stops.
async fn beat(announcement: Arc<Announcement>, stop: CancellationToken) {
    stop.run_until_cancelled(announcement.keep()).await;
}

/// Responds to queries, also while the worker stops.
async fn query(calls: Arc<Calls>, mut queries: Subscription) {
    let mut running = JoinSet::new();
    while let Some(message) = queries.next().await {
        if running.len() >= QUERIES {
            running.join_next().await;
        }
        running.spawn(reads::query(Arc::clone(&calls), message));
        while running.try_join_next().is_some() {}
    }
}

/// Receives cancellations, also while the worker stops.
async fn cancel(calls: Arc<Calls>, mut cancellations: Subscription) {
    while let Some(message) = cancellations.next().await {
        reads::cancel(&calls, &message).await;
    }
}
