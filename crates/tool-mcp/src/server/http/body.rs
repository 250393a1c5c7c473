//! Bodies of responses.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use tokio::sync::OwnedSemaphorePermit;

/// Body of a response.
pub struct HttpBody {
    body: BoxBody<Bytes, Infallible>,
    /// Place of the request, which is free when the response was sent.
    _permit: Option<OwnedSemaphorePermit>,
}

impl HttpBody {
    pub(super) fn holding(permit: OwnedSemaphorePermit, body: BoxBody<Bytes, Infallible>) -> Self {
        Self {
            body,
            _permit: Some(permit),
        }
    }

    pub(super) fn text(text: impl Into<Bytes>) -> Self {
        Self {
            body: Full::new(text.into()).boxed(),
            _permit: None,
        }
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpBody")
    }
}
