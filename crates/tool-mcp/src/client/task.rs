//! Task of one server: starts it, follows its tools and starts it again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::backoff::Backoff;
use super::list::{self, List};
use super::process::Running;
use super::report::ServerError;
use super::server::Server;
use super::start::{Start, Started, subscribe};
use crate::wire::{Link, ToolChanges};

/// Time in which further changes of the tools are awaited.
const DEBOUNCE: Duration = Duration::from_millis(250);

/// Minimum interval between two lists.
const LIST_INTERVAL: Duration = Duration::from_secs(2);

/// Time in which the last output of a program that exited is read.
const LAST_OUTPUT: Duration = Duration::from_millis(200);

/// Runs a server until it is stopped. `starts` limits the number of programs that start
/// concurrently.
pub(crate) async fn run(server: Arc<Server>, starts: Arc<Semaphore>) {
    let mut task = Task {
        start: Start::new(Arc::clone(&server)),
        backoff: Backoff::default(),
        is_restart: false,
        server,
        starts,
    };
    while Box::pin(task.live_once()).await {}
    task.server.set_stopped();
}

struct Task {
    server: Arc<Server>,
    starts: Arc<Semaphore>,
    start: Start,
    backoff: Backoff,
    /// Whether the server was ready before.
    is_restart: bool,
}

/// Reason for the end of a connection.
enum End {
    Died,
    Reconnect,
    Stopped,
}

impl Task {
    /// Starts the server and follows it until it stops. Returns `false` if the server must stop.
    async fn live_once(&mut self) -> bool {
        let mut running = None;
        let began = Instant::now();
        let stop = self.server.stop.clone();
        let starting = async {
            // The semaphore is never closed.
            let _permit = self.starts.acquire().await;
            self.start.start(&mut running).await
        };
        let Some(started) = stop.run_until_cancelled(Box::pin(starting)).await else {
            end(running).await;
            return false;
        };
        match (started, running) {
            (Ok(started), Some(running)) => self.live(started, running, began).await,
            (Ok(_), None) => true,
            (Err(error), running) => {
                end(running).await;
                self.after_failure(error).await
            }
        }
    }

    async fn live(&mut self, started: Started, mut running: Running, began: Instant) -> bool {
        let Started {
            link,
            list,
            changes,
        } = started;
        let digest = list.digest;
        let link = self.server.set_ready(link, list, began.elapsed());
        self.is_restart = true;
        let ready = Instant::now();
        let follow = Follow {
            server: &self.server,
            link: &link,
            changes,
            digest,
        };
        let reason = follow.until_end(&mut running).await;
        link.close();
        match reason {
            End::Stopped => {
                running.end().await;
                false
            }
            End::Reconnect => {
                self.is_restart = false;
                running.end().await;
                true
            }
            End::Died => {
                let restarts = self.server.config().restart;
                let delay = self
                    .backoff
                    .after_death(ready.elapsed())
                    .filter(|_| restarts);
                self.announce(delay, None);
                running.end().await;
                self.wait(delay).await
            }
        }
    }

    /// Waits after a failed start. Returns `false` if the server must stop.
    async fn after_failure(&mut self, error: ServerError) -> bool {
        if !self.is_restart {
            self.server.set_failed(error);
            return self.wait(None).await;
        }
        let delay = self.backoff.after_death(Duration::ZERO);
        self.announce(delay, Some(error));
        self.wait(delay).await
    }

    /// Announces a restart after `delay`, or the failure without one.
    fn announce(&self, delay: Option<Duration>, error: Option<ServerError>) {
        match delay {
            Some(delay) => self
                .server
                .set_restarting(self.backoff.tries(), delay, error),
            None => self.server.set_failed(ServerError::StoppedTooOften {
                server: self.server.name().to_owned(),
                deaths: self.backoff.deaths(),
            }),
        }
    }

    /// Waits for the next start: after `delay`, or for a request. Returns `false` if the server must
    /// stop.
    async fn wait(&mut self, delay: Option<Duration>) -> bool {
        tokio::select! {
            () = self.server.stop.cancelled() => false,
            () = self.server.reconnect.notified() => {
                self.is_restart = false;
                self.backoff = Backoff::default();
                true
            }
            () = sleep_until(Instant::now() + delay.unwrap_or_default()), if delay.is_some() => true,
        }
    }
}

async fn end(running: Option<Running>) {
    if let Some(running) = running {
        running.end().await;
    }
}

/// Connection whose tools are followed.
struct Follow<'t> {
    server: &'t Arc<Server>,
    link: &'t Link,
    changes: Option<ToolChanges>,
    /// Digest of the last list.
    digest: [u8; 32],
}

impl Follow<'_> {
    async fn until_end(mut self, running: &mut Running) -> End {
        let signals = self.link.signals();
        let mut listed = Instant::now();
        let mut list_at: Option<Instant> = None;
        loop {
            tokio::select! {
                () = self.server.stop.cancelled() => return End::Stopped,
                () = self.server.reconnect.notified() => return End::Reconnect,
                () = signals.closed.cancelled() => return End::Died,
                _ = running.tree.wait() => {
                    // A descendant may hold the output open.
                    let _ = timeout(LAST_OUTPUT, signals.closed.cancelled()).await;
                    return End::Died;
                }
                () = signals.tools_changed.notified() => {}
                () = next_change(&mut self.changes) => {}
                () = sleep_until(list_at.unwrap_or(listed)), if list_at.is_some() => {
                    self.refresh().await;
                    listed = Instant::now();
                    list_at = None;
                    continue;
                }
            }
            let earliest = (listed + LIST_INTERVAL).max(Instant::now() + DEBOUNCE);
            list_at = list_at.or(Some(earliest));
        }
    }

    /// Lists the tools again, and replaces them if they changed.
    async fn refresh(&mut self) {
        if self.changes.is_none() {
            self.changes = subscribe(self.link).await;
        }
        let deadline = Instant::now() + self.server.config().startup_timeout;
        let request = timeout_at(deadline, list::request(self.link));
        match self.server.stop.run_until_cancelled(request).await {
            Some(Ok(Ok(list))) => self.replace(list),
            Some(_) => {
                tracing::warn!(server = %self.server.name(), "changed tools could not be listed");
            }
            None => {}
        }
    }

    fn replace(&mut self, list: List) {
        if list.digest != self.digest {
            self.digest = list.digest;
            self.server.publish(list);
        }
    }
}

/// Waits for a change, or for the end of the subscription.
async fn next_change(changes: &mut Option<ToolChanges>) {
    match changes {
        Some(subscription) => {
            if subscription.next().await.is_none() {
                *changes = None;
            }
        }
        None => std::future::pending().await,
    }
}
