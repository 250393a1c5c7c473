//! The protocol. The only module that names rmcp.

#[cfg(feature = "server")]
pub(crate) mod host;
#[cfg(all(feature = "client", feature = "stdio"))]
mod lines;
#[cfg(feature = "client")]
mod link;
#[cfg(all(feature = "client", feature = "stdio"))]
mod oversized;
#[cfg(feature = "client")]
mod signals;

#[cfg(all(feature = "client", feature = "stdio"))]
pub(crate) use lines::Lines;
#[cfg(feature = "client")]
pub(crate) use link::{Link, OpenError, RequestError, ToolChanges};
#[cfg(feature = "client")]
pub(crate) use signals::Signals;
