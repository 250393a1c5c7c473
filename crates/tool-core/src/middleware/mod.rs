//! What wraps the run of a tool. Empty by default: the steps of a call are built in.
//!
//! The first middleware given to the builder is the outermost. [`Retry`] outside of [`RateLimit`] waits for its turn
//! and goes on; [`CallLimit`] outside of [`Retry`] counts calls, inside of it attempts; [`ResultCache`] outside of
//! both costs neither.

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
