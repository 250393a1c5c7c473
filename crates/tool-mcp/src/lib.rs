#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "client", feature = "stdio"))]
pub mod client;
#[cfg(feature = "client")]
pub mod config;
#[cfg(feature = "server")]
mod server;
#[cfg(any(feature = "client", feature = "server"))]
mod wire;

#[cfg(all(feature = "client", feature = "stdio"))]
pub use client::McpManager;
#[cfg(feature = "client")]
pub use config::{McpConfig, McpServerConfig};
#[cfg(feature = "server")]
pub use server::McpServer;
