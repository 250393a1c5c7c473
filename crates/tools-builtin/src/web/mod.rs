//! Page fetching, address rules and web search.
//!
//! [`WebFetch`] returns one page as text. An [`AddressGuard`] checks the URL, every address that a
//! [`Resolver`] returns, every redirect, and the address of the connection. [`WebSearch`] sends
//! queries to a [`SearchProvider`].

#[cfg(feature = "web")]
mod client;
#[cfg(feature = "web")]
mod exchange;
#[cfg(feature = "web")]
mod failure;
mod guard;
#[cfg(feature = "web")]
mod page;
#[cfg(feature = "web")]
mod resolver;
#[cfg(feature = "web")]
mod search;
#[cfg(test)]
#[cfg(feature = "web")]
mod testing;
#[cfg(feature = "web")]
mod tools;
#[cfg(feature = "web")]
mod web_fetch;

#[cfg(all(feature = "tls", feature = "web"))]
pub use client::InvalidCertificate;
pub use guard::{AddressGuard, InvalidHost, InvalidNetwork, Network, UrlRefusal, UrlRule};
#[cfg(feature = "web")]
pub use page::PageFormat;
#[cfg(feature = "web")]
pub use resolver::{Resolver, SystemResolver};
#[cfg(feature = "web")]
pub use search::{
    BraveSearch, SearchError, SearchProvider, SearchResult, SearchSetupError, WebSearch,
    WebSearchInput, WebSearchOutput,
};
#[cfg(feature = "web")]
pub use tools::WebTools;
#[cfg(feature = "web")]
pub use web_fetch::{WebFetch, WebFetchInput, WebFetchOutput};
