//! Why a page could not be fetched, in words for a model that show nothing of networks inside.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

use tool_core::{ErrorCode, ToolError};

use super::guard::{UrlRefusal, UrlRule};
use super::resolver::ResolveError;

/// The parameter that all of it is about.
const URL: &str = "url";

/// Why a page could not be fetched.
#[derive(Debug)]
pub(super) enum Failure {
    /// The URL may not be fetched.
    Forbidden(UrlRefusal),
    /// A redirect leads to a URL that may not be fetched.
    RedirectForbidden(UrlRefusal),
    /// A redirect leads to what is no URL.
    BadRedirect,
    RedirectLoop,
    TooManyRedirects,
    HostNotFound(reqwest::Error),
    ConnectionRefused(reqwest::Error),
    ConnectionFailed(reqwest::Error),
    ConnectTimeout(reqwest::Error),
    Tls(reqwest::Error),
    /// The application cannot speak TLS.
    TlsMissing,
    Timeout(Duration),
    TooLarge(u64),
    HeadersTooLarge,
    Incomplete(reqwest::Error),
    NotHttp(reqwest::Error),
    /// The body is packed in a way that cannot be undone.
    BadEncoding(Option<reqwest::Error>),
    /// The body is no text; what it is.
    NotText(String),
    /// The HTTP client cannot be made.
    NoClient(reqwest::Error),
}

impl Failure {
    /// Why no response came.
    pub(super) fn of_request(error: reqwest::Error) -> Self {
        if let Some(resolving) = cause::<ResolveError>(&error) {
            return match resolving {
                ResolveError::Refused(refusal) => Self::Forbidden(*refusal),
                ResolveError::NoAddress | ResolveError::Failed(_) => Self::HostNotFound(error),
            };
        }
        if !error.is_connect() {
            return if says(&error, "message head is too large") {
                Self::HeadersTooLarge
            } else {
                Self::NotHttp(error)
            };
        }
        if error.is_timeout() {
            return Self::ConnectTimeout(error);
        }
        match cause::<io::Error>(&error).map(io::Error::kind) {
            Some(ErrorKind::ConnectionRefused) => Self::ConnectionRefused(error),
            // Whatever is wrong in the handshake is wrapped in one of these.
            Some(ErrorKind::InvalidData | ErrorKind::Other | ErrorKind::UnexpectedEof) => {
                Self::Tls(error)
            }
            _ => Self::ConnectionFailed(error),
        }
    }

    /// Why the body did not come whole.
    pub(super) fn of_body(error: reqwest::Error) -> Self {
        let kind = cause::<io::Error>(&error).map(io::Error::kind);
        let is_cut = says(&error, "error reading a body from connection")
            || says(&error, "end of file before message length reached")
            || matches!(
                kind,
                Some(ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset)
            );
        if is_cut {
            Self::Incomplete(error)
        } else {
            Self::BadEncoding(Some(error))
        }
    }

    fn code(&self) -> ErrorCode {
        ErrorCode::from(match self {
            Self::Forbidden(refusal) => return code_of(*refusal),
            Self::RedirectForbidden(_) => "redirect_forbidden",
            Self::BadRedirect => "invalid_redirect",
            Self::RedirectLoop => "redirect_loop",
            Self::TooManyRedirects => "too_many_redirects",
            Self::HostNotFound(_) => "host_not_found",
            Self::ConnectionRefused(_) => "connection_refused",
            Self::ConnectionFailed(_) => "connection_failed",
            Self::ConnectTimeout(_) => "connect_timeout",
            Self::Tls(_) => "tls_error",
            Self::TlsMissing => "tls_unavailable",
            Self::Timeout(_) => "timeout",
            Self::TooLarge(_) => "response_too_large",
            Self::HeadersTooLarge => "response_headers_too_large",
            Self::Incomplete(_) => "response_incomplete",
            Self::NotHttp(_) => "invalid_response",
            Self::BadEncoding(_) => "invalid_content_encoding",
            Self::NotText(_) => "not_text",
            Self::NoClient(_) => "unavailable",
        })
    }

    /// What is the case, to go on after the name of the parameter.
    fn sentence(&self) -> String {
        let fixed = match self {
            Self::Forbidden(refusal) => return refused(*refusal),
            Self::RedirectForbidden(refusal) => {
                return format!("redirects to a URL that {}", refused(*refusal));
            }
            Self::BadRedirect => "redirects to something that is no URL",
            Self::RedirectLoop => "redirects in a circle",
            Self::TooManyRedirects => "redirects more than 5 times",
            Self::HostNotFound(_) => "names a host that was not found",
            Self::ConnectionRefused(_) => "leads to a server that refused the connection",
            Self::ConnectionFailed(_) => "leads to a server that could not be connected to",
            Self::ConnectTimeout(_) => "leads to a server that did not take the connection in time",
            Self::Tls(error) => return format!("leads to a server {}", distrust(error)),
            Self::TlsMissing => "needs https, and this application was built without TLS",
            Self::Timeout(after) => {
                return format!("was not fetched within {}", seconds(*after));
            }
            Self::TooLarge(limit) => {
                return format!("has a response of more than {}", size(*limit));
            }
            Self::HeadersTooLarge => {
                "has a response with more than 64 KB of headers, or more than 4096 of them"
            }
            Self::Incomplete(_) => "has a response that broke off before its end",
            Self::NotHttp(_) => "leads to a server that did not answer as HTTP servers do",
            Self::BadEncoding(_) => "has a response that is packed in a way that cannot be undone",
            Self::NotText(what) => return format!("is {what}, which cannot be shown as text"),
            Self::NoClient(_) => "cannot be fetched because the HTTP client could not be set up",
        };
        fixed.to_owned()
    }

