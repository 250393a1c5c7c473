//! Fetching pages and searching the web.

mod guard;

pub use guard::{AddressGuard, InvalidHost, InvalidNetwork, Network, UrlRefusal, UrlRule};
