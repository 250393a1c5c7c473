//! Connection to a server, followed until its end.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::endpoint::Endpoint;
use super::list::{self, List, ListError};
use super::server::Server;
use super::start::subscribe;
use crate::wire::{Link, RequestError, ToolChanges};

/// Time in which further changes of the tools are awaited.
const DEBOUNCE: Duration = Duration::from_millis(250);

/// Minimum interval between two lists.
const LIST_INTERVAL: Duration = Duration::from_secs(2);

/// Time in which the last output of a program that exited is read.
const LAST_OUTPUT: Duration = Duration::from_millis(200);

/// Time for a server to list its tools after a failed request.
const RESPONSE_LIMIT: Duration = Duration::from_secs(3);

/// Life of a subscription that is not an early end.
const LONG_SUBSCRIPTION: Duration = Duration::from_secs(30);

/// Maximum exponent of the interval after early ends.
const MAX_ENDS: u32 = 7;

/// Reason for the end of a connection.
pub(super) enum End {
    Died,
    /// No call needs the server.
    Idle,
    Reconnect,
    Stopped,
}

/// Connection whose tools are followed.
pub(super) struct Follow<'t> {
    server: &'t Arc<Server>,
    link: &'t Link,
    changes: Option<ToolChanges>,
    /// Digest of the last list.
    digest: [u8; 32],
    /// Number of subscriptions that the server closed early, without a change.
    early_ends: u32,
    subscribed: Instant,
}

impl<'t> Follow<'t> {
    pub(super) fn new(
        server: &'t Arc<Server>,
        link: &'t Link,
        changes: Option<ToolChanges>,
        digest: [u8; 32],
    ) -> Self {
        Self {
            server,
            link,
            changes,
            digest,
            early_ends: 0,
            subscribed: Instant::now(),
        }
    }

    /// Waits for the end of the connection, and lists the tools after changes.
    pub(super) async fn until_end(mut self, running: &mut Endpoint) -> End {
        let signals = self.link.signals();
        let mut listed = Instant::now();
        let mut list_at: Option<Instant> = None;
        loop {
            let idle_at = self.server.idle_at();
            tokio::select! {
                () = sleep_until(idle_at.unwrap_or(listed)), if idle_at.is_some() => {
                    if self.becomes_idle() {
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
                is_announced = next_change(&mut self.changes) => self.count_end(is_announced),
                () = sleep_until(list_at.unwrap_or(listed)), if list_at.is_some() => {
                    self.refresh().await;
                    listed = Instant::now();
                    list_at = None;
                    continue;
                }
            }
            let interval = LIST_INTERVAL.saturating_mul(2_u32.pow(self.early_ends.min(MAX_ENDS)));
            let earliest = (listed + interval).max(Instant::now() + DEBOUNCE);
            list_at = list_at.or(Some(earliest));
        }
    }

    /// Stops the use of the server if no call needs it.
    fn becomes_idle(&self) -> bool {
        // A call may have begun since.
        let is_due = self.server.idle_at().is_some_and(|at| at <= Instant::now());
        let is_idle = is_due && self.server.set_idle();
        if is_due && !is_idle {
            self.server.touch();
        }
        is_idle
    }

    /// Counts an early end of the subscription, after which the next one waits longer.
    fn count_end(&mut self, is_announced: bool) {
        let is_early = !is_announced && self.subscribed.elapsed() < LONG_SUBSCRIPTION;
        self.early_ends = if is_early { self.early_ends + 1 } else { 0 };
    }

    /// Lists the tools again, and replaces them if they changed.
    async fn refresh(&mut self) {
        if self.changes.is_none() {
            self.changes = subscribe(self.link).await;
            self.subscribed = Instant::now();
        }
        let deadline = Instant::now() + self.server.config().start_limit();
        // On the heap, so that an idle connection does not reserve the space of its futures.
        let list = Box::pin(list::request(self.server.name(), self.link));
        let request = timeout_at(deadline, list);
        match self.server.stop.run_until_cancelled(request).await {
            Some(Ok(Ok(list))) => self.replace(list).await,
            Some(_) => {
                tracing::warn!(server = %self.server.name(), "changed tools could not be listed");
            }
            None => {}
        }
    }

    /// Returns `true` if the server lists its tools after a failed request.
    async fn responds(&mut self) -> bool {
        let list = Box::pin(list::request(self.server.name(), self.link));
        let request = timeout(RESPONSE_LIMIT, list);
        match self.server.stop.run_until_cancelled(request).await {
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

    async fn replace(&mut self, list: List) {
        if list.digest != self.digest {
            self.digest = list.digest;
            self.server.publish(list);
            self.server.pins.save().await;
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
