//! The only door to the disk: a capability to one folder, and nothing outside it.
//!
//! A [`Workspace`] holds a handle of its root. Every path of a model is resolved by the operating system beneath that
//! handle, so `..`, absolute paths, links and races cannot lead out. Its methods block; engines call them on a
//! blocking thread.

mod append;
mod directory;
mod entry;
mod error;
mod file;
mod locks;
mod new_directory;
mod path;
mod pattern;
mod place;
mod platform;
mod root;
mod rules;
mod suggestion;
mod temporary;
mod walk;
mod working_directory;
mod write;

pub use append::Append;
pub use directory::Directory;
pub use entry::{Entry, EntryKind};
pub use error::WorkspaceError;
pub use file::File;
pub use new_directory::NewDirectory;
pub use pattern::Pattern;
pub use root::Workspace;
pub use walk::{Walk, WalkOptions};
pub use working_directory::WorkingDirectory;
pub use write::{Edit, WriteMode, Written};

#[cfg(test)]
mod tests;
