//! Web search with a provider of the application's choice: its interface, results and errors.

mod brave;
mod web_search;

use std::error::Error;
use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{ErrorCode, ToolError};

pub use brave::{BraveSearch, SearchSetupError};
#[cfg(feature = "document-sets")]
pub(crate) use web_search::default_count;
pub(crate) use web_search::{WebSearch, WebSearchInput, WebSearchOutput};

/// Service that searches the web or another collection of URLs.
///
/// Results are untrusted text. The tool `web_search` removes characters that could
/// imitate its own output, and truncates long fields.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tools_builtin::web::{SearchError, SearchProvider, SearchResult};
///
/// #[derive(Debug)]
/// struct Bookmarks(Vec<SearchResult>);
///
/// #[async_trait]
/// impl SearchProvider for Bookmarks {
///     fn provider_name(&self) -> &str {
///         "bookmarks"
///     }
///
///     async fn search(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, SearchError> {
///         let found = self.0.iter().filter(|result| result.title.contains(query));
///         Ok(found.take(count).cloned().collect())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), SearchError> {
/// let rust = SearchResult::new("The Rust language", "https://rust-lang.org/", "Its own site.");
/// let provider = Bookmarks(vec![rust.clone()]);
/// assert_eq!(provider.search("Rust", 5).await?, [rust]);
/// # Ok(()) }
/// ```
#[async_trait]
pub trait SearchProvider: Debug + Send + Sync {
    /// Returns the name of the service, for logs and metadata.
    fn provider_name(&self) -> &str;

