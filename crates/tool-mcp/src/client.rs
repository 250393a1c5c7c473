//! Tools of MCP servers.

mod list;
mod manager;
mod names;
mod output;
mod pins;
mod process;
mod proxy;
#[cfg(feature = "http-client")]
mod remote;
mod report;
mod risk;
mod server;
mod start;
mod task;

pub use crate::input::{Elicit, ElicitAnswer, ElicitForm, ElicitRequest, Root, Sample};
#[cfg(feature = "http-client")]
pub use crate::login::{CredentialStore, Login, LoginError, LoginPrompt, MemoryCredentials};
#[cfg(feature = "http-client")]
pub use crate::loopback::LoopbackPrompt;
pub use crate::meta::TraceParent;
pub use list::{HiddenTool, OmittedTool};
pub use manager::{McpManager, McpManagerBuilder};
pub use pins::{AcceptError, Pins, PinsError};
pub use report::{ConnectReport, ServerReport, ServerState, ServerError, ServerEvent, ServerEventKind};
pub use risk::ToolClaims;
