//! What a search service is to the tool.

use std::fmt::Debug;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SearchError;

/// A service that searches the web, or anything else that answers to URLs.
///
/// What a provider gives is a stranger's text. [`WebSearch`](super::WebSearch) removes what could be mistaken for its own words,
/// and cuts what is too long.
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
    /// The name of the service, for logs and metadata.
    fn provider_name(&self) -> &str;

    /// Finds at most `count` results, the best one first. `query` is not empty and has at most 400 characters; `count` is from
    /// 1 to 20.
    ///
    /// # Errors
    /// [`SearchError`] says what a caller can do about it; none of them may hold a key.
    ///
    /// # Cancellation
    /// Dropping the future ends the search. It is dropped after 30 seconds.
    async fn search(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, SearchError>;
}

/// One page that was found.
///
/// # Examples
/// ```
/// use tools_builtin::web::SearchResult;
///
/// let result = SearchResult::new("Example", "https://example.com/", "A page for examples.");
/// assert_eq!(result.url, "https://example.com/");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(description = "One page that was found.")]
pub struct SearchResult {
    /// Title of the page.
    pub title: String,
    /// Where the page is.
    pub url: String,
    /// What the page says, in short; may be empty.
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
