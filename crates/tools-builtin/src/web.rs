//! Page fetching, address rules and web search.
//!
//! [`WebFetch`] returns one page as text. An [`AddressGuard`] checks the URL, every address that a
//! [`Resolver`] returns, every redirect, and the address of the connection. [`WebSearch`] sends
//! queries to a [`SearchProvider`].

mod client;
mod exchange;
mod failure;
mod guard;
mod page;
mod resolver;
mod search;
#[cfg(test)]
mod testing;
mod tools;
mod web_fetch;

pub use client::InvalidCertificate;
pub use guard::{AddressGuard, InvalidHost, InvalidNetwork, Network, UrlRefusal, UrlRule};
pub use page::PageFormat;
pub use resolver::{Resolver, SystemResolver};
pub use search::{
    BraveSearch, SearchError, SearchProvider, SearchResult, SearchSetupError, WebSearch,
    WebSearchInput, WebSearchOutput,
};
pub use tools::WebTools;
pub use web_fetch::{WebFetch, WebFetchInput, WebFetchOutput};
