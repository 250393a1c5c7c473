//! Responses to requests.

use std::convert::Infallible;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};

/// Content type of text.
pub(super) const PLAIN: &str = "text/plain; charset=utf-8";

/// Body of a response.
pub type HttpBody = BoxBody<Bytes, Infallible>;

/// Response to a request that is not served.
pub(crate) struct Rejection(Box<Response<HttpBody>>);

impl Rejection {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self(Box::new(response(status, PLAIN, text.into())))
    }

    pub(super) fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = value.parse() {
            self.0.headers_mut().insert(name, value);
        }
        self
    }

    pub(super) fn into_response(self) -> Response<HttpBody> {
        *self.0
    }
}

/// Creates a response with a body of a content type.
pub(crate) fn response(status: StatusCode, kind: &'static str, text: String) -> Response<HttpBody> {
    let mut response = Response::new(Full::from(text).boxed());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
