//! Cached results.

mod key;
mod result_cache;
mod store;

pub use result_cache::ResultCache;
