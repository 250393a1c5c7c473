//! Delivered calls, which stay in the queue until they are confirmed.

use std::time::Duration;

use async_nats::jetstream::{self, AckKind};

use super::{Body, Link, Message};

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
