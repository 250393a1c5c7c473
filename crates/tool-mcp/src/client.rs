//! Tools of MCP servers.

#[cfg(feature = "http-client")]
mod address;
mod backoff;
mod error;
mod event;
mod list;
mod manager;
mod names;
mod output;
mod pins;
mod process;
mod proxy;
mod report;
mod risk;
mod rounds;
mod server;
mod start;
mod task;

#[cfg(feature = "http-client")]
pub use crate::headers::CallInfo;
pub use crate::input::{Elicit, ElicitAnswer, ElicitForm, ElicitRequest, Root, Sample};
#[cfg(feature = "http-client")]
pub use crate::login::{CredentialStore, Login, LoginError, LoginPrompt, MemoryCredentials};
#[cfg(feature = "http-client")]
pub use crate::loopback::LoopbackPrompt;
pub use crate::meta::TraceParent;
pub use error::ServerError;
pub use event::{ServerEvent, ServerEventKind};
#[cfg(feature = "http-client")]
pub use http::{HeaderMap, HeaderName, HeaderValue};
pub use list::{HiddenTool, OmittedTool};
pub use manager::{McpManager, McpManagerBuilder};
pub use pins::{AcceptError, Pins, PinsError};
pub use report::{ConnectReport, ServerReport, ServerState};
pub use risk::ToolClaims;
