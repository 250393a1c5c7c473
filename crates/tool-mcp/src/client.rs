//! Tools of MCP servers.

mod input;
mod list;
#[cfg(feature = "http-client")]
mod login;
pub(crate) mod manager;
mod names;
mod output;
mod pins;
mod process;
mod program;
mod proxy;
#[cfg(feature = "http-client")]
mod remote;
mod report;
mod risk;
mod server;
mod start;
mod task;

pub use input::{Elicit, ElicitAnswer, ElicitForm, ElicitRequest};
pub use list::{HiddenTool, OmittedTool};
#[cfg(feature = "http-client")]
pub use login::{CredentialStore, Login, LoginError, LoginPrompt};
pub use manager::McpManagerBuilder;
pub use pins::{Pins, PinsError};
pub use report::{ServerError, ServerReport, ServerState};
pub use risk::ToolClaims;

pub(crate) use input::HostInput;
#[cfg(feature = "http-client")]
pub(crate) use remote::Address;
