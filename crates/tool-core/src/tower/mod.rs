//! Integration with [`tower`](https://docs.rs/tower): a registry as a service, and a service as middleware.
//!
//! [`RegistryService`] wraps complete calls in layers, including approval and queue. [`ServiceMiddleware`] wraps only the run
//! of a tool, so that errors of layers become structured results.

mod middleware;
mod service;
#[cfg(test)]
mod tests;

pub use middleware::{Run, RunTool, ServiceMiddleware};
pub use service::RegistryService;
