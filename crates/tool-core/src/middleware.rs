//! Middleware around the run of a tool. There is none by default: the steps of a call are built in.
//!
//! The first middleware added to the builder is the outermost. A limit on the number or the rate of calls needs the
//! application's own keys and units, so it is the application's middleware; the book shows one.

mod backoff;
mod chain;
mod jitter;
mod retry;
#[cfg(test)]
mod tests;

pub use backoff::Backoff;
pub use chain::{Call, Middleware, Next};
pub use jitter::Jitter;
pub use retry::Retry;
