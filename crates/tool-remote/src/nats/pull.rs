//! Pulls from a consumer, bounded by the free places of the worker, and the calls that it delivers.

use std::collections::VecDeque;
use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::BatchConfig;
use async_nats::jetstream::{self, AckKind};
use async_nats::{StatusCode, Subject, Subscriber};
use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Body, Link, Message};
use crate::RemoteError;

/// Time after which the server drops a pull request.
const EXPIRY: Duration = Duration::from_secs(5);
/// Time that a status of the server may take.
const MARGIN: Duration = Duration::from_secs(1);
/// Delay before the consumer is created again.
const BACKOFF: Duration = Duration::from_millis(500);
/// Header of a status with the number of messages that were requested and not delivered.
const PENDING: &str = "Nats-Pending-Messages";

/// Pulls deliveries of one group. Never requests more messages than the worker has free places, because the server counts
/// the time of messages that wait in the client.
pub(crate) struct Puller {
    link: Link,
    group: String,
    consumer: PullConsumer,
    inbox: Subject,
    messages: Subscriber,
    connections: watch::Receiver<u64>,
    /// Open pull requests, oldest first: number of messages to come, and the end of the request.
    requests: VecDeque<(usize, Instant)>,
}

impl Puller {
    pub(crate) async fn open(link: &Link, group: &str) -> Result<Self, RemoteError> {
        let consumer = link.consumer(group).await?;
        let (inbox, messages) = inbox(link).await?;
        let mut connections = link.connections();
        connections.mark_unchanged();
        Ok(Self {
            link: link.clone(),
            group: group.to_owned(),
            consumer,
            inbox,
            messages,
            connections,
            requests: VecDeque::new(),
        })
    }

    fn requested(&self) -> usize {
        self.requests.iter().map(|(count, _)| count).sum()
    }

    /// Requests messages if at least an eighth of the places has become free.
    async fn request(&mut self, free: usize, places: usize) {
        let requested = self.requested();
        let missing = free.saturating_sub(requested);
        if missing == 0 || (requested > 0 && missing < places.div_ceil(8)) {
            return;
        }
        let batch = BatchConfig {
            batch: missing,
            expires: Some(EXPIRY),
            ..BatchConfig::default()
        };
        let sent = self.consumer.request_batch(batch, self.inbox.clone());
        match sent.await {
            Ok(()) => {
                let end = Instant::now() + EXPIRY + MARGIN;
                self.requests.push_back((missing, end));
            }
            Err(error) => tracing::debug!(%error, "a pull request was not sent"),
        }
    }

    /// Waits for the next delivery; `None` if the requests changed or the connection is lost. Dropping the future loses
    /// no delivery.
    pub(crate) async fn next(&mut self, free: usize, places: usize) -> Option<Delivery> {
        self.request(free, places).await;
        let first_end = self.requests.front().map(|(_, end)| *end);
        let retry = Instant::now() + BACKOFF;
        tokio::select! {
            message = self.messages.next() => {
                if let Some(message) = message {
                    return self.received(message).await;
                }
                sleep(BACKOFF).await;
                None
            }
            () = sleep_until(first_end.unwrap_or(retry)) => {
                self.drop_expired();
                None
            }
            changed = self.connections.changed() => {
                if changed.is_err() {
                    sleep(BACKOFF).await;
                }
                // The server forgets the requests of a lost connection.
                self.requests.clear();
                None
            }
        }
    }

    fn drop_expired(&mut self) {
        let now = Instant::now();
        self.requests.retain(|(_, end)| *end > now);
    }

    async fn received(&mut self, message: async_nats::Message) -> Option<Delivery> {
        match message.status {
            None | Some(StatusCode::OK) => {
                self.count_down(1);
                Delivery::new(&self.link, message)
            }
            Some(StatusCode::IDLE_HEARTBEAT) => None,
            Some(StatusCode::TIMEOUT | StatusCode::NOT_FOUND) => {
                self.count_down(pending(&message).unwrap_or(usize::MAX));
                None
            }
            // The consumer was deleted, or its server stops.
            Some(_) => {
                self.requests.clear();
                self.create_again().await;
                None
            }
        }
    }

