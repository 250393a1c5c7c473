//! One connection, shared by all tasks of a worker or client, and its messages.

use std::sync::Arc;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::{Context, ContextBuilder};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, HeaderMap, Request, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::sync::watch;

use super::Names;
use crate::{NatsCredentials, NatsOptions, RemoteError};

type Source = Box<dyn std::error::Error + Send + Sync>;

/// Bytes reserved for headers in messages of maximum size.
const HEADERS: usize = 4096;

/// One connection. Cloning is cheap.
#[derive(Clone)]
pub(crate) struct Link(Arc<Inner>);

struct Inner {
    client: Client,
    context: Context,
    names: Names,
    options: NatsOptions,
    connections: watch::Receiver<u64>,
}

impl Link {
    pub(crate) async fn connect(options: &NatsOptions) -> Result<Self, RemoteError> {
        let names = Names::new(&options.tenant);
        let (client, connections) = connect(options, &names).await?;
        let context = ContextBuilder::new()
            .timeout(options.request_timeout)
            .ack_timeout(options.request_timeout)
            .build(client.clone());
        Ok(Self(Arc::new(Inner {
            client,
            context,
            names,
            options: options.clone(),
            connections,
        })))
    }

    pub(crate) fn names(&self) -> &Names {
        &self.0.names
    }

    pub(crate) fn options(&self) -> &NatsOptions {
        &self.0.options
    }

    pub(super) fn context(&self) -> &Context {
        &self.0.context
    }

    /// Returns a receiver of the number of connections so far.
    pub(super) fn connections(&self) -> watch::Receiver<u64> {
        self.0.connections.clone()
    }

    /// Returns a unique identifier.
    pub(crate) fn unique(&self) -> String {
        let inbox = self.0.client.new_inbox();
        inbox.rsplit('.').next().unwrap_or(&inbox).to_owned()
    }

    /// Returns the maximum bytes of a payload.
    pub(super) fn max_payload(&self) -> usize {
        // The server's maximum includes the headers.
        self.0.client.max_payload().saturating_sub(HEADERS)
    }

    /// Returns `true` if the connection is open.
    pub(crate) fn is_open(&self) -> bool {
        self.0.client.connection_state() == State::Connected
    }

    /// Waits until the connection is open. Returns `false` if it stays lost for the timeout of a request.
    pub(crate) async fn is_connected(&self) -> bool {
        if self.is_open() {
            return true;
        }
        let mut connections = self.connections();
        let reconnected = async { while !self.is_open() && connections.changed().await.is_ok() {} };
        let _ = tokio::time::timeout(self.0.options.request_timeout, reconnected).await;
        self.is_open()
    }

    /// Publishes a message without confirmation.
    pub(crate) async fn publish(
        &self,
        subject: String,
        body: Body,
        reply: Option<String>,
    ) -> Result<(), Source> {
        let (payload, headers) = parts(body, None);
        let client = &self.0.client;
        let timeout = self.0.options.request_timeout;
        let sent = async {
            match reply {
                Some(reply) => {
                    client
                        .publish_with_reply_and_headers(subject, reply, headers, payload)
                        .await
                }
                None => client.publish_with_headers(subject, headers, payload).await,
            }
        };
        // Waits if the connection is lost and its buffer is full.
        tokio::time::timeout(timeout, sent).await??;
        Ok(())
    }

    /// Sends a request and waits for its response.
    pub(crate) async fn request(
        &self,
        subject: String,
        body: Body,
        timeout: Duration,
    ) -> Result<Message, Source> {
        let (payload, headers) = parts(body, None);
        let request = Request::new().payload(payload).headers(headers);
        let request = request.timeout(Some(timeout));
        let response = self.0.client.send_request(subject, request);
        // The timeout of the request starts after it is sent.
        let response = tokio::time::timeout(timeout * 2, response).await??;
        Ok(response.into())
    }

    /// Confirms a delivery, and waits until the server has stored the confirmation.
    pub(super) async fn confirm(&self, subject: String, kind: Bytes) -> Result<(), Source> {
        let timeout = self.0.options.request_timeout;
        let answered = self.request(subject, Body::Inline(kind), timeout).await?;
        if answered.is_undeliverable {
            return Err("the consumer of the delivery is gone".into());
        }
        Ok(())
    }

    pub(crate) async fn subscribe(&self, subject: String) -> Result<Subscription, RemoteError> {
        let subscribed = self.0.client.subscribe(subject).await;
        Self::subscribed(subscribed.map_err(Into::into))
    }

    /// Subscribes as one of several receivers, each of which receives a part of the messages.
    pub(crate) async fn share(&self, subject: String) -> Result<Subscription, RemoteError> {
        let subscribed = self.0.client.queue_subscribe(subject, "workers".to_owned());
        Self::subscribed(subscribed.await.map_err(Into::into))
    }

    fn subscribed(subscriber: Result<Subscriber, Source>) -> Result<Subscription, RemoteError> {
        let failed = |source| RemoteError::server("subscribe", source);
        subscriber.map(Subscription).map_err(failed)
    }

    /// Waits until the server has received everything sent so far.
    pub(crate) async fn flush(&self) -> Result<(), RemoteError> {
        let flushed = tokio::time::timeout(self.0.options.request_timeout, self.0.client.flush());
        let failed = |source| RemoteError::server("receive a subscription", source);
        match flushed.await {
            Ok(flushed) => flushed.map_err(|error| failed(Source::from(error))),
            Err(late) => Err(failed(late.into())),
        }
    }
}

