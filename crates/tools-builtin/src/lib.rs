//! Tools that agents need: files, search, commands, a plan.

#[cfg(feature = "shell")]
pub mod shell;
#[cfg(feature = "todo")]
pub mod todo;
