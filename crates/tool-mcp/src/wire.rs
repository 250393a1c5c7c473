//! The protocol. The only module that names rmcp.

mod error;
#[cfg(feature = "http-client")]
mod events;
#[cfg(feature = "http-client")]
mod failure;
pub(crate) mod host;
#[cfg(feature = "http-client")]
mod http;
mod lines;
mod link;
#[cfg(feature = "http-client")]
mod login;
mod signals;
mod watched;

pub(crate) use error::{OpenError, RequestError};
#[cfg(feature = "http-client")]
pub(crate) use failure::HttpFailure;
#[cfg(feature = "http-client")]
pub(crate) use http::{HttpPool, HttpTarget};
pub(crate) use lines::{LineStreams, Output, open_lines};
pub(crate) use link::{Link, Round, ToolChanges};
#[cfg(feature = "http-client")]
pub(crate) use login::Tokens;
pub(crate) use signals::{KEEP_ALIVE, Signals};
