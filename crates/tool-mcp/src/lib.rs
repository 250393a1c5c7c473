#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "client", any(feature = "http-client", feature = "stdio")))]
pub mod client;
#[cfg(feature = "client")]
pub mod config;
#[cfg(feature = "http-client")]
mod headers;
#[cfg(any(
    all(feature = "client", any(feature = "http-client", feature = "stdio")),
    all(feature = "server", any(feature = "http-server", feature = "stdio")),
))]
mod hexadecimal;
#[cfg(all(feature = "client", any(feature = "http-client", feature = "stdio")))]
mod hygiene;
#[cfg(any(
    all(feature = "client", any(feature = "http-client", feature = "stdio")),
    all(feature = "server", any(feature = "http-server", feature = "stdio")),
))]
mod idempotency;
#[cfg(all(feature = "client", any(feature = "http-client", feature = "stdio")))]
mod input;
#[cfg(all(feature = "client", feature = "auth"))]
mod login;
#[cfg(all(feature = "client", feature = "auth"))]
mod loopback;
#[cfg(all(feature = "server", any(feature = "http-server", feature = "stdio")))]
pub mod server;
#[cfg(any(
    all(feature = "client", any(feature = "http-client", feature = "stdio")),
    all(feature = "server", any(feature = "http-server", feature = "stdio")),
))]
mod trace;
#[cfg(any(
    all(feature = "client", any(feature = "http-client", feature = "stdio")),
    all(feature = "server", any(feature = "http-server", feature = "stdio")),
))]
mod wire;

#[cfg(all(feature = "client", any(feature = "http-client", feature = "stdio")))]
pub use client::McpManager;
#[cfg(feature = "client")]
pub use config::{McpConfig, McpServerConfig};
#[cfg(all(feature = "server", any(feature = "http-server", feature = "stdio")))]
pub use server::McpServer;
