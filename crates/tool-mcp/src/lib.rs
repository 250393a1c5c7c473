#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

use std::sync::{Mutex, MutexGuard, PoisonError};

pub mod client;
pub mod config;
mod hygiene;
mod meta;
mod serve;
pub mod server;
mod wire;

pub use client::manager::McpManager;
pub use config::file::McpConfig;
pub use config::server::McpServerConfig;
pub use serve::McpServer;

/// Locks a mutex. Our data is valid after every step, even if a thread panicked while it held the lock.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
