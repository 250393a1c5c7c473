//! Why a search gave nothing.

use std::error::Error;
use std::time::Duration;

use tool_core::{ErrorCode, ToolError};

/// Why a search gave nothing, for the application to match on.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::ToolError;
/// use tools_builtin::web::SearchError;
///
/// let error = ToolError::from(SearchError::RateLimited { retry_after: Some(Duration::from_secs(2)) });
/// assert_eq!(error.code().as_str(), "rate_limited");
/// assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
///
/// let error = ToolError::from(SearchError::NotAuthorized);
/// assert_eq!(error.code().as_str(), "search_not_authorized");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The service does not accept the key, or the key may not do this.
    #[error("the search service does not accept the application's key")]
    NotAuthorized,
    /// The service takes no more searches for a while.
    #[error("the search service takes no more searches for now")]
    RateLimited {
        /// How long to wait, where the service says so.
        retry_after: Option<Duration>,
    },
    /// The service does not take this query.
    #[error("the search service does not take this query")]
    QueryRefused,
    /// The service answered with an HTTP status that is no success.
    #[error("the search service answered with HTTP status {0}")]
    Status(u16),
    /// The service did not answer in time.
    #[error("the search service did not answer within {} seconds", .0.as_secs())]
    Timeout(Duration),
    /// The service cannot be reached.
    #[error("the search service cannot be reached")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// The answer is larger than one may be.
    #[error("the search service answered with more than {max_bytes} bytes")]
    ResponseTooLarge {
        /// The most bytes of an answer.
        max_bytes: usize,
    },
    /// The answer is not what the service should send.
    #[error("the search service answered with something that cannot be read")]
    Unreadable,
    /// The service wants HTTPS, and the application was built without TLS.
    #[error("the application was built without TLS, which the search service needs")]
    NoTls,
    /// Something else went wrong inside a provider.
    #[error("the search failed")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

const LATER: &str = "Search again later, or go on without searching.";
const WITHOUT: &str = "Go on without searching, and say that the search does not work.";

impl SearchError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotAuthorized => "search_not_authorized".into(),
            Self::RateLimited { .. } => ErrorCode::RateLimited,
            Self::QueryRefused => ErrorCode::InvalidArguments,
            Self::Timeout(_) => ErrorCode::Timeout,
            Self::ResponseTooLarge { .. } => ErrorCode::ResponseTooLarge,
            Self::Unreadable => "invalid_response".into(),
            Self::NoTls => "tls_unavailable".into(),
            Self::Status(_) | Self::Unreachable(_) => ErrorCode::Unavailable,
            Self::Failed(_) => ErrorCode::Failed,
        }
    }

    fn suggestion(&self) -> String {
        match self {
            Self::RateLimited {
                retry_after: Some(wait),
            } => {
                let seconds = wait.as_secs_f64().ceil().max(1.0);
                format!("Search again after {seconds} seconds.")
            }
            Self::QueryRefused => "Search with a shorter and simpler `query`.".to_owned(),
            Self::NotAuthorized | Self::NoTls => WITHOUT.to_owned(),
            _ => LATER.to_owned(),
        }
    }

    /// Whether the same search may do better later.
    fn is_passing(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Timeout(_) | Self::Unreachable(_) => true,
            Self::Status(status) => *status >= 500,
            _ => false,
        }
    }
}

impl From<SearchError> for ToolError {
    fn from(error: SearchError) -> Self {
        let sentence = capitalised(&error.to_string());
        let (suggestion, is_passing) = (error.suggestion(), error.is_passing());
        let told = match error {
            SearchError::QueryRefused => {
                Self::invalid_arguments("query", "is not taken by the search service")
            }
            _ => Self::new(error.code(), sentence),
        };
        let told = told.suggest(suggestion).with_retryable(is_passing);
        match error {
            SearchError::RateLimited {
                retry_after: Some(wait),
            } => told.with_retry_after(wait),
            SearchError::Unreachable(source) | SearchError::Failed(source) => {
                told.caused_by(source)
            }
            _ => told,
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_a_code_and_says_what_to_do() {
        let wait = Some(Duration::from_millis(1500));
        for (error, code, is_retryable, text) in [
            (
                SearchError::NotAuthorized,
                "search_not_authorized",
                false,
                "The search service does not accept the application's key. Go on without searching, and say that the search \
                 does not work.",
            ),
            (
                SearchError::RateLimited { retry_after: wait },
                "rate_limited",
                true,
                "The search service takes no more searches for now. Search again after 2 seconds.",
            ),
            (
                SearchError::RateLimited { retry_after: None },
                "rate_limited",
                true,
                "The search service takes no more searches for now. Search again later, or go on without searching.",
            ),
            (
                SearchError::QueryRefused,
                "invalid_arguments",
                false,
                "`query` is not taken by the search service. Search with a shorter and simpler `query`.",
            ),
            (
                SearchError::Status(503),
                "unavailable",
                true,
                "The search service answered with HTTP status 503. Search again later, or go on without searching.",
            ),
            (
                SearchError::Status(404),
                "unavailable",
                false,
                "The search service answered with HTTP status 404. Search again later, or go on without searching.",
            ),
            (
                SearchError::Timeout(Duration::from_secs(10)),
                "timeout",
                true,
                "The search service did not answer within 10 seconds. Search again later, or go on without searching.",
            ),
            (
                SearchError::ResponseTooLarge { max_bytes: 1000 },
                "response_too_large",
                false,
                "The search service answered with more than 1000 bytes. Search again later, or go on without searching.",
            ),
            (
                SearchError::Unreadable,
                "invalid_response",
                false,
                "The search service answered with something that cannot be read. Search again later, or go on without searching.",
            ),
            (
                SearchError::NoTls,
                "tls_unavailable",
                false,
                "The application was built without TLS, which the search service needs. Go on without searching, and say that \
                 the search does not work.",
            ),
            (
                SearchError::Unreachable("10.0.0.7 refused".into()),
                "unavailable",
                true,
                "The search service cannot be reached. Search again later, or go on without searching.",
            ),
            (
                SearchError::Failed("secret".into()),
                "failed",
                false,
                "The search failed. Search again later, or go on without searching.",
            ),
        ] {
            let told = ToolError::from(error);

            assert_eq!(told.code().as_str(), code);
            assert_eq!(
                (told.retryable(), told.to_string()),
                (is_retryable, text.to_owned())
            );
        }
    }
}
