//! Tools of MCP servers.

mod backoff;
mod hygiene;
mod list;
mod manager;
mod names;
mod output;
mod process;
mod proxy;
mod report;
mod risk;
mod server;
mod start;
mod task;

pub use manager::{McpManager, McpManagerBuilder};
pub use report::{ConnectReport, OmittedTool, ServerError, ServerReport, ServerState};
