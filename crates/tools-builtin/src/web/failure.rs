//! Failures of a fetch, with messages that reveal nothing about internal networks.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

use tool_core::{ErrorCode, ToolError};

use super::guard::{UrlRefusal, UrlRule};
use super::resolver::ResolveError;

/// Failure of a fetch.
#[derive(Debug)]
pub(super) enum Failure {
    /// The URL is forbidden.
    Forbidden(UrlRefusal),
    /// A redirect target is forbidden.
    RedirectForbidden(UrlRefusal),
    Tls(reqwest::Error),
    Timeout(Duration),
    TooLarge(u64),
    /// The body is not text. Contains a description of the content.
    NotText(String),
    Other(Problem, Option<reqwest::Error>),
}

/// Declares problems, one per line: code, whether the same call may succeed later, the sentence
/// after the parameter name, and a suggestion.
macro_rules! problems {
    ($($name:ident = $code:literal, $retryable:literal, $sentence:literal, $suggestion:expr;)*) => {
        /// Failure with a fixed message.
        #[derive(Debug, Clone, Copy)]
        pub(super) enum Problem { $($name,)* }

        impl Problem {
            fn to_error(self) -> ToolError {
                match self { $(Self::$name => url_error($code, $retryable, $sentence, $suggestion),)* }
            }
        }
    };
}

problems! {
    BadRedirect = "invalid_redirect", false, "redirects to an invalid URL", OTHER_URL;
    RedirectLoop = "redirect_loop", false, "redirects in a loop", OTHER_URL;
    TooManyRedirects = "too_many_redirects", false, "redirects more than 5 times", OTHER_URL;
    HostNotFound = "host_not_found", false, "has a host that was not found", "Check the spelling of the host, or search for the page.";
    ConnectionRefused = "connection_refused", true, "refers to a server that refused the connection", LATER;
    ConnectionFailed = "connection_failed", true, "refers to a server that could not be connected to", LATER;
    ConnectTimeout = "connect_timeout", true, "refers to a server that did not accept the connection in time", LATER;
    HeadersTooLarge = "response_headers_too_large", false, "has a response with more than 64 KB of headers, or more than 4096 of them", OTHER_SOURCE;
    Incomplete = "response_incomplete", true, "has an incomplete response", "Try again, or use another source.";
    NotHttp = "invalid_response", false, "refers to a server that sent an invalid HTTP response", OTHER_SOURCE;
    BadEncoding = "invalid_content_encoding", false, "has a response that cannot be decompressed", OTHER_SOURCE;
    NoClient = "unavailable", false, "cannot be fetched because the HTTP client could not be created", "Tell the user.";
}

const OTHER_URL: &str = "Use another URL of the page, such as its new location.";
const OTHER_SOURCE: &str = "Use another source.";
const LATER: &str = "Check the host and port, try again later, or use another source.";

impl Failure {
    /// Classifies the error of a request without a response.
    pub(super) fn of_request(error: reqwest::Error) -> Self {
        let problem = match cause::<ResolveError>(&error) {
            Some(ResolveError::Refused(refusal)) => return Self::Forbidden(*refusal),
            // One message for both: whether a name exists inside a network is nothing that a model needs to learn.
            Some(ResolveError::NoAddress | ResolveError::Failed(_)) => Problem::HostNotFound,
            None if !error.is_connect() && mentions(&error, "message head is too large") => {
                Problem::HeadersTooLarge
            }
            None if !error.is_connect() => Problem::NotHttp,
            None if error.is_timeout() => Problem::ConnectTimeout,
            None => match cause::<io::Error>(&error).map(io::Error::kind) {
                Some(ErrorKind::ConnectionRefused) => Problem::ConnectionRefused,
                // Handshake errors are wrapped in one of these kinds.
                Some(ErrorKind::InvalidData | ErrorKind::Other | ErrorKind::UnexpectedEof) => {
                    return Self::Tls(error);
                }
                _ => Problem::ConnectionFailed,
            },
        };
        Self::Other(problem, Some(error))
    }

