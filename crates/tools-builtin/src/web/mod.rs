//! Fetching pages, and deciding which addresses may be reached.
//!
//! [`WebFetch`] reads one URL as text. An [`AddressGuard`] decides which URLs it may read: it judges the URL, every address
//! that a [`Resolver`] gives for its name, every redirect, and the address that was connected to.

mod client;
mod exchange;
mod failure;
mod guard;
mod page;
mod resolver;
#[cfg(test)]
mod testing;
mod web_fetch;

#[cfg(feature = "tls-aws-lc")]
pub use client::InvalidCertificate;
pub use guard::{AddressGuard, InvalidHost, InvalidNetwork, Network, UrlRefusal, UrlRule};
pub use page::PageFormat;
pub use resolver::{Resolver, SystemResolver};
pub use web_fetch::{WebFetch, WebFetchInput, WebFetchOutput};
