#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod client;
pub mod config;
#[cfg(feature = "http-client")]
mod headers;
mod hexadecimal;
mod hygiene;
mod idempotency;
mod input;
#[cfg(feature = "auth")]
mod login;
#[cfg(feature = "auth")]
mod loopback;
pub mod server;
mod trace;
mod wire;

pub use client::McpManager;
pub use config::{McpConfig, McpServerConfig};
pub use server::McpServer;
