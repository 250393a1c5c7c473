//! Task of one server: starts it, follows its tools until its end, and starts it again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout};

use super::backoff::Backoff;
use super::error::ServerError;
use super::list::{self, Boxed, List, ListError};
use super::server::Server;
use super::start::{CLOSED, Endpoint, Started, start, subscribe};
use crate::wire::{Link, RequestError, ToolChanges};

/// Time in which further changes of the tools are awaited.
const DEBOUNCE: Duration = Duration::from_millis(250);

/// Minimum interval between two lists.
const LIST_INTERVAL: Duration = Duration::from_secs(2);

/// Minimum interval between two subscriptions, because some servers end them at once.
const SUBSCRIBE_INTERVAL: Duration = Duration::from_secs(30);

/// Time in which the last output of a program that exited is read.
const LAST_OUTPUT: Duration = Duration::from_millis(200);

/// Time for a server to list its tools after a failed request.
const RESPONSE_LIMIT: Duration = Duration::from_secs(3);

/// Runs a server until it is stopped. `starts` limits the number of programs that start
/// concurrently.
pub(crate) async fn run(server: Arc<Server>, starts: Arc<Semaphore>) {
    let mut task = Task {
        backoff: Backoff::default(),
        is_restart: false,
        server,
        starts,
    };
    let mut lives = !task.server.set_lazy() || task.sleep().await;
    while lives {
        let life: Boxed<'_, bool> = Box::pin(task.live_once());
        lives = life.await;
    }
    task.server.set_stopped();
}

/// Reason for the end of a connection.
enum End {
    Died,
    /// No call needs the server.
    Idle,
    Reconnect,
    Stopped,
}

