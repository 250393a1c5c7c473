//! Tools that agents need: files, search, commands, a plan.
//!
//! Everything that touches the disk goes through a [`workspace::Workspace`], and the engines in [`files`] are what
//! models see of it.

#[cfg(feature = "files")]
mod blocking;
#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "search")]
pub mod search;
#[cfg(feature = "shell")]
pub mod shell;
#[cfg(feature = "todo")]
pub mod todo;
#[cfg(feature = "files")]
pub mod workspace;