    /// Classifies the error of an incomplete body.
    pub(super) fn of_body(error: reqwest::Error) -> Self {
        let kind = cause::<io::Error>(&error).map(io::Error::kind);
        let is_incomplete = mentions(&error, "error reading a body from connection")
            || mentions(&error, "end of file before message length reached")
            || matches!(
                kind,
                Some(ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset)
            );
        let problem = if is_incomplete {
            Problem::Incomplete
        } else {
            Problem::BadEncoding
        };
        Self::Other(problem, Some(error))
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Other(problem, None)
    }
}

#[diagnostic::do_not_recommend]
impl From<Failure> for ToolError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Forbidden(refusal) => forbidden(refusal),
            Failure::RedirectForbidden(refusal) => {
                let sentence = format!("redirects to a URL that {}", reason(refusal));
                let suggestion =
                    "Fetch a page of the public Internet that does not redirect there.";
                url_error("redirect_forbidden", false, sentence, suggestion)
            }
            Failure::Tls(error) => {
                let sentence = format!("refers to a server {}", tls_problem(&error));
                let suggestion = "Do not trust this server; use another source.";
                url_error("tls_error", false, sentence, suggestion).caused_by(error)
            }
            Failure::Timeout(after) => {
                let sentence = format!("was not fetched within {}", seconds(after));
                let suggestion = "Use a longer `timeout_seconds`, or try again later.";
                url_error("timeout", true, sentence, suggestion)
            }
            Failure::TooLarge(limit) => {
                let sentence = format!("has a response of more than {}", size(limit));
                let suggestion = "Fetch a smaller page, such as an overview or one part.";
                url_error("response_too_large", false, sentence, suggestion)
            }
            Failure::NotText(content) => {
                let sentence = format!("is {content}, which cannot be shown as text");
                let suggestion = "Search for a page with the content as text.";
                url_error("not_text", false, sentence, suggestion)
            }
            Failure::Other(problem, Some(source)) => problem.to_error().caused_by(source),
            Failure::Other(problem, None) => problem.to_error(),
        }
    }
}

fn url_error(
    code: &str,
    retryable: bool,
    sentence: impl Into<String>,
    suggestion: &str,
) -> ToolError {
    ToolError::about(ErrorCode::from(code), "url", sentence)
        .suggest(suggestion)
        .with_retryable(retryable)
}

fn forbidden(refusal: UrlRefusal) -> ToolError {
    let (code, suggestion) = match refusal.rule() {
        UrlRule::Invalid | UrlRule::Scheme => (
            "invalid_arguments",
            "Use a complete URL, such as `https://example.com/page`.",
        ),
        UrlRule::Ambiguous => (
            "url_forbidden",
            "Use slashes as separators, and `%09` or `%5C` for the character itself.",
        ),
        UrlRule::Credentials => ("url_forbidden", "Omit the part before the `@`."),
        _ => (
            "url_forbidden",
            "Only the public Internet can be fetched; ask the user for other content.",
        ),
    };
    url_error(code, false, reason(refusal), suggestion)
}

// Do not reveal the address of a private name to the model.
fn reason(refusal: UrlRefusal) -> &'static str {
    if refusal.is_by_name() {
        return "has a host whose address is not public";
    }
    refusal.rule().reason()
}

/// Describes a TLS error as far as its cause is known.
fn tls_problem(error: &reqwest::Error) -> &'static str {
    let causes = [
        ("UnknownIssuer", "whose certificate is not trusted"),
        ("certificate expired", "whose certificate has expired"),
        (
            "not valid for name",
            "whose certificate is for another name",
        ),
        ("invalid peer certificate", "whose certificate is not valid"),
    ];
    let known = causes.into_iter().find(|(text, _)| mentions(error, text));
    known.map_or(
        "with which no encrypted connection could be established",
        |(_, problem)| problem,
    )
}

/// Returns the nearest cause of type `E`.
fn cause<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

/// Returns whether a cause contains `text`. The types of the client are not public.
fn mentions(error: &(dyn Error + 'static), text: &str) -> bool {
    causes(error).any(|cause| cause.to_string().contains(text))
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
