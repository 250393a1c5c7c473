//! Fetching pages, deciding which addresses may be reached, and searching the web.
//!
//! [`WebFetch`] reads one URL as text. An [`AddressGuard`] decides which URLs it may read: it judges the URL, every address
//! that a [`Resolver`] gives for its name, every redirect, and the address that was connected to. [`WebSearch`] asks a
//! [`SearchProvider`].

mod client;
mod exchange;
mod failure;
mod guard;
mod page;
mod resolver;
mod search;
#[cfg(test)]
mod testing;
mod web_fetch;

#[cfg(feature = "tls-aws-lc")]
pub use client::InvalidCertificate;
pub use guard::{AddressGuard, InvalidHost, InvalidNetwork, Network, UrlRefusal, UrlRule};
pub use page::PageFormat;
pub use resolver::{Resolver, SystemResolver};
pub use search::{
    BraveSearch, SearchError, SearchProvider, SearchResult, SearchSetupError, WebSearch,
    WebSearchInput, WebSearchOutput,
};
pub use web_fetch::{WebFetch, WebFetchInput, WebFetchOutput};
