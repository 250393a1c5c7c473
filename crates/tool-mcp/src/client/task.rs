//! Task of one server: starts it, follows its tools and starts it again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until};

use super::backoff::Backoff;
use super::endpoint::Endpoint;
use super::error::ServerError;
use super::follow::{End, Follow};
use super::server::Server;
use super::start::{Start, Started};

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
    let mut lives = !task.server.set_lazy() || task.sleep().await;
    while lives {
        lives = Box::pin(task.live_once()).await;
    }
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
                // Not `end`: a program that did not start has nothing to finish after the end of its input.
                if let Some(running) = running {
                    running.kill().await;
                }
                self.after_failure(error).await
            }
        }
    }

    async fn live(&mut self, started: Started, mut running: Endpoint, began: Instant) -> bool {
        let Started {
            link,
            list,
            changes,
        } = started;
        let digest = list.digest;
        let link = self.server.set_ready(link, list, began.elapsed());
        self.is_restart = true;
        let ready = Instant::now();
        let follow = Follow::new(&self.server, &link, changes, digest);
        let reason = follow.until_end(&mut running).await;
        link.close();
        match reason {
            End::Stopped => {
                running.end().await;
                false
            }
            End::Idle => {
                running.end().await;
                self.sleep().await
            }
            End::Reconnect => {
                self.is_restart = false;
                running.end().await;
                true
            }
            End::Died => {
                let restarts = self.server.config().restart && self.server.can_restart();
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
        match delay {
            Some(delay) => self
                .server
                .set_restarting(self.backoff.tries(), delay, error),
            None => self.server.set_failed(self.last_error()),
        }
    }

    /// Returns the error of a server that is not started again.
    fn last_error(&self) -> ServerError {
        let server = self.server.name().to_owned();
        if !self.server.can_restart() {
            return ServerError::ConnectionClosed { server };
        }
        ServerError::StoppedTooOften {
            server,
            deaths: self.backoff.deaths(),
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

async fn end(running: Option<Endpoint>) {
    if let Some(running) = running {
        running.end().await;
    }
}
