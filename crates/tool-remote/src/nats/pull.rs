//! Pulls from a consumer, bounded by the free places of the worker, and the calls that it delivers.

use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::Batch;
use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::time::sleep;

use super::{Body, Link, Message};
use crate::RemoteError;

/// Time after which the server drops a pull request.
const EXPIRY: Duration = Duration::from_secs(1);
/// Delay before a failed request is repeated, or the consumer is created again.
const BACKOFF: Duration = Duration::from_millis(500);

/// Pulls deliveries of one group. Never requests more messages than the worker has free places, because the server counts
/// the time of messages that wait in the client.
pub(crate) struct Puller {
    link: Link,
    group: String,
    consumer: PullConsumer,
    /// Open pull request.
    batch: Option<Batch>,
    connections: watch::Receiver<u64>,
}

impl Puller {
    pub(crate) async fn open(link: &Link, group: &str) -> Result<Self, RemoteError> {
        let consumer = link.consumer(group).await?;
        let mut connections = link.connections();
        connections.mark_unchanged();
        Ok(Self {
            link: link.clone(),
            group: group.to_owned(),
            consumer,
            batch: None,
            connections,
        })
    }

    /// Waits for the next delivery; `None` if the request ended or the connection is lost. Without an open request, it
    /// requests as many messages as there are free places. Dropping the future loses no delivery.
    pub(crate) async fn next(&mut self, free: usize) -> Option<Delivery> {
        if self.batch.is_none() && free > 0 {
            let batch = self.consumer.batch().max_messages(free).expires(EXPIRY);
            let opened = batch.messages().await;
            self.batch = opened
                .inspect_err(|error| tracing::debug!(%error, "a pull request was not sent"))
                .ok();
        }
        let Some(batch) = &mut self.batch else {
            sleep(BACKOFF).await;
            return None;
        };
        tokio::select! {
            message = batch.next() => self.received(message).await,
            changed = self.connections.changed() => {
                if changed.is_err() {
                    sleep(BACKOFF).await;
                }
                // The server forgets the request of a lost connection.
                self.batch = None;
                None
            }
        }
    }

    /// Converts a message of the open request, or ends the request.
    async fn received(
        &mut self,
        message: Option<Result<jetstream::Message, async_nats::Error>>,
    ) -> Option<Delivery> {
        match message {
            Some(Ok(message)) => Delivery::new(&self.link, message),
            None => {
                self.batch = None;
                None
            }
            // The consumer was deleted, or its server stops.
            Some(Err(error)) => {
                tracing::debug!(%error, "a pull request failed");
                self.batch = None;
                self.create_again().await;
                None
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

    /// Returns the deliveries of the open request to the queue.
    pub(crate) async fn close(self) {
        let Some(mut batch) = self.batch else { return };
        while let Some(Ok(message)) = batch.next().await {
            if let Some(delivery) = Delivery::new(&self.link, message) {
                // The open request would receive it again at once.
                delivery.return_after(EXPIRY).await;
            }
        }
    }
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
    fn new(link: &Link, message: jetstream::Message) -> Option<Self> {
        let confirmations = message.reply.as_ref()?.to_string();
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
