//! Task of one server: starts it, follows its tools until its end, and starts it again.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};
use tool_core::middleware::Backoff;

use super::list::{self, Boxed, List};
use super::process::Running;
use super::report::ServerError;
use super::server::{STARTS, Server};
use super::start::{CLOSED, Started, start, subscribe};
use crate::locked;
use crate::wire::{Failure, Link, ToolChanges};

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

/// Time for a remote server to delete the session, and for a stream to be closed.
const SESSION_END: Duration = Duration::from_secs(1);

/// First and longest delay before a restart.
const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_mins(1);

/// Life after which the delay starts again from the first one.
const HEALTHY: Duration = Duration::from_mins(1);

/// Maximum number of deaths in a window.
const MAX_DEATHS: usize = 8;
const WINDOW: Duration = Duration::from_mins(10);

/// Runs a server until it is stopped.
pub(crate) async fn run(server: Arc<Server>) {
    let mut task = Task {
        deaths: Deaths::default(),
        is_restart: false,
        server,
    };
    loop {
        let life: Boxed<'_, bool> = Box::pin(task.live_once());
        if !life.await {
            return task.server.set_stopped();
        }
    }
}

/// Reason for the end of a connection.
enum End {
    Died,
    Reconnect,
}

struct Task {
    server: Arc<Server>,
    deaths: Deaths,
    /// Whether the server was ready before.
    is_restart: bool,
}

impl Task {
    /// Starts the server and follows it until it stops. Returns `false` if the server must stop.
    async fn live_once(&mut self) -> bool {
        let began = Instant::now();
        let starting = async {
            // The semaphore is never closed.
            let _permit = STARTS.acquire().await;
            start(&self.server).await
        };
        let starting: Boxed<'_, _> = Box::pin(starting);
        match self.server.stop.run_until_cancelled(starting).await {
            Some(Ok(started)) => self.live(started, began.elapsed()).await,
            Some(Err(error)) => self.after_failure(error).await,
            None => {
                self.server.kill().await;
                false
            }
        }
    }

    async fn live(&mut self, started: Started, start_time: Duration) -> bool {
        let link = started.link;
        let mut running = locked(&self.server.running).take();
        let follow = Follow {
            server: &self.server,
            link: &link,
            changes: started.changes,
            subscribed: Instant::now(),
        };
        self.server.set_ready(&link, started.list, start_time);
        let ready = Instant::now();
        let ending: Boxed<'_, End> = Box::pin(follow.until_end(running.as_mut()));
        let reason = self.server.stop.run_until_cancelled(ending).await;
        self.is_restart = true;
        link.close();
        let mut delay = None;
        if matches!(reason, Some(End::Died)) {
            let restarts = self.server.config.restart && self.server.can_restart();
            delay = self.deaths.add(ready.elapsed());
            delay = delay.filter(|_| restarts);
            self.announce(delay, None);
        }
        // Only now: a program may take seconds to exit, and calls should fail at once in the meantime.
        match running {
            Some(running) => running.end().await,
            // After the limit, the session is deleted in the background.
            None => drop(timeout(SESSION_END, link.signals.closed.cancelled()).await),
        }
        match reason {
            None => false,
            Some(End::Reconnect) => {
                self.is_restart = false;
                true
            }
            Some(End::Died) => self.wait(delay).await,
        }
    }

    /// Waits after a failed start. Returns `false` if the server must stop.
    async fn after_failure(&mut self, error: ServerError) -> bool {
        // Waiting does not log in.
        let needs_login = matches!(error, ServerError::LoginRequired { .. });
        // If the very first start fails, the configuration is usually wrong, and trying again would not help.
        if !self.is_restart || !self.server.can_restart() || needs_login {
            self.server.set_failed(error);
            return self.wait(None).await;
        }
        let delay = self.deaths.add(Duration::ZERO);
        self.announce(delay, Some(error));
        self.wait(delay).await
    }