    /// Removes `count` messages from the oldest requests; `usize::MAX` removes the oldest request.
    fn count_down(&mut self, mut count: usize) {
        while let Some((first, _)) = self.requests.front_mut() {
            if *first > count {
                *first -= count;
                return;
            }
            let is_exact = *first == count || count == usize::MAX;
            count -= *first;
            self.requests.pop_front();
            if is_exact {
                return;
            }
        }
    }

    async fn create_again(&mut self) {
        sleep(BACKOFF).await;
        let created = match self.link.create_queue().await {
            Ok(()) => self.link.consumer(&self.group).await,
            Err(error) => Err(error),
        };
        match created {
            Ok(consumer) => self.consumer = consumer,
            Err(error) => {
                tracing::warn!(%error, group = self.group, "the consumer is unavailable");
            }
        }
    }

    /// Returns deliveries that arrive within `time` to the queue.
    pub(crate) async fn close(mut self, time: Duration) {
        let end = Instant::now() + time;
        if self.messages.drain().await.is_err() {
            return;
        }
        while let Ok(Some(message)) = tokio::time::timeout_at(end, self.messages.next()).await {
            if let Some(delivery) = Delivery::new(&self.link, message) {
                delivery.return_after(Duration::ZERO).await;
            }
        }
    }
}

async fn inbox(link: &Link) -> Result<(Subject, Subscriber), RemoteError> {
    let inbox = Subject::from(link.client().new_inbox());
    let messages = link.client().subscribe(inbox.clone()).await;
    let messages = messages.map_err(|error| RemoteError::server("subscribe", error))?;
    Ok((inbox, messages))
}

fn pending(message: &async_nats::Message) -> Option<usize> {
    let headers = message.headers.as_ref()?;
    headers.get(PENDING)?.as_str().parse().ok()
}

/// A delivered call.
pub(crate) struct Delivery {
    link: Link,
    /// Subject of confirmations.
    confirmations: String,
    /// Number of deliveries of the call, including this one.
    pub(crate) number: u32,
    pub(crate) body: Body,
    /// Subject of the caller.
    pub(crate) reply: Option<String>,
}

impl Delivery {
    /// Converts a message; `None` if it was not delivered by a consumer.
    pub(super) fn new(link: &Link, message: async_nats::Message) -> Option<Self> {
        let confirmations = message.reply.as_ref()?.to_string();
        let message = jetstream::Message {
            message,
            context: link.context().clone(),
        };
        let number = message.info().ok()?.delivered;
        let message = Message::from(message.message);
        Some(Self {
            link: link.clone(),
            number: u32::try_from(number).unwrap_or(u32::MAX),
            // Without the header, the reply subject is that of the confirmations.
            reply: message.reply.filter(|reply| *reply != confirmations),
            body: message.body,
            confirmations,
        })
    }

    /// Restarts the time after which the call is delivered again.
    pub(crate) async fn extend(&self) {
        self.send(AckKind::Progress).await;
    }

    /// Returns the call to the queue, for another worker.
    pub(crate) async fn return_after(&self, delay: Duration) {
        self.send(AckKind::Nak(Some(delay))).await;
    }

    async fn send(&self, kind: AckKind) {
        let body = Body::Inline(kind.into());
        let sent = self.link.publish(self.confirmations.clone(), body, None);
        if let Err(error) = sent.await {
            tracing::debug!(%error, "a delivery could not be extended");
        }
    }

    /// Removes the call from the queue, and waits for the server's confirmation. Without one, the call is delivered again
    /// and finds its outcome in the ledger.
    pub(crate) async fn finish(&self) {
        let confirmed = self
            .link
            .confirm(self.confirmations.clone(), AckKind::Ack.into());
        match confirmed.await {
            // After the confirmation, because a call that is delivered again needs its arguments.
            Ok(()) => self.link.discard(&self.body).await,
            Err(error) => tracing::debug!(%error, "a delivery could not be confirmed"),
        }
    }
}
