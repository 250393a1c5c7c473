//! Queue of calls with effects.

use std::error::Error;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{
    Config, ConsumerCreateStrictErrorKind, DiscardPolicy, RawMessageErrorKind, RetentionPolicy,
    StorageType, Stream,
};

use super::link::parts;
use super::{Body, Link};
use crate::RemoteError;

/// Time within which the server detects a repeated call.
const DUPLICATE_WINDOW: Duration = Duration::from_mins(2);
/// Age and number of dead letters.
const MAX_DEAD_AGE: Duration = Duration::from_hours(7 * 24);
const MAX_DEAD: i64 = 10_000;
/// Unacknowledged calls of all workers of a group.
const MAX_PENDING: i64 = 10_000;
/// Code of the server for a stream with its maximum number of messages.
const FULL: &str = "maximum messages exceeded";

/// A queued call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Queued {
    pub(crate) sequence: u64,
    /// Whether a call with the same id was queued before.
    pub(crate) is_duplicate: bool,
}

/// Reason why a call could not be queued.
#[derive(Debug)]
pub(crate) enum EnqueueError {
    /// The queue has its maximum number of calls. The call was not queued.
    Full,
    /// The call was not queued.
    Refused(PublishError),
    /// No confirmation arrived, so the call may be queued.
    Unconfirmed(PublishError),
}

impl From<PublishError> for EnqueueError {
    fn from(error: PublishError) -> Self {
        match error.kind() {
            PublishErrorKind::TimedOut | PublishErrorKind::BrokenPipe => Self::Unconfirmed(error),
            // The client has no kind for it, so the server's text decides.
            PublishErrorKind::Other if is_full(&error) => Self::Full,
            _ => Self::Refused(error),
        }
    }
}

fn is_full(error: &PublishError) -> bool {
    error
        .source()
        .is_some_and(|source| source.to_string().contains(FULL))
}

impl Link {
    /// Creates the streams and buckets that are missing. Existing ones keep the settings of their operator.
    pub(crate) async fn create_queue(&self) -> Result<(), RemoteError> {
        let (names, options) = (self.names(), self.options());
        let calls = Config {
            name: names.queue(),
            description: Some("queued calls of tools".to_owned()),
            subjects: vec![names.subject("call", "*")],
            retention: RetentionPolicy::WorkQueue,
            // The default removes old calls. Only with `New` does a caller learn that the queue is full.
            discard: DiscardPolicy::New,
            max_messages: options.max_queued.into(),
            duplicate_window: DUPLICATE_WINDOW,
            storage: StorageType::File,
            num_replicas: options.replicas,
            ..Config::default()
        };
        let dead = Config {
            name: names.dead_letters(),
            description: Some("calls that no worker could finish".to_owned()),
            subjects: vec![names.subject("dead", "*")],
            max_age: MAX_DEAD_AGE,
            max_messages: MAX_DEAD,
            storage: StorageType::File,
            num_replicas: options.replicas,
            ..Config::default()
        };
        self.create_stream(calls).await?;
        self.create_stream(dead).await?;
        self.create_objects().await
    }

    async fn create_stream(&self, config: Config) -> Result<Stream, RemoteError> {
        if let Ok(stream) = self.context().get_stream(&config.name).await {
            return Ok(stream);
        }
        let created = self.context().create_stream(config).await;
        created.map_err(|error| RemoteError::server("create the queue", error))
    }

    /// Creates the consumer of a group, which all its workers share.
    pub(super) async fn consumer(&self, group: &str) -> Result<PullConsumer, RemoteError> {
        let (names, options) = (self.names(), self.options());
        let stream = self.context().get_stream(names.queue()).await;
        let stream = stream.map_err(|error| RemoteError::server("find the queue", error))?;
        let config = pull::Config {
            durable_name: Some(group.to_owned()),
            filter_subject: names.subject("call", group),
            ack_policy: AckPolicy::Explicit,
            ack_wait: options.ack_wait,
            // Workers count deliveries, because the server drops a call silently.
            max_deliver: -1,
            max_ack_pending: MAX_PENDING,
            num_replicas: options.replicas,
            ..pull::Config::default()
        };
        // `create_consumer` would change the consumer of running workers without an error.
        let created = stream.create_consumer_strict(config).await;
        created.map_err(|error| match error.kind() {
            ConsumerCreateStrictErrorKind::AlreadyExists => RemoteError::OtherConfiguration {
                stream: names.queue(),
                consumer: group.to_owned(),
            },
            _ => RemoteError::server("create the consumer of the group", error),
        })
    }

    /// Queues a call with an id. A call with the same id is not queued again within two minutes.
    pub(crate) async fn enqueue(
        &self,
        group: &str,
        id: &str,
        reply: &str,
        body: Body,
    ) -> Result<Queued, EnqueueError> {
        let (payload, headers) = parts(body, Some(reply));
        let message = PublishMessage::build()
            .payload(payload)
            .headers(headers)
            .message_id(id);
        let subject = self.names().subject("call", group);
        let confirmation = self.context().send_publish(subject, message).await?;
        // The first await only sends. A call counts as queued when the server has confirmed it.
        let confirmed = confirmation.await?;
        Ok(Queued {
            sequence: confirmed.sequence,
            is_duplicate: confirmed.duplicate,
        })
    }

    /// Returns `true` if a call is in the queue. It is removed after its outcome is stored.
    pub(crate) async fn is_queued(&self, queued: Queued) -> Result<bool, RemoteError> {
        let failed =
            |source: Box<dyn Error + Send + Sync>| RemoteError::server("read the queue", source);
        let stream = self
            .context()
            .get_stream_no_info(self.names().queue())
            .await;
        let stream = stream.map_err(|error| failed(error.into()))?;
        match stream.get_raw_message(queued.sequence).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(false),
            Err(error) => Err(failed(error.into())),
        }
    }

    /// Stores a call that no worker could finish.
    pub(crate) async fn bury(&self, group: &str, body: Body) -> Result<(), EnqueueError> {
        let (payload, headers) = parts(body, None);
        let message = PublishMessage::build().payload(payload).headers(headers);
        let subject = self.names().subject("dead", group);
        let confirmation = self.context().send_publish(subject, message).await?;
        confirmation.await?;
        Ok(())
    }
}
