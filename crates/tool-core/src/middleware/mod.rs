//! Middleware around the run of a tool. There is none by default: the steps of a call are built in.
//!
//! The first middleware added to the builder is the outermost. [`Retry`] outside [`RateLimit`] repeats rejected attempts;
//! [`CallLimit`] outside [`Retry`] counts calls, inside it attempts; cached results of an outer [`ResultCache`] count as
//! neither.

mod backoff;
mod cache;
mod call_limit;
mod chain;
mod jitter;
mod rate_limit;
mod retry;
#[cfg(test)]
mod tests;

pub use backoff::Backoff;
pub use cache::ResultCache;
pub use call_limit::{CallCount, CallLimit};
pub use chain::{Call, Middleware, Next};
pub use jitter::Jitter;
pub use rate_limit::RateLimit;
pub use retry::Retry;
