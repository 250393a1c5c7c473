//! Messages as the other modules see them.

use async_nats::HeaderMap;
use bytes::Bytes;

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
pub(super) fn parts(body: Body, reply: Option<&str>) -> (Bytes, Option<HeaderMap>) {
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
    let headers = (!headers.is_empty()).then_some(headers);
    (payload, headers)
}