    /// Returns at most `count` results, the best one first. `query` is not empty and has at most
    /// 400 characters; `count` is from 1 to 20.
    ///
    /// # Errors
    /// Returns [`SearchError`] for the cause of the failure. It must not contain a key.
    ///
    /// # Cancellation
    /// Dropping the future stops the search. It is dropped after 30 seconds.
    async fn search(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, SearchError>;
}

/// Search result.
///
/// # Examples
/// ```
/// use tools_builtin::web::SearchResult;
///
/// let result = SearchResult::new("Example", "https://example.com/", "A page for examples.");
/// assert_eq!(result.url, "https://example.com/");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(description = "Search result.")]
pub struct SearchResult {
    /// Title of the page.
    pub title: String,
    /// URL of the page.
    pub url: String,
    /// Summary of the page. May be empty.
    pub description: String,
}

impl SearchResult {
    /// Creates a result.
    pub fn new(
        title: impl Into<String>,
        url: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self {
            title: title.into(),
            url: url.into(),
            description: description.into(),
        }
    }
}

/// Failure of a search.
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
    /// The service rejected the key or its permissions.
    #[error("the search service rejected the application's key")]
    NotAuthorized,
    /// The rate limit of the service is exhausted.
    #[error("the rate limit of the search service is exhausted")]
    RateLimited {
        /// Time to wait, if the service reports one.
        retry_after: Option<Duration>,
    },
    /// The service rejected the query.
    #[error("the search service rejected this query")]
    QueryRefused,
    /// The service returned an unsuccessful HTTP status.
    #[error("the search service returned HTTP status {0}")]
    Status(u16),
    /// The service did not respond in time.
    #[error("the search service did not respond within {} seconds", .0.as_secs())]
    Timeout(Duration),
    /// The service is unreachable.
    #[error("the search service is unreachable")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// The response is too large.
    #[error("the search service returned more than {max_bytes} bytes")]
    ResponseTooLarge {
        /// Maximum size of a response in bytes.
        max_bytes: usize,
    },
    /// The response is invalid.
    #[error("the search service returned an invalid response")]
    Unreadable,
    /// Other failure of a provider.
    #[error("the search failed")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

const LATER: &str = "Search again later, or continue without searching.";
const SHORTER: &str = "Search with a shorter and simpler `query`.";
const WITHOUT: &str = "Continue without searching, and tell the user that search is unavailable.";

impl SearchError {
    /// Returns the code, whether the same search may succeed later, and a suggestion.
    fn kind(&self) -> (ErrorCode, bool, &'static str) {
        match self {
            Self::NotAuthorized => ("search_not_authorized".into(), false, WITHOUT),
            Self::RateLimited { .. } => (ErrorCode::RateLimited, true, LATER),
            Self::QueryRefused => (ErrorCode::InvalidArguments, false, SHORTER),
            Self::Status(status) => (ErrorCode::Unavailable, *status >= 500, LATER),
            Self::Timeout(_) => (ErrorCode::Timeout, true, LATER),
            Self::Unreachable(_) => (ErrorCode::Unavailable, true, LATER),
            Self::ResponseTooLarge { .. } => (ErrorCode::ResponseTooLarge, false, LATER),
            Self::Unreadable => ("invalid_response".into(), false, LATER),
            Self::Failed(_) => (ErrorCode::Failed, false, LATER),
        }
    }
}

#[diagnostic::do_not_recommend]
impl From<SearchError> for ToolError {
    fn from(error: SearchError) -> Self {
        let (code, retryable, suggestion) = error.kind();
        let tool_error = match error {
            SearchError::QueryRefused => {
                Self::invalid_arguments("query", "was rejected by the search service")
            }
            _ => Self::new(code, capitalized(&error.to_string())),
        };
        let tool_error = tool_error.suggest(suggestion).with_retryable(retryable);
        match error {
            SearchError::RateLimited {
                retry_after: Some(wait),
            } => {
                let seconds = wait.as_secs_f64().ceil().max(1.0);
                tool_error
                    .suggest(format!("Search again after {seconds} seconds."))
                    .with_retry_after(wait)
            }
            SearchError::Unreachable(source) | SearchError::Failed(source) => {
                tool_error.caused_by(source)
            }
            _ => tool_error,
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_code_and_suggestion() {
        let wait = Some(Duration::from_millis(1500));
        for (error, code, is_retryable, text) in [
            (
                SearchError::NotAuthorized,
                "search_not_authorized",
                false,
                "The search service rejected the application's key. Continue without searching, and tell the user that \
                 search is unavailable.",
            ),
            (
                SearchError::RateLimited { retry_after: wait },
                "rate_limited",
                true,
                "The rate limit of the search service is exhausted. Search again after 2 seconds.",
            ),
            (
                SearchError::RateLimited { retry_after: None },
                "rate_limited",
                true,
                "The rate limit of the search service is exhausted. Search again later, or continue without searching.",
            ),
            (
                SearchError::QueryRefused,
                "invalid_arguments",
                false,
                "`query` was rejected by the search service. Search with a shorter and simpler `query`.",
            ),
            (
                SearchError::Status(503),
                "unavailable",
                true,
                "The search service returned HTTP status 503. Search again later, or continue without searching.",
            ),
            (
                SearchError::Status(404),
                "unavailable",
                false,
                "The search service returned HTTP status 404. Search again later, or continue without searching.",
            ),
            (
                SearchError::Timeout(Duration::from_secs(10)),
                "timeout",
                true,
                "The search service did not respond within 10 seconds. Search again later, or continue without searching.",
            ),
            (
                SearchError::ResponseTooLarge { max_bytes: 1000 },
                "response_too_large",
                false,
                "The search service returned more than 1000 bytes. Search again later, or continue without searching.",
            ),
            (
                SearchError::Unreadable,
                "invalid_response",
                false,
                "The search service returned an invalid response. Search again later, or continue without searching.",
            ),
            (
                SearchError::Unreachable("10.0.0.7 refused".into()),
                "unavailable",
                true,
                "The search service is unreachable. Search again later, or continue without searching.",
            ),
            (
                SearchError::Failed("secret".into()),
                "failed",
                false,
                "The search failed. Search again later, or continue without searching.",
            ),
        ] {
            let tool_error = ToolError::from(error);

            assert_eq!(tool_error.code().as_str(), code);
            assert_eq!(
                (tool_error.retryable(), tool_error.to_string()),
                (is_retryable, text.to_owned())
            );
        }
    }
}
