//! The only way from a tool to a service: pinned origins, size limits, retries and removal of
//! secrets.

mod base;
mod client;
mod exchange;
mod problem;
mod secrets;
#[cfg(test)]
pub(crate) mod testing;

use std::error::Error;

use tool_core::{Hints, RiskLevel};

pub(crate) use base::Base;
pub(crate) use client::{Deadline, Door, FIRST_WAIT};
pub(crate) use exchange::{Repeat, Request, Response};
pub(crate) use problem::{Missing, Problem};
pub(crate) use secrets::Secrets;
pub(crate) use tool_json::text::one_line;

/// Returns the hints of a tool of a service. None of them deletes or overwrites anything.
pub(crate) fn hints_of(risk: RiskLevel) -> Hints {
    Hints {
        destructive: false,
        open_world: true,
        ..Hints::of(risk)
    }
}

/// Returns the first line of a list: the number of its items, and what they have in common.
pub(crate) fn heading(count: usize, item: &str, rest: &str) -> String {
    match count {
        0 => format!("No {item}s {rest}."),
        1 => format!("1 {item} {rest}:"),
        many => format!("{many} {item}s {rest}:"),
    }
}

/// Error for invalid settings of a connector.
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tools_connectors::anthropic::AnthropicAdmin;
///
/// let error = AnthropicAdmin::new(&Secret::new(" ".to_owned())).unwrap_err();
/// assert_eq!(error.to_string(), "the admin key is empty");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A credential is empty.
    #[error("the {0} is empty")]
    Empty(&'static str),
    /// A credential contains characters that are not allowed in a header.
    #[error("the {0} contains invalid characters")]
    Invalid(&'static str),
    /// The URL of a service is not allowed.
    #[error(
        "invalid endpoint; use `https://host/path`, or `http://127.0.0.1:port` for a local server"
    )]
    InvalidEndpoint,
    /// The URL of a proxy is invalid.
    #[error("invalid proxy URL; use `http://host:port`")]
    InvalidProxy,
    /// The HTTP client cannot be created.
    #[error("the HTTP client cannot be created")]
    Client(#[source] Box<dyn Error + Send + Sync>),
    /// The time zone is not in the IANA database.
    #[error("unknown time zone `{0}`; use an IANA name such as `Europe/Berlin`")]
    UnknownZone(String),
    /// The system has no directory for the state of a user.
    #[error("no state directory; set `XDG_STATE_HOME` or `HOME`, or pass a directory")]
    NoStateDirectory,
}

#[cfg(test)]
mod tests;