    fn suggestion(&self) -> &'static str {
        match self {
            Self::Forbidden(refusal) => advice(refusal.rule()),
            Self::RedirectForbidden(_) => {
                "Fetch a page of the public Internet that does not lead there."
            }
            Self::BadRedirect | Self::RedirectLoop | Self::TooManyRedirects => {
                "Fetch the page under another URL, such as the one it is said to have moved to."
            }
            Self::HostNotFound(_) => {
                "Check the name of the host for a mistake, or search for the page."
            }
            Self::ConnectionRefused(_) | Self::ConnectionFailed(_) | Self::ConnectTimeout(_) => {
                "Check host and port, try again later, or find the content elsewhere."
            }
            Self::Tls(_) => "Do not trust this server; find the content elsewhere.",
            Self::TlsMissing => "Use an http URL if the site has one, or tell the user.",
            Self::Timeout(_) => "Give a longer `timeout_seconds`, or try again later.",
            Self::TooLarge(_) => "Fetch a smaller page, such as one part or an overview of it.",
            Self::HeadersTooLarge | Self::NotHttp(_) | Self::BadEncoding(_) => {
                "Find the content elsewhere."
            }
            Self::Incomplete(_) => "Try again, or find the content elsewhere.",
            Self::NotText(_) => "Look for a page that has the content as text.",
            Self::NoClient(_) => "Tell the user.",
        }
    }

    fn source(self) -> Option<reqwest::Error> {
        match self {
            Self::HostNotFound(error)
            | Self::ConnectionRefused(error)
            | Self::ConnectionFailed(error)
            | Self::ConnectTimeout(error)
            | Self::Tls(error)
            | Self::Incomplete(error)
            | Self::NotHttp(error)
            | Self::NoClient(error)
            | Self::BadEncoding(Some(error)) => Some(error),
            _ => None,
        }
    }

    /// Whether the same call may succeed later.
    fn passes(&self) -> bool {
        matches!(
            self,
            Self::ConnectionRefused(_)
                | Self::ConnectionFailed(_)
                | Self::ConnectTimeout(_)
                | Self::Timeout(_)
                | Self::Incomplete(_)
        )
    }
}

impl From<Failure> for ToolError {
    fn from(failure: Failure) -> Self {
        let error = Self::about(failure.code(), URL, failure.sentence())
            .suggest(failure.suggestion())
            .with_retryable(failure.passes());
        match failure.source() {
            Some(source) => error.caused_by(source),
            None => error,
        }
    }
}

fn code_of(refusal: UrlRefusal) -> ErrorCode {
    match refusal.rule() {
        UrlRule::Invalid | UrlRule::Scheme => ErrorCode::InvalidArguments,
        _ => ErrorCode::from("url_forbidden"),
    }
}

/// What a private name was resolved to is nothing that a model should learn.
fn refused(refusal: UrlRefusal) -> String {
    if refusal.is_by_name() {
        return "names a host whose address is not public".to_owned();
    }
    refusal.rule().reason().to_owned()
}

fn advice(rule: UrlRule) -> &'static str {
    match rule {
        UrlRule::Invalid | UrlRule::Scheme => {
            "Give a whole URL, such as `https://example.com/page`."
        }
        UrlRule::Ambiguous => "Write slashes, and `%09` or `%5C` for the character itself.",
        UrlRule::Credentials => "Leave out what stands before the `@`.",
        _ => "Only the public Internet can be fetched from; ask the user for what is elsewhere.",
    }
}

/// What is wrong with a server's TLS, as far as that is plain.
fn distrust(error: &reqwest::Error) -> &'static str {
    for (sign, words) in [
        ("UnknownIssuer", "whose certificate is not trusted"),
        ("certificate expired", "whose certificate has expired"),
        (
            "certificate not valid yet",
            "whose certificate is not valid yet",
        ),
        (
            "not valid for name",
            "whose certificate is for another name",
        ),
        ("Revoked", "whose certificate was revoked"),
        ("invalid peer certificate", "whose certificate is not valid"),
    ] {
        if says(error, sign) {
            return words;
        }
    }
    "with which no encrypted connection could be made"
}

/// The nearest cause of a type.
fn cause<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

/// Whether a cause says so; the client's own types are not public.
fn says(error: &(dyn Error + 'static), words: &str) -> bool {
    causes(error).any(|cause| cause.to_string().contains(words))
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

fn size(bytes: u64) -> String {
    match bytes / (1024 * 1024) {
        0 => format!("{bytes} bytes"),
        megabytes => format!("{megabytes} MB"),
    }
}

fn seconds(after: Duration) -> String {
    match after.as_secs_f64() {
        1.0 => "1 second".to_owned(),
        seconds => format!("{seconds} seconds"),
    }
}
