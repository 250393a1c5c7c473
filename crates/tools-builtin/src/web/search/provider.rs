//! Interface of search providers.

use std::fmt::Debug;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SearchError;

/// Service that searches the web or another collection of URLs.
///
/// Results are untrusted text. [`WebSearch`](super::WebSearch) removes characters that could
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
    #[must_use]
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
