#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Implements `Debug` for a type that holds closures, traits or secrets: only its name is shown.
macro_rules! opaque_debug {
    ($name:ident) => {
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

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
