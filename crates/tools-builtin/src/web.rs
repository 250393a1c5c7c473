//! Page fetching, address rules and web search.
//!
//! [`WebFetch`] returns one page as text. An [`AddressGuard`] checks the URL, every address that a
//! [`Resolver`] returns, every redirect, and the address of the connection. The tool `web_search` sends
//! queries to a [`SearchProvider`].

mod exchange;
mod failure;
mod guard;
mod page;
mod resolver;
mod search;
#[cfg(test)]
mod testing;
mod web_fetch;

use std::sync::Arc;

pub use guard::{AddressGuard, InvalidHost, UrlRefusal, UrlRule};
pub use ipnet::IpNet;
pub use page::PageFormat;
pub use resolver::{Resolver, SystemResolver};
#[cfg(feature = "document-sets")]
pub(crate) use search::default_count;
pub use search::{BraveSearch, SearchError, SearchProvider, SearchResult, SearchSetupError};
pub(crate) use search::{WebSearch, WebSearchInput, WebSearchOutput};
pub use web_fetch::{WebFetch, WebFetchInput, WebFetchOutput};
pub(crate) use web_fetch::{default_max_chars, default_timeout_seconds};

/// Web tools.
#[derive(Debug, Clone, Default)]
pub(crate) struct WebTools {
    /// Fetches pages.
    pub(crate) web_fetch: Arc<WebFetch>,
    /// Searches the web, if the host has a [`SearchProvider`].
    pub(crate) web_search: Option<Arc<WebSearch>>,
}
