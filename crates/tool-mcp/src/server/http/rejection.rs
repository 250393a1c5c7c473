//! Responses to requests that are not served.

use http::header::{ALLOW, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, Response, StatusCode};

use super::addresses::Foreign;
use super::body::HttpBody;

/// Reason for a rejected request.
#[derive(Debug)]
pub(super) enum Rejection {
    NotFound,
    Method,
    Foreign(Foreign),
    /// The credentials are missing or invalid. Contains the challenge.
    Unauthorized {
        challenge: String,
    },
    /// The credentials do not include a scope. Contains the challenge.
    Forbidden {
        challenge: String,
    },
    /// The credentials could not be checked.
    Unchecked,
    TooManyFailures,
    Busy {
        limit: usize,
    },
    TooLarge {
        limit: usize,
    },
    Slow,
    Incomplete,
}

impl Rejection {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Foreign(_) | Self::Forbidden { .. } => StatusCode::FORBIDDEN,
            Self::Unauthorized { .. } => StatusCode::UNAUTHORIZED,
            Self::Unchecked | Self::Busy { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooManyFailures => StatusCode::TOO_MANY_REQUESTS,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::Incomplete => StatusCode::BAD_REQUEST,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::NotFound => "not found; the endpoint is /mcp".to_owned(),
            Self::Method => "the method is not allowed".to_owned(),
            Self::Foreign(Foreign::Host) => "the host is not allowed".to_owned(),
            Self::Foreign(Foreign::Origin) => "the origin is not allowed".to_owned(),
            Self::Unauthorized { .. } => "the request requires a valid bearer token".to_owned(),
            Self::Forbidden { .. } => "the token does not include a required scope".to_owned(),
            Self::Unchecked => "the credentials cannot be checked; try again later".to_owned(),
            Self::TooManyFailures => "too many failed authentications; try again later".to_owned(),
            Self::Busy { limit } => format!("{limit} requests are running, which is the limit"),
            Self::TooLarge { limit } => format!("the request exceeds {limit} bytes"),
            Self::Slow => "the request was not received in time".to_owned(),
            Self::Incomplete => "the request is incomplete".to_owned(),
        }
    }

    fn header(&self) -> Option<(HeaderName, &str)> {
        match self {
            Self::Unauthorized { challenge } | Self::Forbidden { challenge } => {
                Some((WWW_AUTHENTICATE, challenge))
            }
            Self::Busy { .. } | Self::Unchecked => Some((RETRY_AFTER, "1")),
            Self::TooManyFailures => Some((RETRY_AFTER, "60")),
            Self::Method => Some((ALLOW, "POST")),
            // The rest of the request is not read.
            Self::TooLarge { .. } | Self::Slow => Some((CONNECTION, "close")),
            _ => None,
        }
    }

    pub(super) fn into_response(self) -> Response<HttpBody> {
        let mut response = Response::new(HttpBody::text(self.text()));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        if let Ok(kind) = "text/plain; charset=utf-8".parse() {
            headers.insert(CONTENT_TYPE, kind);
        }
        if let Some((name, value)) = self.header()
            && let Ok(value) = value.parse()
        {
            headers.insert(name, value);
        }
        response
    }
}
