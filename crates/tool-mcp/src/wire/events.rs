//! Event streams that respond to a request.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_core::stream::BoxStream;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_client::SseError;
use serde_json::json;
use sse_stream::Sse;

use super::error::TOO_LARGE;

/// Part of the message of an error about the size of an event.
const SIZE: &str = "maximum size";

pub(super) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Events of which an oversized one becomes an error response to the request.
pub(super) struct BoundedEvents {
    pub(super) events: Events,
    pub(super) id: RequestId,
}

impl Stream for BoundedEvents {
    type Item = Result<Sse, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.events.as_mut().poll_next(cx);
        polled.map(|event| match event {
            Some(Err(SseError::Body(error))) if error.to_string().contains(SIZE) => {
                Some(Ok(too_large(&self.id)))
            }
            event => event,
        })
    }
}

fn too_large(id: &RequestId) -> Sse {
    let response = json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": {"code": TOO_LARGE, "message": "the message is too large"},
    });
    Sse {
        data: Some(response.to_string()),
        ..Sse::default()
    }
}