    /// Announces a restart after `delay`, or the failure without one.
    fn announce(&self, delay: Option<Duration>, error: Option<ServerError>) {
        let server = &self.server;
        if let Some(delay) = delay {
            server.set_restarting(self.deaths.tries, delay, error);
        } else if server.can_restart() {
            let deaths = self.deaths.recent.len();
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
                self.deaths = Deaths::default();
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
    /// Time of the last subscription.
    subscribed: Instant,
}

impl Follow<'_> {
    /// Waits for the end of the connection, and lists the tools after changes.
    async fn until_end(mut self, running: Option<&mut Running>) -> End {
        let signals = &self.link.signals;
        let exited = async {
            match running {
                // An error means that the program has exited.
                Some(running) => drop(running.tree.wait().await),
                None => std::future::pending().await,
            }
        };
        let mut exited = pin!(exited);
        let mut listed = Instant::now();
        let mut list_at: Option<Instant> = None;
        loop {
            let mut interval = LIST_INTERVAL;
            tokio::select! {
                () = self.server.reconnect.notified() => return End::Reconnect,
                () = signals.closed.cancelled() => return End::Died,
                () = &mut exited => {
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
        match self.list(self.server.config.start_limit()).await {
            Ok(list) => self.replace(list).await,
            Err(_) => {
                tracing::warn!(server = %self.server.name, "changed tools could not be listed");
            }
        }
    }

    /// Returns `true` if the server lists its tools after a failed request.
    async fn responds(&self) -> bool {
        match self.list(RESPONSE_LIMIT).await {
            Ok(list) => {
                self.replace(list).await;
                true
            }
            Err(failure) => matches!(failure, Failure::Server { .. }),
        }
    }

    async fn list(&self, limit: Duration) -> Result<List, Failure> {
        let listed = timeout(limit, list::request(&self.server.name, self.link)).await;
        listed.unwrap_or(Err(Failure::Lost))
    }

    async fn replace(&self, list: List) {
        // A list that is the same needs no review.
        if !self.server.has_listed(&list) {
            self.server.publish(list);
            self.server.report_change();
            self.server.shared.pins.save().await;
        }
    }
}

/// Waits for a change, or for the end of the subscription. Returns `true` for a change.
async fn next_change(changes: &mut Option<ToolChanges>) -> bool {
    let Some(subscription) = changes else {
        return std::future::pending().await;
    };
    let is_announced = matches!(subscription.next().await, Ok(Some(_)));
    if !is_announced {
        *changes = None;
    }
    is_announced
}

/// Deaths of one server.
#[derive(Debug, Default)]
struct Deaths {
    /// Number of the next try, from 1.
    tries: u32,
    recent: VecDeque<Instant>,
}

impl Deaths {
    /// Records the end of a server, or of a failed restart, after a life of `life`. Returns the
    /// delay before the next start, or `None` if the server stopped too often.
    fn add(&mut self, life: Duration) -> Option<Duration> {
        let now = Instant::now();
        self.recent.push_back(now);
        self.recent
            .retain(|death| now.duration_since(*death) <= WINDOW);
        if self.recent.len() >= MAX_DEATHS {
            return None;
        }
        self.tries = if life >= HEALTHY { 1 } else { self.tries + 1 };
        Backoff::new(FIRST, LONGEST).wait_after(self.tries, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn delay_doubles_until_server_stopped_too_often() {
        let mut deaths = Deaths::default();
        for seconds in [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0] {
            let delay = deaths.add(Duration::ZERO).unwrap().as_secs_f64();

            assert!(
                (seconds * 0.5..=seconds).contains(&delay),
                "{delay} for {seconds}"
            );
        }
        assert_eq!(deaths.add(Duration::ZERO), None);
        assert_eq!(deaths.recent.len(), 8);
    }

    #[tokio::test(start_paused = true)]
    async fn healthy_life_resets_delay() {
        let mut deaths = Deaths::default();
        for _ in 0..20 {
            tokio::time::advance(Duration::from_mins(2)).await;
            let delay = deaths.add(Duration::from_mins(2)).unwrap();

            assert!(delay <= Duration::from_millis(600), "{delay:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn delay_is_limited() {
        let mut deaths = Deaths::default();
        for _ in 0..20 {
            tokio::time::advance(Duration::from_secs(100)).await;
            let delay = deaths.add(Duration::ZERO).unwrap();

            assert!(delay <= LONGEST, "{delay:?}");
        }
    }
}