struct Task {
    server: Arc<Server>,
    starts: Arc<Semaphore>,
    backoff: Backoff,
    /// Whether the server was ready before.
    is_restart: bool,
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
            start(&self.server, &mut running).await
        };
        let starting: Boxed<'_, _> = Box::pin(starting);
        let started = stop.run_until_cancelled(starting).await;
        match (started, running) {
            (Some(Ok(started)), Some(running)) => self.live(started, running, began).await,
            (Some(Ok(_)), None) => true,
            (None, running) => {
                if let Some(running) = running {
                    running.end().await;
                }
                false
            }
            (Some(Err(error)), running) => {
                // Not `end`: a program that did not start has nothing to finish after the end of its input.
                if let Some(running) = running {
                    running.kill().await;
                }
                self.after_failure(error).await
            }
        }
    }

    async fn live(&mut self, started: Started, mut running: Endpoint, began: Instant) -> bool {
        let link = started.link;
        let follow = Follow {
            server: &self.server,
            link: &link,
            changes: started.changes,
            digest: started.list.digest,
            subscribed: Instant::now(),
        };
        let start_time = began.elapsed();
        self.server.set_ready(&link, started.list, start_time);
        let ready = Instant::now();
        let ending: Boxed<'_, End> = Box::pin(follow.until_end(&mut running));
        let reason = ending.await;
        self.is_restart = true;
        link.close();
        let delay = match reason {
            End::Died => {
                let restarts = self.server.config.restart && self.server.can_restart();
                let delay = self.backoff.after_death(ready.elapsed());
                let delay = delay.filter(|_| restarts);
                self.announce(delay, None);
                delay
            }
            _ => None,
        };
        running.end().await;
        match reason {
            End::Stopped => false,
            End::Idle => self.sleep().await,
            End::Reconnect => {
                self.is_restart = false;
                true
            }
            End::Died => self.wait(delay).await,
        }
    }

    /// Waits for the next call of an idle server. Returns `false` if the server must stop.
    async fn sleep(&mut self) -> bool {
        tokio::select! {
            () = self.server.stop.cancelled() => return false,
            () = self.server.reconnect.notified() => self.is_restart = false,
            () = self.server.wake.notified() => self.server.set_waking(),
        }
        true
    }

    /// Waits after a failed start. Returns `false` if the server must stop.
    async fn after_failure(&mut self, error: ServerError) -> bool {
        // Waiting does not log in.
        let needs_login = matches!(error, ServerError::LoginRequired { .. });
        if !self.is_restart || !self.server.can_restart() || needs_login {
            self.server.set_failed(error);
            return self.wait(None).await;
        }
        let delay = self.backoff.after_death(Duration::ZERO);
        self.announce(delay, Some(error));
        self.wait(delay).await
    }

    /// Announces a restart after `delay`, or the failure without one.
    fn announce(&self, delay: Option<Duration>, error: Option<ServerError>) {
        let server = &self.server;
        if let Some(delay) = delay {
            server.set_restarting(self.backoff.tries(), delay, error);
        } else if server.can_restart() {
            let deaths = self.backoff.deaths();
            let rest =
                format!(" stopped {deaths} times in 10 minutes. Fix it, and call `reconnect`.");
            server.set_failed(ServerError::failed(&server.name, rest));
        } else {
            server.set_failed(ServerError::failed(&server.name, CLOSED));
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

/// Connection whose tools are followed.
struct Follow<'t> {
    server: &'t Arc<Server>,
    link: &'t Link,
    changes: Option<ToolChanges>,
    /// Digest of the last list.
    digest: [u8; 32],
    /// Time of the last subscription.
    subscribed: Instant,
}

impl Follow<'_> {
    /// Waits for the end of the connection, and lists the tools after changes.
    async fn until_end(mut self, running: &mut Endpoint) -> End {
        let signals = self.link.signals();
        let mut listed = Instant::now();
        let mut list_at: Option<Instant> = None;
        loop {
            let idle_at = self.server.idle_at();
            let mut interval = LIST_INTERVAL;
            tokio::select! {
                () = sleep_until(idle_at.unwrap_or(listed)), if idle_at.is_some() => {
                    if self.server.becomes_idle() {
                        return End::Idle;
                    }
                    continue;
                }
                () = self.server.stop.cancelled() => return End::Stopped,
                () = self.server.reconnect.notified() => return End::Reconnect,
                () = signals.closed.cancelled() => return End::Died,
                () = running.exited() => {
                    // A descendant may hold the output open.
                    let _ = timeout(LAST_OUTPUT, signals.closed.cancelled()).await;
                    return End::Died;
                }
                () = signals.suspect.notified() => {
                    if !self.responds().await {
                        return End::Died;
                    }
                    listed = Instant::now();
                    continue;
                }
                () = signals.tools_changed.notified() => {}
                is_announced = next_change(&mut self.changes) => {
                    if !is_announced {
                        let rest = SUBSCRIBE_INTERVAL.saturating_sub(self.subscribed.elapsed());
                        interval = interval.max(rest);
                    }
                }
                () = sleep_until(list_at.unwrap_or(listed)), if list_at.is_some() => {
                    self.refresh().await;
                    listed = Instant::now();
                    list_at = None;
                    continue;
                }
            }
            let earliest = (listed + interval).max(Instant::now() + DEBOUNCE);
            list_at = list_at.or(Some(earliest));
        }
    }

    /// Lists the tools again, and replaces them if they changed.
    async fn refresh(&mut self) {
        if self.changes.is_none() {
            self.changes = subscribe(self.link).await;
            self.subscribed = Instant::now();
        }
        let limit = self.server.config.start_limit();
        match self.list(limit).await {
            Some(Ok(Ok(list))) => self.replace(list).await,
            Some(_) => {
                tracing::warn!(server = %self.server.name, "changed tools could not be listed");
            }
            None => {}
        }
    }

    /// Returns `true` if the server lists its tools after a failed request.
    async fn responds(&mut self) -> bool {
        match self.list(RESPONSE_LIMIT).await {
            Some(Ok(Ok(list))) => {
                self.replace(list).await;
                true
            }
            // The server responds, or the caller stops it.
            Some(Ok(Err(
                ListError::NotAList | ListError::Request(RequestError::Server { .. }),
            )))
            | None => true,
            Some(_) => false,
        }
    }

    /// Requests a list. Returns `None` if the server must stop.
    async fn list(
        &self,
        limit: Duration,
    ) -> Option<Result<Result<List, ListError>, tokio::time::error::Elapsed>> {
        let request = timeout(limit, list::request(&self.server.name, self.link));
        self.server.stop.run_until_cancelled(request).await
    }

    async fn replace(&mut self, list: List) {
        if list.digest != self.digest {
            self.digest = list.digest;
            self.server.publish(list);
            self.server.shared.pins.save().await;
        }
    }
}

/// Waits for a change, or for the end of the subscription. Returns `true` for a change.
async fn next_change(changes: &mut Option<ToolChanges>) -> bool {
    let Some(subscription) = changes else {
        return std::future::pending().await;
    };
    let is_announced = subscription.next().await.is_some();
    if !is_announced {
        *changes = None;
    }
    is_announced
}
