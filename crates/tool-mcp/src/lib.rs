#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "client")]
pub mod config;

#[cfg(feature = "client")]
pub use config::{McpConfig, McpServerConfig};
