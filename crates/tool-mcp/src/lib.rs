#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod client;
pub mod config;
mod hygiene;
mod input;
#[cfg(feature = "http-client")]
mod login;
#[cfg(feature = "http-client")]
mod loopback;
mod meta;
pub mod server;
mod wire;

pub use client::McpManager;
pub use config::{McpConfig, McpServerConfig};
pub use server::McpServer;
