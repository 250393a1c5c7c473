//! The caller's side of calls.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::runtime::Handle;
use tool_core::ledger::CallKey;
use tool_core::{Arguments, Timestamp, ToolContext, ToolDefinition, ToolError};

use super::failures;
use super::replies::Replies;
use crate::DecisionKey;
use crate::nats::{Body, Link, Message};
use crate::wire::{self, Finding, Report, Request, Sent};

/// Validity of a decision after the call is sent, in addition to its timeout.
const EXPIRY: Duration = Duration::from_hours(1);

type Source = Box<dyn std::error::Error + Send + Sync>;

/// Connection, keys and settings of all proxies.
pub(super) struct Caller {
    pub(super) link: Link,
    pub(super) replies: Arc<Replies>,
    /// Id of this client.
    pub(super) client: String,
    pub(super) scope: Option<String>,
    pub(super) decisions: Option<DecisionKey>,
}

impl Caller {
    /// Returns the key of a call: of the caller's ledger, by the host's scope, or a new one.
    fn key(&self, cx: &ToolContext) -> CallKey {
        match (cx.call_key(), &self.scope) {
            (Some(key), _) => key.clone(),
            (None, Some(scope)) => CallKey::new(scope.as_str(), cx.call_id()),
            // Without a scope, ids of two runs can be equal, and the second would get the first one's result.
            (None, None) => CallKey::new(self.client.as_str(), self.link.unique()),
        }
    }

    /// Creates the request for a call that the caller's registry permits.
    pub(super) fn request(
        &self,
        cx: &ToolContext,
        definition: &ToolDefinition,
        digest: &str,
        arguments: &Arguments<'_>,
    ) -> Request {
        let (key, value) = (self.key(cx), arguments.to_value());
        let expires = Timestamp::now().after(EXPIRY);
        let sealed = self
            .decisions
            .as_ref()
            .map(|decisions| decisions.seal(&key.to_string(), definition, value.clone(), expires));
        Request {
            tool: definition.name().to_owned(),
            definition: digest.to_owned(),
            arguments: sealed.map_or(Sent::Plain(value), |sealed| Sent::Sealed(Box::new(sealed))),
            parent: Some(["remote:", &self.client].concat()),
            key,
        }
    }

    /// Returns the body of a request.
    pub(super) async fn pack(&self, request: &Request) -> Result<Body, ToolError> {
        let payload = serde_json::to_vec(request).map_err(failures::too_large)?;
        self.link.pack(payload).await.map_err(failures::too_large)
    }

    /// Reads a message of a worker, and removes its object.
    pub(super) async fn read<T: DeserializeOwned>(&self, message: &Message) -> Result<T, Source> {
        let payload = self.link.unpack(&message.body).await?;
        let read = wire::read(&payload)?;
        // Only after it was read. A message that failed can be read again.
        self.link.discard(&message.body).await;
        Ok(read)
    }

    /// Forwards a report of a worker. Damaged reports are ignored.
    pub(super) async fn forward(&self, cx: &ToolContext, message: &Message) {
        use tool_core::CallEvent;

        match self.read(message).await {
            Ok(Report::Event(CallEvent::Progress(progress))) => cx.progress(&progress),
            Ok(Report::Event(CallEvent::Partial(block))) => cx.partial(block),
            Ok(Report::Event(_) | Report::Alive) => {}
            Err(error) => tracing::debug!(%error, "a damaged report was ignored"),
        }
    }

    /// Asks a worker of the group for an earlier call.
    pub(super) async fn find(&self, group: &str, body: Body) -> Finding {
        let timeout = self.link.options().request_timeout;
        let found = match self
            .link
            .request(self.link.names().subject("find", group), body, timeout)
            .await
        {
            // No worker says nothing about the call: it may have run.
            Ok(message) if message.is_undeliverable => return Finding::Unavailable,
            Ok(message) => self.read(&message).await,
            Err(error) => Err(error),
        };
        found.unwrap_or_else(|error| {
            tracing::debug!(%error, "a query failed");
            Finding::Unavailable
        })
    }

    /// Cancels a call unless the guard is disarmed before it is dropped.
    pub(super) fn cancel_on_drop(&self, group: &str, reply: String) -> CancelOnDrop {
        CancelOnDrop {
            link: self.link.clone(),
            runtime: Handle::current(),
            call: Some((self.link.names().subject("cancel", group), reply)),
        }
    }
}

/// Cancels a call when it is dropped.
pub(super) struct CancelOnDrop {
    link: Link,
    runtime: Handle,
    /// Subjects of cancellations and of the replies, which identify the call.
    call: Option<(String, String)>,
}

impl CancelOnDrop {
    pub(super) fn disarm(&mut self) {
        self.call = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some((subject, reply)) = self.call.take() else {
            return;
        };
        let link = self.link.clone();
        self.runtime.spawn(async move {
            let sent = link.publish(subject, Body::Inline(reply.into()), None);
            // Without a connection, the worker's timeout stops the call.
            if let Err(error) = sent.await {
                tracing::debug!(%error, "a cancellation was not sent");
            }
        });
    }
}
