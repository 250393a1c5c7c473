//! The protocol. The only module that names rmcp.

#[cfg(feature = "server")]
pub(crate) mod host;
#[cfg(feature = "client")]
mod lines;
#[cfg(feature = "client")]
mod link;
#[cfg(feature = "client")]
mod oversized;
#[cfg(feature = "client")]
mod signals;

#[cfg(feature = "client")]
pub(crate) use lines::Lines;
#[cfg(feature = "client")]
pub(crate) use link::{Link, OpenError, RequestError, ToolChanges};
#[cfg(feature = "client")]
pub(crate) use signals::Signals;
