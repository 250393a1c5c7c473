//! Between tools and [`tower`](https://docs.rs/tower): a registry as a service, and a service as middleware.
//!
//! [`RegistryService`] puts layers around whole calls, approval and waiting included. [`ServiceMiddleware`] puts them
//! around the run of a tool alone, so that even what a layer refuses becomes one structured result.

mod middleware;
mod service;
#[cfg(test)]
mod tests;

pub use middleware::{Run, RunTool, ServiceMiddleware};
pub use service::RegistryService;
