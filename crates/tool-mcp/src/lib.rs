#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "client")]
pub mod config;
#[cfg(any(feature = "client", feature = "server"))]
mod wire;

#[cfg(feature = "client")]
pub use config::{McpConfig, McpServerConfig};
