#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "client", feature = "stdio"))]
pub mod client;
#[cfg(feature = "client")]
pub mod config;
#[cfg(all(feature = "server", feature = "stdio"))]
mod server;
#[cfg(all(any(feature = "client", feature = "server"), feature = "stdio"))]
mod wire;

#[cfg(all(feature = "client", feature = "stdio"))]
pub use client::McpManager;
#[cfg(feature = "client")]
pub use config::{McpConfig, McpServerConfig};
#[cfg(all(feature = "server", feature = "stdio"))]
pub use server::McpServer;
