//! The protocol. The only module that names rmcp.

#[cfg(feature = "client")]
mod error;
#[cfg(feature = "http-client")]
mod events;
#[cfg(feature = "http-client")]
mod failure;
#[cfg(feature = "server")]
pub(crate) mod host;
#[cfg(feature = "http-client")]
mod http;
#[cfg(all(feature = "client", feature = "stdio"))]
mod lines;
#[cfg(feature = "client")]
mod link;
#[cfg(all(feature = "client", feature = "auth"))]
mod login;
#[cfg(all(feature = "client", feature = "stdio"))]
mod oversized;
#[cfg(feature = "client")]
mod signals;

#[cfg(feature = "client")]
pub(crate) use error::{OpenError, RequestError};
#[cfg(feature = "http-client")]
pub(crate) use failure::HttpFailure;
#[cfg(feature = "http-client")]
pub(crate) use http::{HttpPool, HttpTarget};
#[cfg(all(feature = "client", feature = "stdio"))]
pub(crate) use lines::{Lines, Output};
#[cfg(feature = "client")]
pub(crate) use link::{Link, Round, ToolChanges};
#[cfg(all(feature = "client", feature = "auth"))]
pub(crate) use login::Tokens;
#[cfg(feature = "client")]
pub(crate) use signals::{KEEP_ALIVE, Signals};
