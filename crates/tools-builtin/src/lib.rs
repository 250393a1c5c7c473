//! Tools that agents need: files, search, commands, a plan.
//!
//! A [`Workspace`] is a capability to one folder, a [`Kit`] holds the engines that work in it, and a contract of
//! [`contracts`] shows them to a model under its names.

#[cfg(feature = "files")]
mod blocking;
#[cfg(feature = "files")]
pub mod contracts;
#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "files")]
mod kit;
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
