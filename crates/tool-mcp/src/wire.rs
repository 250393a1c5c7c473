//! The protocol. The only module that names the library for it.

mod failure;
pub(crate) mod handler;
#[cfg(feature = "http-client")]
mod http;
mod lines;
mod link;
#[cfg(feature = "http-client")]
mod login;
mod signals;

pub(crate) use failure::Failure;
#[cfg(feature = "http-client")]
pub(crate) use http::http_pool;
pub(crate) use lines::Output;
pub(crate) use link::{Link, Opening, Round, ToolChanges};
#[cfg(feature = "http-client")]
pub(crate) use login::Tokens;
pub(crate) use signals::{kept_alive, waiting};
