//! Tasks of a running worker, and its places for calls.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};
use tool_core::CancellationToken;

use super::announcement::Announcement;
use super::calls::Calls;
use super::{Places, queued, reads};
use crate::RemoteError;
use crate::nats::{Message, Puller, Subscription};

/// Time for which a stopping worker returns deliveries that are on their way.
const CLOSING: Duration = Duration::from_millis(200);
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
    queued: Arc<Places>,
    reads: Arc<Places>,
    tasks: JoinSet<()>,
}

/// Starts the tasks of a worker. The definitions are stored last, so that calls find their receivers.
pub(super) async fn start(
    calls: Arc<Calls>,
    announcement: Announcement,
    puller: Puller,
    queued: Arc<Places>,
    most_reads: usize,
) -> Result<RunningWorker, RemoteError> {
    let (link, names) = (&calls.link, calls.link.names());
    let requests = link.share(names.read(&calls.group)).await?;
    let queries = link.share(names.find(&calls.group)).await?;
    // Not shared: nobody knows which worker has the call, so all receive the cancellation.
    let cancellations = link.subscribe(names.cancel(&calls.group)).await?;
    link.flush().await?;
    announcement.announce(&calls.offers).await?;
    let mut worker = RunningWorker {
        announcement: Arc::new(announcement),
        stop: CancellationToken::new(),
        queued,
        reads: Arc::new(Places::new(most_reads)),
        tasks: JoinSet::new(),
        calls,
    };
    worker.spawn(requests, queries, cancellations, puller);
    Ok(worker)
}

impl RunningWorker {
    fn spawn(
        &mut self,
        requests: Subscription,
        queries: Subscription,
        cancellations: Subscription,
        puller: Puller,
    ) {
        let (calls, stop) = (&self.calls, &self.stop);
        let tasks = &mut self.tasks;
        tasks.spawn(pull(
            Arc::clone(calls),
            puller,
            Arc::clone(&self.queued),
            stop.clone(),
        ));
        tasks.spawn(read(
            Arc::clone(calls),
            requests,
            Arc::clone(&self.reads),
            stop.clone(),
        ));
        tasks.spawn(query(Arc::clone(calls), queries));
        tasks.spawn(cancel(Arc::clone(calls), cancellations));
        let (calls, announcement) = (Arc::clone(calls), Arc::clone(&self.announcement));
        let stop = stop.clone();
        tasks.spawn(async move {
            stop.run_until_cancelled(announcement.keep(&calls.offers))
                .await;
        });
    }

    /// Returns the name of the worker.
    pub fn name(&self) -> &str {
        &self.calls.name
    }

    /// Returns the number of calls that run or wait here.
    pub fn running(&self) -> usize {
        self.queued.taken() + self.reads.taken()
    }

    /// Waits until the connection is closed, which happens only if the process closes it.
    pub(super) async fn closed(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }

    /// Stops the worker: it accepts no further calls, waits up to `grace` for running ones, and then cancels them.
    pub async fn stop(mut self, grace: Duration) {
        // First: callers remove tools that no other worker offers, and send no further calls.
        self.announcement.withdraw().await;
        self.stop.cancel();
        let end = Instant::now() + grace;
        if timeout_at(end, self.idle()).await.is_err() {
            self.calls.cancelled.cancel_all();
            // A call that does not end is delivered to another worker, which finds it in the ledger.
            let _ = tokio::time::timeout(LAST, self.idle()).await;
        }
        // Sends the last outcomes.
        let _ = self.calls.link.flush().await;
        self.tasks.shutdown().await;
    }

    /// Waits until no call runs, and no delivery is on its way.
    async fn idle(&self) {
        sleep(CLOSING * 2).await;
        while self.running() + self.calls.confirming.taken() > 0 {
            sleep(CLOSING / 10).await;
        }
    }
}

tool_core::debug_fields!(RunningWorker, this => name: this.name(), running: this.running());

/// Pulls calls of the queue.
async fn pull(calls: Arc<Calls>, mut puller: Puller, places: Arc<Places>, stop: CancellationToken) {
    let mut running = JoinSet::new();
    let pulling = async {
        loop {
            tokio::select! {
                delivery = puller.next(places.free(), places.total()) => {
                    if let Some(delivery) = delivery {
                        let place = places.take();
                        running.spawn(queued::serve(Arc::clone(&calls), delivery, place));
                    }
                }
                () = places.freed() => {}
            }
            while running.try_join_next().is_some() {}
        }
    };
    stop.run_until_cancelled(pulling).await;
    // Deliveries on their way go back at once. Otherwise, other workers get them only after `ack_wait`.
    puller.close(CLOSING).await;
    while running.join_next().await.is_some() {}
}

/// Receives calls that only read. A stopping worker still runs those that have arrived.
async fn read(
    calls: Arc<Calls>,
    mut requests: Subscription,
    places: Arc<Places>,
    stop: CancellationToken,
) {
    let mut running = JoinSet::new();
    let start = |running: &mut JoinSet<()>, message: Message| {
        running.spawn(reads::read(Arc::clone(&calls), message, places.try_take()));
        while running.try_join_next().is_some() {}
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn drop_frees_place_and_notifies() {
        let places = Arc::new(Places::new(1));
        let first = places.try_take();

        assert!(first.is_some() && places.try_take().is_none());
        drop(first);
        places.freed().await;
        assert_eq!(places.free(), 1);
    }
}
