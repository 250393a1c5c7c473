//! The protocol. The only module that names the library for it.

mod failure;
mod frames;
pub(crate) mod handler;
#[cfg(feature = "http-client")]
mod http;
mod lines;
mod link;
#[cfg(feature = "http-client")]
mod login;
mod signals;
mod unicode;

pub(crate) use failure::Failure;
#[cfg(feature = "http-client")]
pub(crate) use http::{HttpPool, HttpTarget};
pub(crate) use lines::Output;
pub(crate) use link::{Link, Opening, Round, ToolChanges};
#[cfg(feature = "http-client")]
pub(crate) use login::Tokens;
pub(crate) use signals::{Signals, kept_alive, waiting};