/// Receiver of the messages of a subject.
pub(crate) struct Subscription(Subscriber);

impl Subscription {
    /// Waits for the next message; `None` after the connection is closed.
    pub(crate) async fn next(&mut self) -> Option<Message> {
        self.0.next().await.map(Into::into)
    }

    /// Receives no further messages. Those that have arrived are still returned, followed by `None`.
    pub(crate) async fn drain(&mut self) {
        if let Err(error) = self.0.drain().await {
            tracing::debug!(%error, "a subscription was not drained");
        }
    }
}

/// Header with the subject of the caller. JetStream uses the reply subject for its own acknowledgements.
const REPLY: &str = "Toolwright-Reply";
/// Header with the name of the object that contains the payload.
const OBJECT: &str = "Toolwright-Object";

/// Payload of a message: inline, or in the object store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    Inline(Bytes),
    Stored(String),
}

/// A received message.
#[derive(Debug)]
pub(crate) struct Message {
    /// Subject on which the message arrived.
    pub(crate) subject: String,
    pub(crate) body: Body,
    /// Subject of the caller.
    pub(crate) reply: Option<String>,
    /// Whether the server reports that the request has no receiver.
    pub(crate) is_undeliverable: bool,
}

impl From<async_nats::Message> for Message {
    fn from(message: async_nats::Message) -> Self {
        let headers = message.headers.as_ref();
        let own = header(headers, REPLY);
        let native = || message.reply.as_ref().map(ToString::to_string);
        Self {
            reply: own.or_else(native),
            body: match header(headers, OBJECT) {
                Some(name) => Body::Stored(name),
                None => Body::Inline(message.payload),
            },
            is_undeliverable: message.status == Some(async_nats::StatusCode::NO_RESPONDERS),
            subject: message.subject.to_string(),
        }
    }
}

fn header(headers: Option<&HeaderMap>, name: &str) -> Option<String> {
    Some(headers?.get(name)?.as_str().to_owned())
}

/// Splits a body into payload and headers.
pub(super) fn parts(body: Body, reply: Option<&str>) -> (Bytes, HeaderMap) {
    let mut headers = HeaderMap::new();
    if let Some(reply) = reply {
        headers.insert(REPLY, reply);
    }
    let payload = match body {
        Body::Inline(bytes) => bytes,
        Body::Stored(name) => {
            headers.insert(OBJECT, name.as_str());
            Bytes::new()
        }
    };
    (payload, headers)
}

/// Connects, and returns the client with the number of its connections so far.
async fn connect(
    options: &NatsOptions,
    names: &Names,
) -> Result<(Client, watch::Receiver<u64>), RemoteError> {
    options.check()?;
    let (sender, connections) = watch::channel(0);
    let sender = Arc::new(sender);
    let connect = with_credentials(ConnectOptions::new(), &options.credentials).await?;
    let connect = with_tls(connect, options)
        // Permissions of a tenant allow only its own subjects, and the default prefix is `_INBOX`.
        .custom_inbox_prefix(names.inboxes())
        .request_timeout(Some(options.request_timeout))
        .connection_timeout(options.request_timeout)
        .event_callback(move |event| {
            let sender = Arc::clone(&sender);
            async move { record(&event, &sender) }
        });
    let client = connect.connect(options.urls.as_slice()).await;
    let client = client.map_err(|error| match error.kind() {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            RemoteError::Unauthorized(error.into())
        }
        _ => RemoteError::Unreachable(error.into()),
    })?;
    Ok((client, connections))
}

async fn with_credentials(
    connect: ConnectOptions,
    credentials: &NatsCredentials,
) -> Result<ConnectOptions, RemoteError> {
    Ok(match credentials {
        NatsCredentials::None => connect,
        NatsCredentials::User(user, password) => {
            connect.user_and_password(user.clone(), password.expose().clone())
        }
        NatsCredentials::Token(token) => connect.token(token.expose().clone()),
        NatsCredentials::NKey(seed) => connect.nkey(seed.expose().clone()),
        NatsCredentials::File(path) => {
            let opened = connect.credentials_file(path).await;
            opened.map_err(|error| RemoteError::Credentials(error.into()))?
        }
    })
}

fn with_tls(mut connect: ConnectOptions, options: &NatsOptions) -> ConnectOptions {
    for file in &options.root_certificates {
        connect = connect.add_root_certificates(file.clone());
    }
    if let Some((certificate, key)) = &options.client_certificate {
        connect = connect.add_client_certificate(certificate.clone(), key.clone());
    }
    connect.require_tls(options.require_tls)
}

/// Counts connections, so that pull requests of an earlier connection are repeated.
fn record(event: &Event, connections: &watch::Sender<u64>) {
    match event {
        Event::Connected => connections.send_modify(|number| *number += 1),
        Event::Disconnected | Event::Closed => {
            tracing::warn!("the connection to the NATS server was lost");
        }
        Event::SlowConsumer(_) | Event::ServerError(_) | Event::ClientError(_) => {
            tracing::warn!(%event, "NATS");
        }
        _ => {}
    }
}
