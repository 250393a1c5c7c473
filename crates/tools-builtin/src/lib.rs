#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

#[cfg(feature = "files")]
mod blocking;
#[cfg(feature = "files")]
pub mod contracts;
#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "files")]
mod kit;
#[cfg(feature = "files")]
pub mod repository;
#[cfg(feature = "search")]
pub mod search;
#[cfg(feature = "shell")]
pub mod shell;
#[cfg(feature = "todo")]
pub mod todo;
#[cfg(feature = "files")]
pub mod workspace;

#[cfg(feature = "files")]
pub use kit::Kit;
#[cfg(feature = "files")]
pub use workspace::Workspace;
