//! Search provider for the Brave Web Search API.

#[cfg(test)]
mod tests;

use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue, InvalidHeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, redirect, retry};
use serde_json::Value;
use tool_core::Secret;
use url::Url;

use super::{SearchError, SearchProvider, SearchResult};

/// Default base URL.
const BASE_URL: &str = "https://api.search.brave.com/";
/// Path for base URLs without a path.
const PATH: &str = "/res/v1/web/search";
const TOKEN_HEADER: &str = "X-Subscription-Token";
const USER_AGENT: &str = concat!("toolwright/", env!("CARGO_PKG_VERSION"));
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of a response in bytes, after decompression.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Provider for the [Brave Web Search
/// API](https://api-dashboard.search.brave.com/app/documentation/web-search/get-started).
///
/// Sends one request per search, with the key in the header `X-Subscription-Token`. Proxies and
/// redirects are not used. A search fails after 2 MB. Debug output and errors do not contain the key.
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tools_builtin::web::BraveSearch;
///
/// let brave = BraveSearch::new(&Secret::new("BSA-123".to_owned()))?.with_base_url("http://127.0.0.1:8080")?;
/// assert!(!format!("{brave:?}").contains("BSA-123"));
/// # Ok::<_, tools_builtin::web::SearchSetupError>(())
/// ```
#[derive(Debug, Clone)]
pub struct BraveSearch {
    client: Client,
    url: Url,
    key: HeaderValue,
}

/// Error for invalid settings of a search provider.
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tools_builtin::web::BraveSearch;
///
/// let error = BraveSearch::new(&Secret::new(" \n".to_owned())).unwrap_err();
/// assert_eq!(error.to_string(), "the search key is empty");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchSetupError {
    /// The key is empty.
    #[error("the search key is empty")]
    EmptyKey,
    /// The key contains characters that are not allowed in a header.
    #[error("the search key contains invalid characters")]
    InvalidKey(#[source] InvalidHeaderValue),
    /// The base URL is not an HTTP URL.
    #[error("invalid base URL of the search; use an http or https URL")]
    InvalidUrl,
    /// The HTTP client cannot be created.
    #[error("the HTTP client of the search cannot be created")]
    Client(#[source] reqwest::Error),
}

impl BraveSearch {
    /// Creates a provider with this key, without surrounding whitespace.
    ///
    /// # Errors
    /// Returns [`SearchSetupError`] if the key is empty or not a valid header value.
    pub fn new(key: &Secret<String>) -> Result<Self, SearchSetupError> {
        let key = key.expose().trim();
        if key.is_empty() {
            return Err(SearchSetupError::EmptyKey);
        }
        let mut key = HeaderValue::from_str(key).map_err(SearchSetupError::InvalidKey)?;
        // Keeps the key out of debug output and out of the compression tables of HTTP/2.
        key.set_sensitive(true);
        Ok(Self {
            client: client().map_err(SearchSetupError::Client)?,
            url: parse_url(BASE_URL)?,
            key,
        })
    }

    /// Sets another server, such as one for tests. The default path is `/res/v1/web/search`.
    ///
    /// The application controls the URL, so no address guard checks it.
    ///
    /// # Errors
    /// Returns [`SearchSetupError::InvalidUrl`] if it is not an `http` or `https` URL.
    pub fn with_base_url(mut self, url: &str) -> Result<Self, SearchSetupError> {
        self.url = parse_url(url)?;
        Ok(self)
    }
}

#[async_trait]
impl SearchProvider for BraveSearch {
    fn provider_name(&self) -> &'static str {
        "brave"
    }

    async fn search(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, SearchError> {
        let mut url = self.url.clone();
        url.query_pairs_mut()
            .append_pair("q", query)
            .append_pair("count", &count.to_string())
            .append_pair("result_filter", "web");
        let request = self.client.get(url).header(TOKEN_HEADER, self.key.clone());
        let request = request.header(ACCEPT, HeaderValue::from_static("application/json"));
        let response = request.send().await.map_err(unreachable)?;
        if response.status() == StatusCode::OK {
            return results(&body(response).await?);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        // Report the status even if the error body cannot be read.
        let explanation = body(response).await.unwrap_or_default();
        Err(refusal(status, &headers, &explanation))
    }
}

fn client() -> reqwest::Result<Client> {
    Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .retry(retry::never())
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .build()
}

fn parse_url(url: &str) -> Result<Url, SearchSetupError> {
    let mut url = Url::parse(url).map_err(|_| SearchSetupError::InvalidUrl)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(SearchSetupError::InvalidUrl);
    }
    if url.path() == "/" {
        url.set_path(PATH);
    }
    Ok(url)
}

async fn body(mut response: Response) -> Result<Vec<u8>, SearchError> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(unreachable)? {
        // The declared length may be wrong, and says nothing about a compressed body.
        if body.len() + piece.len() > MAX_BYTES {
            return Err(SearchError::ResponseTooLarge {
                max_bytes: MAX_BYTES,
            });
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

// The URL contains the query, which must not be logged.
fn unreachable(error: reqwest::Error) -> SearchError {
    SearchError::Unreachable(error.without_url().into())
}

/// Maximum reported wait time.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// Returns the results in a body. Unknown and missing members are ignored.
fn results(body: &[u8]) -> Result<Vec<SearchResult>, SearchError> {
    let body: Value = serde_json::from_slice(body).map_err(|_| SearchError::Unreadable)?;
    if !body.is_object() {
        return Err(SearchError::Unreadable);
    }
    let listed = body.pointer("/web/results").and_then(Value::as_array);
    Ok(listed.into_iter().flatten().filter_map(result).collect())
}

fn result(listed: &Value) -> Option<SearchResult> {
    let text = |name: &str| listed.get(name).and_then(Value::as_str).unwrap_or_default();
    let url = text("url").trim();
    // Results are untrusted: `javascript:` and `file:` URLs must not reach a person or a tool.
    let is_web = ["https://", "http://"].iter().any(|scheme| {
        url.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    is_web.then(|| {
        SearchResult::new(
            html_text::to_text(text("title")).text,
            url,
            html_text::to_text(text("description")).text,
        )
    })
}

/// Returns the error for an unsuccessful status.
fn refusal(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> SearchError {
    match status {
        // Brave returns 422 for an unknown key and for an invalid query.
        StatusCode::UNPROCESSABLE_ENTITY if is_about_the_query(body) => SearchError::QueryRefused,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::UNPROCESSABLE_ENTITY => {
            SearchError::NotAuthorized
        }
        StatusCode::PAYMENT_REQUIRED | StatusCode::TOO_MANY_REQUESTS => SearchError::RateLimited {
            retry_after: wait(headers),
        },
        StatusCode::BAD_REQUEST => SearchError::QueryRefused,
        other => SearchError::Status(other.as_u16()),
    }
}

fn is_about_the_query(body: &[u8]) -> bool {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let code = body.pointer("/error/code").and_then(Value::as_str);
    let errors = body.pointer("/error/meta/errors").map(Value::to_string);
    let is_about_the_key = errors
        .unwrap_or_default()
        .to_lowercase()
        .contains("subscription-token");
    code == Some("VALIDATION") && !is_about_the_key
}

/// Returns the time to wait: `Retry-After` in seconds.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse();
    Some(Duration::from_secs(seconds.ok()?).min(LONGEST_WAIT))
}
