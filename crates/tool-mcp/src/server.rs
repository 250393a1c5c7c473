//! Registries as MCP servers.

mod approvals;
mod client;
mod contents;
#[cfg(feature = "http-server")]
mod http;
mod input;

pub use crate::meta::TraceParent;
pub use crate::serve::ShortKey;
pub use approvals::Approvals;
pub use client::{ClientIdentity, ClientLog, LogLevel};
pub use contents::{ClientContext, ContentError, Notifier, Prompts, Resources};
#[cfg(feature = "http-server")]
pub use http::{
    Authenticate, AuthenticationError, BearerTokens, HttpBody, HttpOptions, HttpService, ServeError,
};
pub use input::{ClientInput, InputError, InputRequest, InputResponse};

pub(crate) use approvals::Way;
pub(crate) use contents::Notice;
pub(crate) use input::{Asked, Supported};
