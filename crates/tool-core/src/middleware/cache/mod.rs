//! Results that are given again.

mod key;
mod result_cache;
mod store;

pub use result_cache::ResultCache;
